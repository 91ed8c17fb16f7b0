package collyrobots

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

func lines(s ...string) string { return strings.Join(s, "\n") }

func TestSignalsOfARobotsTxt(t *testing.T) {
	for _, tt := range []struct {
		name, body, url, want string
		problems              int
	}{
		{"2.4 6 the longest path counts", lines("User-agent: *", "Content-Usage: train-ai=n", "Content-Usage: /ok/ train-ai=y"), "/ok/a", "ai-train=allow", 0},
		{"2.4 6 elsewhere the shorter", lines("User-agent: *", "Content-Usage: train-ai=n", "Content-Usage: /ok/ train-ai=y"), "/b", "ai-train=deny", 0},
		{"2.4 7, OP-08 of equal paths n counts", lines("User-agent: *", "Content-Usage: /a train-ai=y", "Content-Usage: /a train-ai=n"), "/a", "ai-train=deny", 0},
		{"OP-08 in whatever order", lines("User-agent: *", "Content-Usage: /a train-ai=n", "Content-Usage: /a train-ai=y"), "/a", "ai-train=deny", 0},
		{"paths of equal length count alike", lines("User-agent: *", "Content-Usage: /a* train-ai=n", "Content-Usage: /ab train-ai=y"), "/abc", "ai-train=deny", 0},
		{"no path is the path /", lines("User-agent: *", "Content-Usage: train-ai=n", "Content-Usage: / train-ai=y"), "/", "ai-train=deny", 0},
		{"no path of equal length says other things", lines("User-agent: *", "Content-Usage: /a train-ai=n", "Content-Usage: /a search=y"), "/a", "search=allow ai-train=deny", 0},
		{"the longest path says all that is said", lines("User-agent: *", "Content-Usage: train-ai=n", "Content-Usage: /blog/ search=y"), "/blog/a", "search=allow", 0},
		{"wildcards and the end mark", lines("User-agent: *", "Content-Usage: /*.pdf$ train-ai=n"), "/x/a.pdf", "ai-train=deny", 0},
		{"wildcards that do not match", lines("User-agent: *", "Content-Usage: /*.pdf$ train-ai=n"), "/x/a.pdf?v=1", "", 0},
		{"a tab behind the path", lines("User-agent: *", "Content-Usage: /a\ttrain-ai=n"), "/a", "ai-train=deny", 0},
		{"escapes in paths", lines("User-agent: *", "Content-Usage: /%7Ejoe/ train-ai=n"), "/~joe/", "ai-train=deny", 0},
		{"a query is matched", lines("User-agent: *", "Content-Usage: /a?b train-ai=n"), "/a?b=1", "ai-train=deny", 0},
		{"what cannot be read hides no shorter path", lines("User-agent: *", "Content-Usage: train-ai=n", "Content-Usage: /a Train-AI=y"), "/a", "ai-train=deny", 1},
		{"nothing behind the path", lines("User-agent: *", "Content-Usage: train-ai=n", "Content-Usage: /a"), "/a", "ai-train=deny", 1},
		{"nothing at all", lines("User-agent: *", "Content-Usage:", "Content-Signal:"), "/a", "", 2},
		{"a path that may not be crawled has no preference", lines("User-agent: *", "Disallow: /a", "Content-Usage: train-ai=n"), "/a", "", 0},
		{"names of records without case", lines("User-agent: *", "CONTENT-USAGE : train-ai=n"), "/a", "ai-train=deny", 0},
		{"a comment behind", lines("User-agent: *", "Content-Usage: train-ai=n # please"), "/a", "ai-train=deny", 0},
		{"a parameter", lines("User-agent: *", "Content-Usage: train-ai=n;exceptions=\"x\""), "/a", "ai-train=deny", 0},
		{"labels that are not known", lines("User-agent: *", "Content-Usage: bots=n, genai=n"), "/a", "", 0},

		{"2.5 1", lines("User-agent: *", "Content-Signal: search=yes,ai-train=no"), "/a", "search=allow ai-train=deny", 0},
		{"2.5 2 two groups for * are one", lines("User-agent: *", "Content-Signal: ai-train=no", "Allow: /", "", "User-agent: *", "Disallow: /lp"), "/a", "ai-train=deny", 0},
		{"2.5 3", lines("User-agent: *", "Content-Signal: ai-train=maybe"), "/a", "", 1},
		{"2.5 4 for another", lines("User-agent: OtherBot", "Content-Signal: ai-train=no", "Allow: /"), "/a", "", 0},
		{"2.5 5 any no wins", lines("User-agent: *", "Content-Signal: ai-train=yes", "Content-Usage: train-ai=n"), "/a", "ai-train=deny", 0},
		{"2.5 6 a named group takes the place of *", lines("User-agent: *", "Content-Signal: ai-train=no", "Allow: /", "User-agent: AcmeBot", "Disallow: /x"), "/a", "", 0},
		{"our group, whatever * says", lines("User-agent: *", "Content-Signal: ai-train=yes", "Allow: /", "User-agent: acmebot", "Content-Signal: ai-train=no", "Allow: /"), "/a", "ai-train=deny", 0},
		{"two lines in one group", lines("User-agent: *", "Content-Signal: ai-train=yes", "Content-Signal: ai-train=no"), "/a", "ai-train=deny", 0},
		{"a path is read like that of Content-Usage, and told", lines("User-agent: *", "Content-Signal: /a ai-train=no", "Content-Signal: ai-train=yes"), "/a", "ai-train=deny", 1},
		{"a path that does not match", lines("User-agent: *", "Content-Signal: /a ai-train=no", "Content-Signal: ai-train=yes"), "/b", "ai-train=allow", 1},
		{"y and n are not its words", lines("User-agent: *", "Content-Signal: train-ai=n, ai-train=n"), "/a", "", 1},
		{"yes and no are not those of Content-Usage", lines("User-agent: *", "Content-Usage: train-ai=no, ai-train=n"), "/a", "", 0},
		{"above all groups a no counts", lines("Content-Signal: ai-train=no", "User-agent: *", "Disallow: /x"), "/a", "ai-train=deny", 1},
		{"above all groups a yes does not", lines("Content-Signal: ai-train=yes, search=yes", "User-agent: *", "Content-Signal: search=no"), "/a", "search=deny", 1},
		{"above all groups, without any group", lines("Content-Usage: train-ai=n"), "/a", "ai-train=deny", 1},
		{"a group of several", lines("User-agent: OtherBot", "User-agent: AcmeBot", "Content-Signal: ai-input=no", "Disallow: /x"), "/a", "ai-input=deny", 0},
		{"a yes to all opens no disallow", lines("User-agent: *", "Disallow: /", "Content-Signal: search=yes, ai-train=yes, ai-input=yes"), "/a", "", 0},
		{"no signals", lines("User-agent: *", "Disallow: /x", "Host: h.example"), "/a", "", 0},
	} {
		s := Compile([]byte(tt.body), "AcmeBot").Signals("https://h.example" + tt.url)
		if got := verdicts(s); got != tt.want || len(s.Problems) != tt.problems {
			t.Errorf("%s: %s of\n%s\nsays %q, problems %q, want %q, %d problems", tt.name, tt.url, tt.body, got, problems(s), tt.want, tt.problems)
		}
	}
}

