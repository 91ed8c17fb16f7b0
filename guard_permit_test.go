package etiquette_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

func TestAPermitOverrulesRobotsAndNoOtherRule(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /\nCrawl-delay: 4\n").Page("/*", "x").Answer("/go", testweb.Answer{Redirect: "/export/c"})
		web.Host("slow.test").Robots("User-agent: *\nDisallow: /\nCrawl-delay: 3600\n").Page("/*", "x")
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) {
			p.OnSkip = told.onSkip
			p.Permit = []collyrobots.Permit{{Host: "shop.test", Path: "/export/", Reason: "by mail"}, {Host: "shop.test", Path: "/go", Reason: "by mail"},
				{Host: "slow.test", Reason: "by mail"}}
		})
		c := guarded(t, g)
		visit(t, c, "http://shop.test/export/a", "http://shop.test/export/b", "http://shop.test/go", "http://shop.test/other")
		var tooLong *collyrobots.RefusedError
		if err := c.Visit("http://slow.test/a"); err == nil || errors.As(err, &tooLong) {
			t.Errorf("Visit of a host that asks for an hour = %v, want the throttle's refusal", err)
		}
		if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "shop.test", Reason: "asked to"}); err != nil {
			t.Fatal(err)
		}
		visit(t, c, "http://shop.test/export/d")

		want := []string{"GET http://shop.test/robots.txt", "GET http://shop.test/export/a", "GET http://shop.test/export/b", "GET http://shop.test/go",
			"GET http://shop.test/export/c"}
		if diff := cmp.Diff(want, web.LogOf("shop.test")); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		for i, gap := range testweb.Gaps(web.HitsOf("shop.test")) {
			if gap < 4*time.Second {
				t.Errorf("gap %d is %s, want the crawl delay of 4s", i, gap)
			}
		}
		for _, h := range web.Hits() {
			if h.Header.Get("User-Agent") != agent {
				t.Errorf("%s went out as %q", h, h.Header.Get("User-Agent"))
			}
		}
		if diff := cmp.Diff([]report.Reason{report.RobotsDisallowed, report.CrawlDelayTooLong, report.Stopped}, told.reasons()); diff != "" {
			t.Errorf("skips (-want +got):\n%s", diff)
		}
	})
}
