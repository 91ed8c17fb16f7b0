package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"
)

// written forms of a report, by name.
func forms(t *testing.T, r *Report) map[string]string {
	t.Helper()
	got := make(map[string]string)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return r.WriteText(b) },
		"html": func(b *bytes.Buffer) error { return r.WriteHTML(b) },
		"json": func(b *bytes.Buffer) error { return r.WriteJSON(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got[name] = b.String()
	}
	return got
}

// elements calls f for each element of a page.
func elements(t *testing.T, page string, f func(n *html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			f(n)
		}
	}
}

func TestEachFormSaysThatItSpeaksOfThisProcessOnly(t *testing.T) {
	for name, text := range forms(t, new(Report)) {
		if !strings.Contains(text, "speaks of one process only") {
			t.Errorf("%s of an empty report = %s\nwant it to say that it speaks of one process only", name, text)
		}
	}
}

func TestEachFormNamesWhatHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, text := range forms(t, aCrawl()) {
			for _, want := range []string{
				"broken.example", "350ms", "0.35", // the broken promise
				"disallow: /search", "290", "robots_disallowed",
				"they asked us to stop (OPS-7)", "Retry-After: 30", "access_denied",
				"robots.txt was answered with 404", "permitted by its owner",
				"120", "crawl delay", "crawl_delay",
			} {
				onlyJSON := want == "0.35" || want == "crawl_delay"
				onlyPeople := want == "350ms" || want == "crawl delay"
				if onlyJSON && name != "json" || onlyPeople && name == "json" || want == "Retry-After: 30" && name == "text" {
					continue
				}
				if !strings.Contains(text, want) {
					t.Errorf("%s does not have %q", name, want)
				}
			}
		}
	})
}

func TestThePageNeedsNothingFromOutsideAndRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := forms(t, aCrawl())["html"]
		drawings := 0
		elements(t, page, func(n *html.Node) {
			switch n.Data {
			case "script", "link", "img", "iframe", "object", "embed", "base", "form", "a":
				t.Errorf("the page has a <%s>", n.Data)
			case "svg":
				drawings++
			}
			for _, a := range n.Attr {
				if a.Key == "src" || a.Key == "href" || strings.HasPrefix(a.Key, "on") {
					t.Errorf("the page has <%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
		})
		if drawings != 8 {
			t.Errorf("%d drawings, want one for each of 8 hosts", drawings)
		}
		if strings.Contains(page, "url(") || strings.Contains(page, "@import") {
			t.Error("the style fetches something")
		}
		for _, want := range []string{`name="viewport"`, "prefers-color-scheme: dark", "@media print", "default-src 'none'"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page has no %s", want)
			}
		}
	})
}

func TestTextsFromStrangersStayTexts(t *testing.T) {
	const evil = "\"><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}\x1b]0;x\x07\u202e\u2028' onload='x"
	var r Report
	r.Sent(Request{Host: evil, Interval: time.Hour, Source: evil})
	r.Sent(Request{Host: evil, Interval: time.Hour, Source: evil}) // broken
	r.Record(Skip{Host: evil, URL: evil, Method: evil, Reason: evil, Rule: evil, Detail: evil, Line: 1})
	r.Hold(evil, Hold{Reason: evil, Detail: evil, Status: 403})
	r.Hold(evil, Hold{Reason: RateLimited, Until: time.Now().Add(time.Nanosecond), Detail: evil})
	r.AddSource(func(h *Host) {
		h.RobotsClass, h.WithoutRules, h.Signals, h.Notes = evil, evil, []string{evil}, []string{evil}
	})
	for name, text := range forms(t, &r) {
		if name != "json" && strings.ContainsFunc(text, func(c rune) bool { return c == 0x1b || c == 7 || c == 0x202e || c == 0x2028 }) {
			t.Errorf("%s has control characters of strangers", name)
		}
		if name == "html" {
			elements(t, text, func(n *html.Node) {
				if n.Data == "script" || n.Data == "img" {
					t.Errorf("the page has a <%s> of strangers", n.Data)
				}
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || strings.Contains(a.Val, "alert") {
						t.Errorf("the page has <%s %s=%q>", n.Data, a.Key, a.Val)
					}
				}
			})
			if !strings.Contains(text, "&lt;script&gt;alert(1)") {
				t.Error("the page does not show the text")
			}
		}
	}
}

func TestTenThousandHostsCanBeReadTheWorstFirst(t *testing.T) {
	var r Report
	for i := range 10_000 {
		host := fmt.Sprintf("h%d.test", i)
		for range i % 5 {
			r.Sent(Request{Host: host})
		}
		r.Record(Skip{Host: host, Reason: Budget})
	}
	r.Sent(Request{Host: "h9999.test", Interval: time.Hour})
	r.Hold("h5000.test", Hold{Reason: Stopped})
	got := forms(t, &r)
	for name, most := range map[string]int{"text": 10_000, "html": 500_000} {
		text := got[name]
		broken, stopped, quiet := strings.LastIndex(text, "h9999.test"), strings.Index(text, "h5000.test"), strings.Index(text, "h1004.test")
		if broken < 0 || stopped < broken || quiet < stopped {
			t.Errorf("%s: broken, stopped and quiet hosts at %d, %d, %d, want this order", name, broken, stopped, quiet)
		}
		if len(text) > most || !strings.Contains(text, " more") {
			t.Errorf("%s has %d bytes, want at most %d, and that it says how many more there are", name, len(text), most)
		}
	}
	if got := strings.Count(got["json"], `"host":`); got != 10_001 { // and once in the breach
		t.Errorf("JSON has %d hosts, want all 10,000 and one broken promise", got)
	}
}

// brokenPipe takes no more than a few bytes.
type brokenPipe struct{}

var errPipe = errors.New("broken pipe")

func (brokenPipe) Write(b []byte) (int, error) { return 0, errPipe }

func TestAWriterThatFailsIsTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := aCrawl()
		for name, err := range map[string]error{"WriteText": r.WriteText(brokenPipe{}), "WriteHTML": r.WriteHTML(brokenPipe{}), "WriteJSON": r.WriteJSON(brokenPipe{})} {
			if !errors.Is(err, errPipe) {
				t.Errorf("%s = %v, want the writer's error", name, err)
			}
		}
	})
}