func TestTheDisallowOfASecondGroupHoldsBesideTheSignal(t *testing.T) {
	r := Compile([]byte(lines("User-agent: *", "Content-Signal: ai-train=no", "Allow: /", "", "User-agent: *", "Disallow: /lp")), "AcmeBot")
	if got := r.Match("/lp/a"); got.Allowed {
		t.Errorf("Match(/lp/a) = %+v, want disallowed", got)
	}
}

func TestUseLimit(t *testing.T) {
	r := Compile([]byte(lines("User-agent: *", "Content-Signal: use=full", "Content-Signal: use=reference")), "AcmeBot")
	if got, want := r.Signals("/").UseLimit, "reference"; got != want {
		t.Errorf("2.5 7 UseLimit = %q, want %q", got, want)
	}
}

func TestDenialsToThoseThatAreObeyedToo(t *testing.T) {
	body := lines(
		"User-agent: *", "Content-Signal: search=yes", "Allow: /",
		"User-agent: GPTBot", "Content-Usage: train-ai=n", "Content-Usage: /open/ train-ai=y", "Content-Signal: ai-input=yes, use=immediate", "Allow: /",
		"User-agent: CCBot", "Content-Usage: /open/deep/ train-ai=y", "Content-Usage: /shut/ train-ai=n", "Allow: /",
	)
	r := Compile([]byte(body), "AcmeBot", "GPTBot", "CCBot")
	for _, tt := range []struct{ url, want string }{
		{"/a", "search=allow ai-train=deny"},
		{"/open/a", "search=allow"}, // what GPTBot may, it may; nobody said so to us
		{"/shut/a", "search=allow ai-train=deny"},
		{"/open/deep/a", "search=allow"},
	} {
		if got := verdicts(r.Signals(tt.url)); got != tt.want {
			t.Errorf("%s says %q, want %q", tt.url, got, tt.want)
		}
	}
	if got := r.Signals("/a").UseLimit; got != "" {
		t.Errorf("UseLimit = %q, want none: it was said to another", got)
	}
	// One crawler's longer path hides nothing that was said to another.
	r = Compile([]byte(lines("User-agent: GPTBot", "Content-Usage: train-ai=n", "Allow: /", "User-agent: CCBot", "Content-Usage: /open/ train-ai=y", "Allow: /")), "AcmeBot", "GPTBot", "CCBot")
	if got, want := verdicts(r.Signals("/open/a")), "ai-train=deny"; got != want {
		t.Errorf("/open/a, which CCBot may use and GPTBot may not: %q, want %q", got, want)
	}
}

