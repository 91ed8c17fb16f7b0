package collyrobots

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomFile draws a file with groups for a few agents, with everything between the rules that files have. Now and then, as
// often as odd says in a hundred, it draws something on which grobotstxt deviates.
func randomFile(r *rand.Rand, odd int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	path := func() string {
		p := pick("/", "/", "/", "/", "*", "")
		for range r.IntN(4) {
			p += pick("a", "b", "ab", "/", "a/b", "?", "x=1", ".php", "*", "*", "%2F", "é", "%C3%A9")
		}
		if r.IntN(100) < odd {
			p += pick("%61", "%2f", "%c3%a9", "%2A", "%24", "$x", "|", "/index.html", " b", "\u00A0", "%zz")
		}
		return p + pick("", "", "", "$", "*")
	}
	end := pick("\n", "\n", "\r\n", "\r")
	var b strings.Builder
	b.WriteString(pick("", "", "", "\uFEFF"))
	for range r.IntN(16) {
		switch r.IntN(12) {
		case 0, 1:
			fmt.Fprintf(&b, "%s:%s%s", pick("User-agent", "user-agent", "useragent", "USER AGENT"), pick("", " "), pick("*", "*", "FooBot", "foobot", "FooBot/2.0", "BarBot", "* all", "Foo", ""))
			if r.IntN(100) < odd {
				b.WriteString(pick("*", "7", ".x"))
			}
		case 2:
			b.WriteString(pick("", "# comment: x", "Sitemap: https://h.example/s", "Crawl-delay: 2", "Noindex: /", "hello", "Host: h", "a: b"))
		case 3:
			if r.IntN(100) < odd {
				b.WriteString(pick("Disallow-ai: ", "Allow-list: ", "User-agents: ") + path())
			}
		case 4, 5, 6:
			fmt.Fprintf(&b, "%s%s%s", pick("Allow", "allow", "ALLOW"), pick(": ", ":", " ", " : "), path())
		default:
			fmt.Fprintf(&b, "%s%s%s%s", pick("Disallow", "disallow", "dissallow", "disalow"), pick(": ", ":", " ", ":\t"), path(), pick("", "", " ", " # c"))
		}
		b.WriteString(end)
	}
	return b.String()
}

func randomURL(r *rand.Rand, odd int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	u := pick("https://h.example", "http://h.example:8080", "https://u:p@h.example")
	if r.IntN(20) > 0 {
		u += "/"
		for range r.IntN(5) {
			u += pick("a", "b", "ab", "/", "a/b", ".php", "%2F", "%C3%A9", "x", ";")
		}
	}
	if r.IntN(4) == 0 {
		u += "?" + pick("", "x=1", "a", "ab/b", "%2F")
	}
	if r.IntN(100) < odd {
		u += pick("%61", "%2f", "é", "|", "%", "*", "$", "robots.txt", " ", "%2A")
	}
	return u + pick("", "", "", "#a/b")
}

// TestAgreesWithGrobotstxtAgentAllowed compares whole decisions. Where they differ, a deviation of grobotstxt that has a name
// must bear on the case; the test says which did, and how often.
func TestAgreesWithGrobotstxtAgentAllowed(t *testing.T) {
	const questions = 100_000
	r := rand.New(rand.NewPCG(9309, 6))
	explained := map[string]int{}
	agreed, refused, clean := 0, 0, 0
	for i := range questions {
		odd := 0
		if i%4 == 0 {
			odd = 40
		}
		body := randomFile(r, odd)
		q := ask(body, [...]string{"FooBot", "foobot", "BarBot", "Nobody"}[r.IntN(4)], randomURL(r, odd))
		name, deviates := q.explain()
		if !deviates {
			clean++
		}
		theirs := q.theirs()
		if !theirs {
			refused++
		}
		switch {
		case q.ours() == theirs:
			agreed++
		case deviates:
			explained[name]++
		default:
			t.Fatalf("no deviation explains: agent %q, URL %q: grobotstxt allows: %v, we: %v; file:\n%s", q.agent, q.url, theirs, !theirs, q.body)
		}
	}
	if clean < questions/2 || refused < questions/10 {
		t.Errorf("of %d questions %d have no deviation and %d are refused: too few to say anything", questions, clean, refused)
	}
	t.Logf("%d questions: %d agree, %d of them without any deviation in sight; the others: %v", questions, agreed, clean, explained)
}

// FuzzAgainstGrobotstxt looks for a disagreement that none of the named deviations explains.
func FuzzAgainstGrobotstxt(f *testing.F) {
	for _, d := range deviations {
		if len(d.example.body) < 1000 {
			f.Add(d.example.body, d.example.url)
		}
	}
	r := rand.New(rand.NewPCG(9309, 7))
	for range 30 {
		f.Add(randomFile(r, 20), strings.TrimPrefix(randomURL(r, 20), "https://h.example"))
	}
	f.Fuzz(func(t *testing.T, body, path string) {
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
		for _, agent := range []string{"FooBot", "a"} {
			q := ask(body, agent, "https://h.example"+path)
			if ours, theirs := q.ours(), q.theirs(); ours != theirs {
				if _, ok := q.explain(); !ok {
					t.Errorf("no deviation explains: agent %q, URL %q: grobotstxt allows: %v, we: %v; file:\n%q", q.agent, q.url, theirs, ours, q.body)
				}
			}
		}
	})
}

// FuzzCompile looks for files that break what holds for every file.
func FuzzCompile(f *testing.F) {
	for _, body := range []string{
		groupsFile, "", "\xFF\xFEU\x00s\x00", "User-agent: *\rDisallow: /\r", "User-agent: *\nDisallow: /a*b$\nSitemap: x\nCrawl-delay: .5\n",
		"\xEF\xBBUser-agent:*\nAllow:/%zz%2a\nHost: h\nDisallow /x", strings.Repeat("User-agent: A\nDisallow: /a\n", 20),
	} {
		f.Add([]byte(body), "FooBot", "A", "/a")
	}
	f.Fuzz(func(t *testing.T, body []byte, productToken, also, path string) {
		r := Compile(body, productToken, also)
		m := r.Match("/" + path)
		checkRule(t, body, m)
		if m != r.Match("/"+path) {
			t.Errorf("Match(%q) changes from one call to the next", path)
		}
		if !m.Allowed && Compile(body, productToken).Match("/"+path).Allowed && Compile(body, also).Match("/"+path).Allowed {
			t.Errorf("Match(%q) for %q and %q is refused, but allowed for each alone", path, productToken, also)
		}
		if Compile(body, productToken).Match("/"+path).Allowed == false && m.Allowed {
			t.Errorf("Match(%q): obeying %q besides allows what is refused to %q alone", path, also, productToken)
		}
		if d, ok := r.CrawlDelay(); d < 0 || d > 0 && !ok {
			t.Errorf("CrawlDelay() = %v, %v", d, ok)
		}
		for _, s := range r.Sitemaps() {
			if s == "" || !strings.Contains(string(body), s) {
				t.Errorf("Sitemaps() holds %q, which the file does not", s)
			}
		}
		if got, most := r.bytes(), 2000+200*len(body); got > most {
			t.Errorf("bytes() = %d of a file of %d octets", got, len(body))
		}
		half := compileWithin(len(body)/2, body, productToken, nil)
		whole := Compile(wholeLines(body, len(body)/2), productToken)
		if got, want := half.Match("/"+path), whole.Match("/"+path); got != want {
			t.Errorf("cut at half: Match(%q) = %+v, of the same lines alone %+v", path, got, want)
		}
	})
}
