package etiquette_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

// What a team does with what was refused: end to end, over hours that take no time.

func TestWhatABlockRefusedIsAskedAgainAfterIt(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("busy.test").Robots("User-agent: *\nAllow: /\n").Page("/*", "x").
			Answer("/first", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"1800"}}})
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
		c := guarded(t, g)
		var got []string
		c.OnResponse(func(r *colly.Response) { got = append(got, r.Request.URL.Path) })
		_ = c.Visit("http://busy.test/first")
		visit(t, c, "http://busy.test/a", "http://busy.test/b") // known to be refused: skips
		if diff := cmp.Diff([]report.Reason{report.RateLimited, report.RateLimited}, told.reasons()); diff != "" {
			t.Fatalf("skips (-want +got):\n%s", diff)
		}
		start := time.Now()
		n, err := g.Requeue(t.Context(), c)
		if n != 2 || err != nil {
			t.Errorf("Requeue = %d, %v, want both", n, err)
		}
		if took := time.Since(start); took < 30*time.Minute-time.Second || took > 40*time.Minute {
			t.Errorf("Requeue took %s, want to wait for the end of the block, 30m and at most a tenth more", took)
		}
		slices.Sort(got) // both were refused at the same instant of this clock
		if diff := cmp.Diff([]string{"/a", "/b"}, got); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		if n, err := g.Requeue(t.Context(), c); n != 0 || err != nil {
			t.Errorf("a second Requeue = %d, %v, want nothing left", n, err)
		}
	})
}

func TestARequeueEndsWithItsContextAndLosesNothing(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 500}, testweb.Answer{Body: "User-agent: *\nAllow: /\n"}).Page("/*", "x")
		g := newGuard(t, web)
		c := guarded(t, g)
		for i := range 3 {
			_ = c.Visit(fmt.Sprintf("http://down.test/%d", i))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if n, err := g.Requeue(ctx, c, report.RobotsUnreachable); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Requeue before robots.txt may be asked again = %d, %v, want none and the context's error", n, err)
		}
		if n, err := g.Requeue(t.Context(), c, report.RobotsUnreachable); n != 3 || err != nil {
			t.Errorf("Requeue = %d, %v, want all 3", n, err)
		}
		if got := len(web.HitsOf("down.test")); got != 5 {
			t.Errorf("the host saw %q, want robots.txt twice and 3 pages", web.LogOf("down.test"))
		}
	})
}

func TestAHostThatAsksForTooMuchIsParkedUntilAPersonSaysSo(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 3600\n").Page("/*", "x")
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
		c := guarded(t, g)
		for i := range 3 {
			_ = c.Visit(fmt.Sprintf("http://slow.test/%d", i))
		}
		if diff := cmp.Diff([]report.Reason{report.CrawlDelayTooLong, report.CrawlDelayTooLong, report.CrawlDelayTooLong}, told.reasons()); diff != "" {
			t.Fatalf("skips (-want +got):\n%s", diff)
		}
		if got := web.Log(); len(got) != 1 {
			t.Fatalf("the host saw %q, want robots.txt alone", got)
		}
		if err := g.Throttle.Unpark("slow.test", "an hour is fine with us"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Hour) // each kept request waits for its RetryAt
		defer cancel()
		if n, err := g.Requeue(ctx, c, report.CrawlDelayTooLong); n != 3 || err != nil {
			t.Fatalf("Requeue = %d, %v, want all 3", n, err)
		}
		hits := web.HitsOf("slow.test")
		pages := 0
		for i, h := range hits {
			if h.URI == "/robots.txt" {
				continue
			}
			pages++
			if h.Time.Before(began) || i > 0 && h.Time.Sub(hits[i-1].Time) < time.Hour {
				t.Errorf("%s came %s after the one before, want an hour", h, h.Time.Sub(hits[i-1].Time))
			}
		}
		if pages != 3 {
			t.Errorf("the host saw %q, want all 3 pages", web.LogOf("slow.test"))
		}
	})
}

func TestAStopOutranksARequeue(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		g := newGuard(t, web)
		c := guarded(t, g)
		id, err := g.KillSwitch.Stop(killswitch.Rule{Host: "shop.test", Reason: "asked to"})
		if err != nil {
			t.Fatal(err)
		}
		visit(t, c, "http://shop.test/a", "http://shop.test/b")
		if n, err := g.Requeue(t.Context(), c); n != 0 || err != nil {
			t.Errorf("Requeue without reasons = %d, %v: a stop has no end", n, err)
		}
		if n, err := g.Requeue(t.Context(), c, report.Stopped); n != 2 || err != nil || len(web.Hits()) != 0 {
			t.Errorf("Requeue while the stop lasts = %d, %v, %d requests, want both asked and none sent", n, err, len(web.Hits()))
		}
		if err := g.KillSwitch.Lift(id, "may go on"); err != nil {
			t.Fatal(err)
		}
		if n, err := g.Requeue(t.Context(), c, report.Stopped); n != 2 || err != nil || len(web.Hits()) != 3 {
			t.Errorf("Requeue after the lift = %d, %v, the server saw %q", n, err, web.Log())
		}
	})
}

func TestEverySkipIsToldOnceWhicheverPartRefused(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("closed.test").Robots("User-agent: *\nDisallow: /\n")
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 3600\n")
		web.Host("away.test").Answer("/", testweb.Answer{Redirect: "http://closed.test/x"})
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
		if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "gone.test", Reason: "asked to"}); err != nil {
			t.Fatal(err)
		}
		for _, async := range []bool{false, true} {
			c := guarded(t, g, func(c *colly.Collector) { c.AllowURLRevisit, c.Async = true, async })
			told.reset()
			for _, host := range []string{"closed.test", "down.test", "slow.test", "away.test", "gone.test"} {
				_ = c.Visit("http://" + host + "/")
				c.Wait()
			}
			want := []report.Reason{report.RobotsDisallowed, report.RobotsUnreachable, report.CrawlDelayTooLong, report.RobotsDisallowed, report.Stopped}
			if diff := cmp.Diff(want, told.reasons()); diff != "" {
				t.Errorf("async %v: skips (-want +got):\n%s", async, diff)
			}
		}
		if got := g.Report.Total(); got != 10 {
			t.Errorf("the report has %d skips, want 10", got)
		}
	})
}