func TestSourcesInARobotsTxt(t *testing.T) {
	r := Compile([]byte(lines("User-agent: AcmeBot", "Content-Usage: / train-ai=n", "Content-Signal: ai-train=yes")), "AcmeBot")
	v, got := r.Signals("/a").Verdict(AITrain)
	want := []Source{
		{Kind: "content-usage", Where: "robots.txt", Agent: "acmebot", Line: 2, Raw: "/ train-ai=n"},
		{Kind: "content-signal", Where: "robots.txt", Agent: "acmebot", Line: 3, Raw: "ai-train=yes"},
	}
	if v != Deny || !slices.Equal(got, want) {
		t.Errorf("ai-train = %v by %+v, want deny by %+v", v, got, want)
	}
	if got, want := got[0].String(), "line 2 of robots.txt: content-usage: / train-ai=n"; got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
}

func TestOP07HeaderAndRobotsTxtTogether(t *testing.T) {
	for _, tt := range []struct {
		name, robots, header string
		want                 Verdict
		sources              int
	}{
		{"OP-07", "train-ai=n", "train-ai=y", Deny, 2},
		{"2.4 8", "train-ai=y", "train-ai=n", Deny, 2},
		{"both allow", "train-ai=y", "train-ai=y", Allow, 2},
		{"one says nothing", "search=y", "train-ai=y", Allow, 1},
		{"neither", "search=y", "search=n", Unknown, 0},
	} {
		r := Compile([]byte("User-agent: *\nContent-Usage: "+tt.robots), "AcmeBot")
		s := MergeSignals(r.Signals("/"), HeaderSignals(field("Content-Usage", tt.header), "AcmeBot", testNow))
		if v, src := s.Verdict(AITrain); v != tt.want || len(src) != tt.sources {
			t.Errorf("%s: %v by %v, want %v by %d", tt.name, v, src, tt.want, tt.sources)
		}
	}
}

func TestLicenses(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
		problems   int
	}{
		{"2.9 1 above all groups", lines("License: https://site.example/l.xml", "User-agent: *", "Disallow: /x"), []string{"https://site.example/l.xml"}, 0},
		{"2.9 2 in another's group", lines("User-agent: OtherBot", "Disallow: /x", "License: https://site.example/l.xml"), []string{"https://site.example/l.xml"}, 0},
		{"2.9 3 not absolute", lines("User-agent: *", "License: /l.xml"), nil, 1},
		{"OP-16", lines("License: /rel.xml"), nil, 1},
		{"no URL", lines("License: MIT", "License: ", "License: ftp://a/b", "License: https:///x", "License: //a.example/l"), nil, 5},
		{"several", lines("License: https://a.example/1", "license: http://a.example/2", "License: https://a.example/1"), []string{"https://a.example/1", "http://a.example/2"}, 0},
	} {
		s := Compile([]byte(tt.body), "AcmeBot").Signals("/")
		if !slices.Equal(s.Licenses, tt.want) || len(s.Problems) != tt.problems || verdicts(s) != "" {
			t.Errorf("%s: licences %q, problems %q, verdicts %q, want %q, %d problems, nothing denied", tt.name, s.Licenses, problems(s), verdicts(s), tt.want, tt.problems)
		}
	}
}

