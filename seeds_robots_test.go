package etiquette_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// The four points that seed 001 asks of any program that obeys robots.txt, and its fifth, each kept by the one line.

func TestSeed001Point1RulesAreReadAgainWithin24HoursAndNotOnceAtTheStart(t *testing.T) {
	setUp := func(web *testweb.Web) { web.Host("news.test").Robots("User-agent: *\nAllow: /\n").Page("/*", "x") }
	politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
		c := colly.NewCollector()
		line.attach(c)
		start := time.Now()
		const changed = 30 * time.Hour
		for hour := range 3 * 24 {
			if hour == int(changed/time.Hour) {
				web.Host("news.test").Robots("User-agent: *\nDisallow: /archive\n")
			}
			visit(t, c, fmt.Sprintf("http://news.test/news/%d", hour))
			_ = c.Visit(fmt.Sprintf("http://news.test/archive/%d", hour)) // an error where it is found out on the wire
			time.Sleep(time.Duration(hour+1)*time.Hour - time.Since(start))
		}

		var read, readAfter, lastArchive time.Duration
		fetches, pages := 0, 0
		for _, h := range web.Hits() {
			at := h.Time.Sub(start)
			switch {
			case h.URI == "/robots.txt":
				read = at
				fetches++
				if at > changed && readAfter == 0 {
					readAfter = at
				}
				continue
			case strings.HasPrefix(h.URI, "/archive"):
				lastArchive = at
			}
			pages++
			if at-read > 24*time.Hour {
				t.Errorf("%s was asked for %s after robots.txt was read", h, at-read)
			}
		}
		if fetches < 3 || fetches > 5 || pages < 3*24 {
			t.Errorf("%d requests for robots.txt beside %d pages in 72 hours, want one a day", fetches, pages)
		}
		if readAfter == 0 || readAfter > changed+24*time.Hour || lastArchive < changed || lastArchive > readAfter {
			t.Errorf("the rules changed after %s and were read after %s; the last page that they disallow was asked for after %s", changed, readAfter, lastArchive)
		}
	})
}

func TestSeed001Point2AServerErrorDisallowsEverythingAndA404Nothing(t *testing.T) {
	crawl := func(c *colly.Collector, host string) {
		for i := range 5 {
			_ = c.Visit(fmt.Sprintf("http://%s/%d", host, i))
		}
	}
	for _, status := range []int{500, 502, 503, 504, 599, 429} {
		setUp := func(web *testweb.Web) {
			web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: status}).Page("/*", "x")
		}
		politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
			c := colly.NewCollector()
			line.attach(c)
			crawl(c, "down.test")
			if got := pagesOf(web, "down.test"); len(got) != 0 {
				t.Errorf("robots.txt answered %d and these pages were asked for: %q", status, got)
			}
			if got := web.Count("GET http://down.test/robots.txt"); got != 1 {
				t.Errorf("robots.txt answered %d and was asked for %d times within a moment, want once", status, got)
			}
			web.Host("down.test").Robots("User-agent: *\nAllow: /\n")
			if n, err := line.guard.Requeue(t.Context(), c); n != 5 || err != nil {
				t.Errorf("Requeue = %d, %v, want all five pages", n, err)
			}
			if got := pagesOf(web, "down.test"); len(got) != 5 {
				t.Errorf("once robots.txt can be read %d pages are fetched, want 5", len(got))
			}
		})
	}

	t.Run("neither does a copy that ran out help", func(t *testing.T) {
		setUp := func(web *testweb.Web) { web.Host("down.test").Robots("User-agent: *\nAllow: /\n").Page("/*", "x") }
		politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
			c := colly.NewCollector(colly.AllowURLRevisit())
			line.attach(c)
			crawl(c, "down.test")
			web.Host("down.test").Answer("/robots.txt", testweb.Answer{Reset: true})
			time.Sleep(25 * time.Hour)
			crawl(c, "down.test")
			if got := len(pagesOf(web, "down.test")); got != 5 {
				t.Errorf("%d pages were asked for, want the five before the host went down", got)
			}
			if got := web.Count("GET http://down.test/robots.txt") - 1; got == 0 || got > 3 { // net/http's own second try, and ours
				t.Errorf("%d requests for robots.txt to the host that is down for five pages, want one to three", got)
			}
		})
	})

	for _, status := range []int{404, 410, 400, 403} {
		setUp := func(web *testweb.Web) {
			web.Host("free.test").Answer("/robots.txt", testweb.Answer{Status: status}).Page("/*", "x")
		}
		politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
			c := colly.NewCollector()
			line.attach(c)
			crawl(c, "free.test")
			if got := len(pagesOf(web, "free.test")); got != 5 {
				t.Errorf("robots.txt answered %d and %d of 5 pages were fetched, want all", status, got)
			}
			wantEveryRuleKept(t, web.Hits(), nil)
		})
	}
}

