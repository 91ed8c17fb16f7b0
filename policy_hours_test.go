package etiquette_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestHoursAndBudgetsOfAPolicyFileAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "etiquette.yaml")
	text := "hours: [{domain_glob: night.test, between: 22:00-06:00, days: [saturday], zone: Europe/Berlin}]\n" +
		"per_day: [{domain_glob: small.test, requests: 3}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	inMemory(t, func(t *testing.T, web *testweb.Web) { // it begins on Saturday, 1 January 2000, midnight UTC
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) {
			file, err := etiquette.ReadPolicy(path)
			if err != nil {
				t.Fatal(err)
			}
			p.Hours, p.PerDay, p.OnSkip = file.Hours, file.PerDay, told.onSkip
		})
		for _, host := range []string{"night.test", "small.test"} {
			web.Host(host).Page("/*", "x")
		}
		c := guarded(t, g)
		start := time.Now()
		_ = c.Visit("http://night.test/early")
		for i := range 4 {
			_ = c.Visit(fmt.Sprintf("http://small.test/%d", i))
		}
		time.Sleep(21*time.Hour - time.Since(start))
		visit(t, c, "http://night.test/late")
		if got, want := fmt.Sprint(pagesOf(web, "night.test")), "[GET http://night.test/late]"; got != want {
			t.Errorf("night.test: %s, want %s", got, want)
		}
		if got := len(web.HitsOf("small.test")); got != 3 {
			t.Errorf("small.test: %d requests, want 3 with its robots.txt", got)
		}
		for i, want := range []struct {
			reason report.Reason
			after  time.Duration
		}{{report.OutsideHours, 21 * time.Hour}, {report.Budget, 24 * time.Hour}, {report.Budget, 24 * time.Hour}} {
			if all := told.all(); len(all) != 3 || all[i].Reason != want.reason || !all[i].RetryAt.Equal(start.Add(want.after)) {
				t.Fatalf("skips %+v, want 3, of which number %d is %s until %s", all, i, want.reason, want.after)
			}
		}
	})
}

func TestAScraperThatCronStartsKeepsTheBudgetOfTheDay(t *testing.T) {
	dir := t.TempDir()
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nAllow: /\n").Page("/*", "x")
		for run := range 5 {
			g := newGuard(t, web, func(p *etiquette.Policy) {
				p.StateDir, p.PerDay = dir, []etiquette.PerDay{{Requests: 5}}
			})
			c := guarded(t, g)
			for i := range 2 {
				_ = c.Visit(fmt.Sprintf("http://shop.test/%d/%d", run, i))
			}
			time.Sleep(time.Minute)
		}
		if got := len(web.HitsOf("shop.test")); got != 5 {
			t.Errorf("5 processes sent %d requests, want 5 of all together: %q", got, web.Log())
		}
	})
}

func TestTheVisitTimeOfARobotsTxtIsKeptBesideOurOwnHours(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nVisit-time: 2200-0400\nRequest-rate: 1/10\n").Page("/*", "x")
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) {
			p.OnSkip, p.Hours = told.onSkip, []etiquette.Hours{{Between: "23:00-12:00"}}
		})
		c := guarded(t, g)
		for i := range 48 {
			_ = c.Visit(fmt.Sprintf("http://shop.test/%d/a", i))
			_ = c.Visit(fmt.Sprintf("http://shop.test/%d/b", i))
			time.Sleep(time.Duration(i+1)*time.Hour - time.Duration(time.Now().UnixNano())%time.Hour - time.Duration(i)*time.Hour)
		}
		pages := 0
		for _, h := range web.HitsOf("shop.test") {
			hour := h.Time.UTC().Hour()
			if h.URI == "/robots.txt" {
				if hour >= 12 && hour < 23 {
					t.Errorf("robots.txt was asked for at %s, outside our hours", h.Time.UTC().Format("15:04"))
				}
				continue
			}
			if pages++; hour >= 4 && hour < 23 {
				t.Errorf("%s was asked for at %s", h, h.Time.UTC().Format("15:04"))
			}
		}
		if pages != 2*2*5 {
			t.Errorf("%d pages, want two an hour from 23 to 4, in two nights", pages)
		}
		wantGaps(t, web, "shop.test", 10*time.Second)
		for _, s := range told.all() {
			if s.Reason != report.OutsideHours || s.RetryAt.UTC().Hour() != 23 {
				t.Errorf("a skip %+v, want outside_hours until 23:00, when both are open", s)
			}
		}
	})
}

func TestHoursAndBudgetsThatMakeNoSenseAreNamedInAPolicysWords(t *testing.T) {
	for _, x := range []struct {
		change func(*etiquette.Policy)
		want   string
	}{
		{func(p *etiquette.Policy) {
			p.Hours = []etiquette.Hours{{Between: "22:00-06:00", Days: []time.Weekday{9}}}
		}, "Policy.Hours[0].Days: holds 9"},
		{func(p *etiquette.Policy) { p.Hours = []etiquette.Hours{{Between: "22-6", DomainGlob: "a/b"}} }, `Policy.Hours[0].DomainGlob: "a/b" holds a "/"`},
		{func(p *etiquette.Policy) { p.Share, p.PerDay = 3, []etiquette.PerDay{{Requests: 2}} }, "Policy.PerDay[0].Requests: 2 is too little"},
		{func(p *etiquette.Policy) { p.PerDay = []etiquette.PerDay{{Bytes: 1}, {}} }, "Policy.PerDay[1]: it limits nothing"},
	} {
		p := etiquette.Policy{UserAgent: agent}
		x.change(&p)
		if _, err := etiquette.New(p); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("New = %v, want an error with %q", err, x.want)
		}
	}
	p := etiquette.Policy{UserAgent: agent, Share: 3, StateDir: t.TempDir(), PerDay: []etiquette.PerDay{{Requests: 2}}}
	g, err := etiquette.New(p)
	if err != nil {
		t.Fatalf("New of processes that count together = %v, want nil", err)
	}
	if err := g.Close(); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
}