func TestThePaceThatIsAskedFor(t *testing.T) {
	twoPM, sixPM := at("14:00:00"), at("18:00:00")
	for _, tt := range []struct {
		name, body string
		at         time.Time
		want       time.Duration
		asked      bool
		problems   int
	}{
		{"2.10 3", "Request-rate: 1/5", twoPM, 5 * time.Second, true, 0},
		{"2.10 4 inside its hours", "Request-rate: 1/10m 1300-1659", twoPM, 600 * time.Second, true, 0},
		{"2.10 4 outside", "Request-rate: 1/10m 1300-1659", sixPM, 0, false, 0},
		{"2.10 5 the slowest wins", "Crawl-delay: 4\nRequest-rate: 1/5", twoPM, 5 * time.Second, true, 0},
		{"2.10 5 in whatever order", "Request-rate: 1/5\nCrawl-delay: 6", twoPM, 6 * time.Second, true, 0},
		{"several rates", "Request-rate: 1/5\nRequest-rate: 1/60 1300-1500", twoPM, time.Minute, true, 0},
		{"2.10 8 said to * alone", "Request-rate: 1/5\nAllow: /\nUser-agent: AcmeBot\nAllow: /", twoPM, 0, false, 0},
		{"OP-18 a negative delay", "Crawl-delay: -1", twoPM, 0, false, 1},
		{"OP-18 a huge delay", "Crawl-delay: 1e400", twoPM, 0, false, 1},
		{"OP-18 no number", "Crawl-delay: abc", twoPM, 0, false, 1},
		{"OP-18 NaN, Inf", "Crawl-delay: NaN\nCrawl-delay: Inf\nCrawl-delay: +3", twoPM, 0, false, 3},
		{"OP-18 beside one that can be read", "Crawl-delay: abc\nCrawl-delay: 3", twoPM, 3 * time.Second, true, 1},
		{"a rate that cannot be read", "Request-rate: fast", twoPM, 0, false, 1},
		{"2.10 7 a day", "Crawl-delay: 86400", twoPM, 24 * time.Hour, true, 0},
		{"a delay of nothing", "Crawl-delay: 0", twoPM, 0, true, 0},
	} {
		r := Compile([]byte("User-agent: *\n"+tt.body), "AcmeBot")
		if d, ok := r.delayAt(tt.at); d != tt.want || ok != tt.asked {
			t.Errorf("%s: %q at %v asks for %v, %v, want %v, %v", tt.name, tt.body, tt.at, d, ok, tt.want, tt.asked)
		}
		if s := r.Signals("/"); len(s.Problems) != tt.problems {
			t.Errorf("%s: problems %q, want %d", tt.name, problems(s), tt.problems)
		}
	}
}

func TestVisitTimeOfARobotsTxt(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
		problems         int
	}{
		{"OP-19", "User-agent: *\nVisit-time: 2200-0400", "22:00-04:00", 0},
		{"several windows", "User-agent: *\nVisit-time: 0100-0300\nVisit-time: 1300-1500", "01:00-03:00, 13:00-15:00", 0},
		{"one that cannot be read", "User-agent: *\nVisit-time: at night", "always", 1},
		{"another's", "User-agent: OtherBot\nVisit-time: 0100-0300\nAllow: /", "always", 0},
		{"for all that are obeyed", "User-agent: *\nVisit-time: 0100-0300\nAllow: /\nUser-agent: GPTBot\nVisit-time: 0200-0400\nAllow: /", "02:00-03:00", 0},
		{"none is left", "User-agent: *\nVisit-time: 0100-0200\nAllow: /\nUser-agent: GPTBot\nVisit-time: 0300-0400\nAllow: /", "never", 0},
		{"above all groups", "Visit-time: 0100-0300\nUser-agent: *\nAllow: /", "01:00-03:00", 1},
	} {
		s := Compile([]byte(tt.body), "AcmeBot", "GPTBot").Signals("/")
		if got := s.Hours.String(); got != tt.want || len(s.Problems) != tt.problems {
			t.Errorf("%s: hours %s, problems %q, want %s, %d problems", tt.name, got, problems(s), tt.want, tt.problems)
		}
	}
}