// pagesOf are the requests to a host that were none for robots.txt.
func pagesOf(web *testweb.Web, host string) []testweb.Hit {
	var out []testweb.Hit
	for _, h := range web.HitsOf(host) {
		if h.URI != "/robots.txt" {
			out = append(out, h)
		}
	}
	return out
}

func TestSeed001Point3TheTokenThatIsJudgedIsTheOneThatIsSent(t *testing.T) {
	for _, userAgent := range []string{
		"DeclaredBot/1.0 (+https://bot.somewhere.org/about)",
		"Mozilla/5.0 (compatible; DeclaredBot/1.0; +https://bot.somewhere.org/about)",
	} {
		plainly(t, func(web *testweb.Web) {
			web.Host("shop.test").Page("/*", "x").Robots("User-agent: *\nDisallow: /\n\n" +
				"User-agent: Declared\nDisallow: /\n\nUser-agent: DeclaredBotNews\nDisallow: /\n\n" +
				"User-agent: DECLAREDBOT\nDisallow: /ours\n\nUser-agent: OtherBot\nDisallow: /\n\nuser-agent: declaredbot\nDisallow: /also-ours\n")
		}, func(t *testing.T, web *testweb.Web) {
			c := colly.NewCollector(colly.UserAgent("OtherBot/1.0"))
			g, err := etiquette.Attach(c, userAgent)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			c.UserAgent = "OtherBot/2.0"
			c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", "OtherBot/3.0") })
			for _, path := range []string{"/open", "/ours", "/also-ours", "/open/2"} {
				_ = c.Visit("http://shop.test" + path)
			}
			want := []string{"GET http://shop.test/robots.txt", "GET http://shop.test/open", "GET http://shop.test/open/2"}
			if diff := cmp.Diff(want, web.Log()); diff != "" {
				t.Errorf("%s: requests (-want +got):\n%s", userAgent, diff)
			}
			for _, h := range web.Hits() {
				if got := h.Header.Get("User-Agent"); got != userAgent || !strings.Contains(got, g.Identity.ProductToken()) {
					t.Errorf("%s went out as %q, judged as %s", h, got, g.Identity.ProductToken())
				}
			}
		})
	}
	_, err := etiquette.New(etiquette.Policy{UserAgent: agent, Identity: identity.Options{Product: "OtherBot"}})
	if err == nil || !strings.Contains(err.Error(), "OtherBot") {
		t.Errorf("New with a token that the User-Agent does not hold = %v, want an error that names it", err)
	}
}

