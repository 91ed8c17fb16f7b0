package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

const robots = `User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: /open/ train-ai=y
Disallow: /cart
Allow: /cart/about
Disallow: /*?item=
Crawl-delay: 5
Request-rate: 1/10 0800-1759
Visit-time: 2200-0600
License: https://shop.test/terms.xml

User-agent: FooBot
Disallow: /private
Sitemap: https://shop.test/sitemap.xml
Crawl-delay: soon
`

// explain runs the program and returns what it prints, blanks folded.
func explain(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), &out, args); err != nil {
		t.Fatalf("explain %q: %v", args, err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func robotsFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAFileIsExplainedWithoutSendingAnything(t *testing.T) {
	file := robotsFile(t, robots)
	got := explain(t, "https://shop.test/cart/about?item=1", "-token", "BarBot/1.0 (+https://bar.test)", "-file", file)
	for _, want := range []string{
		"class rules: its rules hold", "token barbot", "group *, line 1", "rules * line 5 allow: /cart/about", "line 6 disallow: /*?item=", "line 4 disallow: /cart",
		"decision allowed: it is the longest that matches: 11 octets against 8", "crawl delay 5s", "rates 10s between two requests, 08:00-18:00 UTC",
		"visit time 22:00-06:00", "search allow line 2 of robots.txt", "ai-train deny line 2 of robots.txt", "ai-input unknown", "licences https://shop.test/terms.xml",
		"sitemaps https://shop.test/sitemap.xml", "Colly alone an error of each Visit", "grobotstxt allowed", // line 15 makes the file unusable for Colly
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	got = explain(t, "-file", file, "-token", "FooBot", "https://shop.test/private/x")
	for _, want := range []string{"group named, line 12", "* line 13 disallow: /private", "decision disallowed: it is the only rule that matches", "crawl delay none", "visit time always", "ai-train unknown"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := explain(t, "-file", file, "https://shop.test/x", "-token", "FooBot"); !strings.Contains(got, "problems line 15 of robots.txt: crawl-delay: soon") {
		t.Errorf("no problem in\n%s", got)
	}
}

// Where Colly and grobotstxt see it otherwise, that stands beside it.
func TestWhatTheOthersSay(t *testing.T) {
	file := robotsFile(t, "User-agent: FooBot\nDisallow: /private\nDisallow: /q?b=1\n")
	for _, tt := range []struct{ url, token, decision, colly, grobotstxt string }{
		{"https://shop.test/private", "Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.test)", "disallowed", "allowed", "disallowed"},
		{"https://shop.test/private", "FooBotNews", "allowed", "disallowed", "allowed"},
		{"https://shop.test/q?b=1&a=2", "FooBot", "disallowed", "allowed", "disallowed"},
	} {
		got := explain(t, tt.url, "-token", tt.token, "-file", file)
		for _, want := range []string{"decision " + tt.decision, "Colly alone " + tt.colly, "grobotstxt " + tt.grobotstxt} {
			if !strings.Contains(got, want) {
				t.Errorf("%s for %s: no %q in\n%s", tt.url, tt.token, want, got)
			}
		}
	}
}

func TestASiteIsAskedOnceUnderThisProgramsName(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Robots(robots).Answer("/open/a", testweb.Answer{
		Header: http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"barbot: noarchive"}}, Body: `<meta name="robots" content="noimageai">`,
	})
	web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})

	got := explain(t, "http://shop.test/open/a", "-token", "BarBot", "-page")
	for _, want := range []string{"robots.txt http://shop.test/robots.txt", "archive deny header, x-robots-tag for barbot: noarchive", "images deny html, meta: noimageai", "ai-train deny line 2",
		"decision allowed: no rule matches"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got, want := web.Log(), []string{"GET http://shop.test/robots.txt", "GET http://shop.test/open/a"}; !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	for _, h := range web.Hits() {
		if got := h.Header.Get("User-Agent"); got != agent {
			t.Errorf("%s was sent as %q, want %q", h, got, agent)
		}
	}
	got = explain(t, "http://down.test/")
	for _, want := range []string{"class unreachable", "503", "decision disallowed", "Colly alone allowed", "grobotstxt it is not asked"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	got = explain(t, "http://gone.test/a")
	for _, want := range []string{"class unavailable", "404", "decision allowed", "group none"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := explain(t, "http://shop.test/cart", "-page"); !strings.Contains(got, "the page was not fetched") || web.Count("GET http://shop.test/cart") != 0 {
		t.Errorf("a page that may not be fetched:\n%s", got)
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, []string{"-json", "https://shop.test/cart/about", "-file", robotsFile(t, robots)}); err != nil {
		t.Fatal(err)
	}
	var got answer
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	if !got.Allowed || got.Rules.Match.Line != 5 || got.Signals["ai-train"].Verdict.String() != "deny" || got.CrawlDelay != "5s" || len(got.Sitemaps) != 1 {
		t.Errorf("read back %+v of %s", got, out.Bytes())
	}
	for _, list := range []string{"RequestRates", "Licenses", "Problems", "Sitemaps", "Sources"} {
		if strings.Contains(out.String(), `"`+list+`": null`) {
			t.Errorf("%s is null in %s", list, out.Bytes())
		}
	}
}

func TestWhatIsNoQuestion(t *testing.T) {
	for _, args := range [][]string{nil, {"-json"}, {"a", "b"}, {"-x", "https://shop.test/"}, {"shop.test"}, {"ftp://shop.test/"}, {"https://"}, {"https://shop.test/", "-file", filepath.Join(t.TempDir(), "none")}} {
		if err := run(t.Context(), &bytes.Buffer{}, args); err == nil {
			t.Errorf("explain %q is no error", args)
		}
	}
}