func TestSignalsFromAStrangerAreBounded(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"OP-10 a record of 200 KiB", "User-agent: *\nContent-Usage: train-ai=n, " + strings.Repeat("a=b, ", 40<<10) + "x=y\n", ""},
		{"OP-10 beside one that can be read", "User-agent: *\nContent-Signal: ai-train=no\nContent-Signal: " + strings.Repeat("a=b, ", 40<<10) + "\n", "ai-train=deny"},
		{"very many records", "User-agent: *\n" + repeatTo(parsingLimit-100, func(i int) string { return fmt.Sprintf("Content-Usage: /%d* train-ai=y\n", i) }), ""},
		{"very many that all match", "User-agent: *\n" + repeatTo(parsingLimit-100, func(i int) string { return "Content-Usage: /*a*b*c* train-ai=n\n" }), "ai-train=deny"},
		{"very many groups", repeatTo(parsingLimit-100, func(i int) string {
			return fmt.Sprintf("User-agent: b%c\nUser-agent: *\nVisit-time: 0000-0001\nRequest-rate: %d/9h\nLicense: https://a/%d\nAllow: /\n", 'a'+i%26, i+1, i)
		}), ""},
		{"very many faults", "User-agent: *\n" + repeatTo(parsingLimit-100, func(i int) string { return "Crawl-delay: x\nContent-Signal: ai-train=x\n" }), ""},
	} {
		r := Compile([]byte(tt.body), "AcmeBot", "ba", "bb", "bc")
		s := r.Signals("/abc")
		if got := verdicts(s); got != tt.want || len(s.Problems) == 0 {
			t.Errorf("%s: says %q, problems %d, want %q and problems", tt.name, got, len(s.Problems), tt.want)
		}
		if len(s.Statements) > keptStatements || len(s.Raw) > keptRaw || len(s.Problems) > keptProblems || len(s.Rates) > keptRates || len(s.Licenses) > keptLicenses {
			t.Errorf("%s: kept %d statements, %d texts, %d problems, %d rates, %d licences", tt.name, len(s.Statements), len(s.Raw), len(s.Problems), len(s.Rates), len(s.Licenses))
		}
		if got, most := r.notes.bytes(), 1<<20; got > most {
			t.Errorf("%s: the notes take %d octets, want %d at most", tt.name, got, most)
		}
	}
}

// Of very many rates none is lost to the bound that asks for more than those that are kept.
func TestTheSlowestOfVeryManyRatesCounts(t *testing.T) {
	body := "User-agent: *\n" + repeatTo(2000, func(i int) string { return fmt.Sprintf("Request-rate: 1/%d\n", i+1) }) + "Request-rate: 1/1h 0000-0100\n"
	if d, _ := Compile([]byte(body), "AcmeBot").delayAt(at("00:30:00")); d != time.Hour {
		t.Errorf("the pace is %v, want %v", d, time.Hour)
	}
}

func FuzzRobotsSignals(f *testing.F) {
	f.Add([]byte("User-agent: *\nContent-Usage: /a train-ai=n\nContent-Signal: search=yes\nVisit-time: 0100-0200\n"), "/a")
	f.Add([]byte("Content-Usage: train-ai=y\nUser-agent: GPTBot\nContent-Usage: /* train-ai=n\nRequest-rate: 1/5\n"), "/b")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		r := Compile(body, "AcmeBot", "GPTBot")
		s := r.Signals(path)
		for _, st := range s.Statements {
			if st.Source.Line < 1 || st.Source.Line > 1+len(body) {
				t.Errorf("%q: a statement in line %d", body, st.Source.Line)
			}
		}
		if !r.Match(path).Allowed && s.saysAnything() {
			t.Errorf("%q: %q may not be fetched and has signals", body, path)
		}
		denied := r.notes.signals != nil && r.notes.signals.denies(pattern.TextPath(path), []Use{AITrain}) != nil
		if v, _ := s.Verdict(AITrain); r.Match(path).Allowed && denied != (v == Deny) {
			t.Errorf("%q: ai-train of %q is %v, and denies says %v", body, path, v, denied)
		}
	})
}
