package etiquette_test

import (
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestMaxRequestsCountsWhatIsSentByAllCollectors(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Robots("User-agent: *\nDisallow: /no\n").Page("/*", "x")
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) { p.MaxRequests, p.OnSkip = 3, told.onSkip })
		one, two := guarded(t, g), guarded(t, g, colly.AllowURLRevisit())
		visit(t, one, "http://a.test/1", "http://a.test/no")
		visit(t, two, "http://a.test/2", "http://a.test/3")
		if got := len(web.Hits()); got != 3 {
			t.Errorf("%d requests were sent, want robots.txt and 2 pages: %q", got, web.Log())
		}
		if got := told.reasons(); len(got) != 2 || got[0] != report.RobotsDisallowed || got[1] != report.Budget {
			t.Errorf("skips %q, want one by robots.txt, which does not count, and one for the budget", got)
		}
	})
}

func TestProcessesThatShareAHostKeepTheIntervalTogether(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		g := newGuard(t, web, func(p *etiquette.Policy) { p.Share = 3 })
		c := guarded(t, g)
		visit(t, c, "http://a.test/1", "http://a.test/2")
		hits := web.HitsOf("a.test")
		last := hits[len(hits)-1].Time.Sub(hits[len(hits)-2].Time)
		if last < 3*time.Second {
			t.Errorf("two pages %v apart, want at least 3 times the second that one process keeps", last)
		}
	})
}