func TestSeed001Point4FiveRedirectsAreFollowedAndTheRulesCountForTheFirstHost(t *testing.T) {
	for _, x := range []struct {
		hops    int
		private int // of its pages that are disallowed, how many are fetched
	}{{1, 0}, {5, 0}, {6, 1}} {
		setUp := func(web *testweb.Web) {
			web.Host("first.test").Page("/*", "x").Answer("/robots.txt", testweb.Answer{Redirect: "http://hop1.test/rules"})
			for i := 1; i < x.hops; i++ {
				web.Host(fmt.Sprintf("hop%d.test", i)).Answer("/rules", testweb.Answer{Redirect: fmt.Sprintf("http://hop%d.test/rules", i+1)})
			}
			last := web.Host(fmt.Sprintf("hop%d.test", x.hops))
			last.Page("/*", "x").Answer("/robots.txt", testweb.Answer{Status: 404})
			last.Answer("/rules", testweb.Answer{Body: "User-agent: *\nDisallow: /private\n"})
		}
		politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
			c := colly.NewCollector()
			line.attach(c)
			for _, path := range []string{"/private", "/open"} {
				_ = c.Visit("http://first.test" + path)
			}
			if got := web.Count("GET http://first.test/private"); got != x.private {
				t.Errorf("%d hops: /private was asked for %d times, want %d", x.hops, got, x.private)
			}
			if web.Count("GET http://first.test/open") != 1 {
				t.Errorf("%d hops: /open was not fetched: %q", x.hops, web.Log())
			}
			lastHost := fmt.Sprintf("hop%d.test", x.hops)
			visit(t, c, "http://"+lastHost+"/private") // its own robots.txt says nothing
			if web.Count("GET http://"+lastHost+"/private") != 1 {
				t.Errorf("%d hops: the rules that it holds for another host were taken for its own", x.hops)
			}
		})
	}
}

func TestSeed001Point5WhatWasSkippedIsWrittenDown(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		links := []string{"/go"}
		for i := range 10 {
			links = append(links, fmt.Sprintf("/news/%d", i), fmt.Sprintf("/archive/%d", i))
		}
		web.Host("news.test").Robots("User-agent: *\n# nobody remembers why\nDisallow: /archive\n").Page("/*", "x").Page("/", testweb.Links(links...)).
			Answer("/go", testweb.Answer{Redirect: "/archive/by-redirect"})
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 500})
		var told told
		var log records
		g := newGuard(t, web, func(p *etiquette.Policy) { p.OnSkip, p.Logger = told.onSkip, log.logger() })
		c := guarded(t, g)
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
		visit(t, c, "http://news.test/")
		if err := c.Visit("http://down.test/"); err == nil {
			t.Error("Visit of a host that is down = nil")
		}

		want := map[string]report.Reason{"http://down.test/": report.RobotsUnreachable, "http://news.test/archive/by-redirect": report.RobotsDisallowed}
		for i := range 10 {
			want[fmt.Sprintf("http://news.test/archive/%d", i)] = report.RobotsDisallowed
		}
		for where, skips := range map[string][]report.Skip{"OnSkip": told.all(), "the report": g.Report.Skips(), "the log": log.skips()} {
			got := make(map[string]report.Reason)
			for _, s := range skips {
				if got[s.URL] != "" {
					t.Errorf("%s: %s came twice", where, s.URL)
				}
				got[s.URL] = s.Reason
				if s.Reason == report.RobotsDisallowed && (s.Rule != "disallow: /archive" || s.Line != 3) {
					t.Errorf("%s: %s by the rule %q of line %d, want the one of line 3", where, s.URL, s.Rule, s.Line)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", where, diff)
			}
		}
		if got := g.Report.Counts()[report.Count{Reason: report.RobotsDisallowed, Rule: "disallow: /archive"}]; got != 11 {
			t.Errorf("the report counts %d for the rule, want 11", got)
		}
		if web.Count("GET http://news.test/go") != 1 || len(pagesOf(web, "news.test")) != 12 {
			t.Errorf("requests: %q", web.Log())
		}
		// The page that it came from by a redirect is named too.
		for _, s := range told.all() {
			if strings.HasSuffix(s.URL, "by-redirect") && s.Referrer != "http://news.test/go" {
				t.Errorf("%s: the referrer is %q", s.URL, s.Referrer)
			}
		}
		var text strings.Builder
		if err := g.Report.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"news.test", "disallow: /archive", "robots_disallowed", "robots_unreachable"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("WriteText has no %q:\n%s", want, text.String())
			}
		}
	})
}
