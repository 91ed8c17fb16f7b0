package etiquette_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestSeed000Guideline5HeavyJobsRunOffPeak(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) { // the bubble's clock begins at midnight UTC
		web.Host("shop.test").Robots("User-agent: *\nAllow: /\n").Page("/*", "x")
		web.Host("always.test").Page("/*", "x")
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) {
			p.OnSkip, p.Hours = told.onSkip, []etiquette.Hours{{DomainGlob: "shop.test", Between: "22:00-06:00"}}
		})
		c := guarded(t, g)
		for i := range 48 { // a page an hour, for two days
			_ = c.Visit(fmt.Sprintf("http://shop.test/%d", i))
			visit(t, c, fmt.Sprintf("http://always.test/%d", i))
			time.Sleep(time.Hour)
		}
		for _, h := range web.HitsOf("shop.test") {
			if hour := h.Time.UTC().Hour(); hour >= 6 && hour < 22 {
				t.Errorf("%s was asked for at %s, by day", h, h.Time.UTC().Format("15:04"))
			}
		}
		if shop, always := len(pagesOf(web, "shop.test")), len(pagesOf(web, "always.test")); shop != 16 || always != 48 {
			t.Errorf("%d pages by night of 16, and of the other host %d of 48", shop, always)
		}
		for _, s := range told.all() {
			if s.Reason != report.OutsideHours || s.Host != "shop.test" || s.RetryAt.UTC().Hour() != 22 {
				t.Errorf("a skip %+v, want outside_hours until 22:00", s)
			}
		}
		if n, err := g.Requeue(t.Context(), c, report.OutsideHours); n != 32 || err != nil || len(pagesOf(web, "shop.test")) != 48 {
			t.Errorf("Requeue = %d, %v, and %d pages in all, want the 32 that were refused by day", n, err, len(pagesOf(web, "shop.test")))
		}
	})
}

func TestSeed000Guideline5ALargeBackfillIsSpreadOverDays(t *testing.T) {
	for name, x := range map[string]struct {
		perDay etiquette.PerDay
		most   int // pages a day
	}{
		"requests": {etiquette.PerDay{Requests: 101}, 101},
		"bytes":    {etiquette.PerDay{Bytes: 100_000}, 101},
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Page("/*", strings.Repeat("x", 1000))
				g := newGuard(t, web, func(p *etiquette.Policy) { p.PerDay = []etiquette.PerDay{x.perDay} })
				c := guarded(t, g, colly.Async())
				for i := range 250 {
					visit(t, c, fmt.Sprintf("http://shop.test/%d", i))
				}
				c.Wait()
				for range 3 {
					if _, err := g.Requeue(t.Context(), c, report.Budget); err != nil {
						t.Errorf("Requeue = %v", err)
					}
					c.Wait()
				}
				days := make(map[string]int)
				for _, h := range web.HitsOf("shop.test") {
					days[h.Time.UTC().Format(time.DateOnly)]++
				}
				for day, n := range days {
					if n > x.most {
						t.Errorf("%s: %d requests, want at most %d", day, n, x.most)
					}
				}
				if got := len(pagesOf(web, "shop.test")); got != 250 || len(days) < 3 {
					t.Errorf("%d pages over %d days, want 250 over three at least", got, len(days))
				}
			})
		})
	}
}
