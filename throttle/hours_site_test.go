package throttle

import (
	"fmt"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// daily are the hours of a site: from one time of each day, in UTC, to another.
type daily struct{ from, to time.Duration }

func (d daily) Next(t time.Time) (time.Time, bool) {
	for day := t.UTC().Truncate(hours24).Add(-hours24); ; day = day.Add(hours24) {
		to := day.Add(d.to)
		if d.to < d.from {
			to = to.Add(hours24)
		}
		if from := day.Add(d.from); t.Before(to) {
			if t.Before(from) {
				return from, true
			}
			return t, true
		}
	}
}

// neverOpen are hours that do not meet.
type neverOpen struct{}

func (neverOpen) Next(time.Time) (time.Time, bool) { return time.Time{}, false }

func visiting(hours chain.Hours) *rules {
	return &rules{hours: map[string]chain.Hours{"http://a.test": hours}}
}

func clock(h, m int) time.Duration { return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute }

func TestAHostIsNotVisitedOutsideTheHoursOfItsRobotsTxt(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		var told skips
		c, th := obeying(t, web, Options{OnSkip: told.on}, visiting(daily{clock(22, 0), clock(4, 0)}))
		start := time.Now()
		time.Sleep(5 * time.Hour)
		e := wantRefused(t, c.Visit("http://a.test/1"), report.OutsideHours) // the wire found out: robots.txt was fetched
		if want := start.Add(22 * time.Hour); !e.RetryAt.Equal(want) {
			t.Errorf("RetryAt %s, want %s", e.RetryAt, want)
		}
		visit(t, c, "http://a.test/2") // known by now: a skip
		wantTold(t, &told, 2, report.OutsideHours)
		if s, _ := th.Snapshot("a.test"); s.Parked != report.OutsideHours || !s.Until.Equal(start.Add(22*time.Hour)) {
			t.Errorf("Snapshot = %+v, want it shut until 22 h", s)
		}
		time.Sleep(time.Until(start.Add(22 * time.Hour)))
		visit(t, c, "http://a.test/3")
		wantAt(t, web, "a.test", start, seconds(5*3600, 22*3600)...)
		wantIdle(t, th)
	})
}

// A site's hours only tighten: of two that leave different times open, what both leave open counts.
func TestOurHoursAndTheSitesAreBothKept(t *testing.T) {
	for _, x := range []struct {
		name       string
		ours, site daily
		at, opens  time.Duration
	}{
		{"ours begin later", daily{clock(23, 0), clock(6, 0)}, daily{clock(22, 0), clock(4, 0)}, clock(23, 30), clock(23, 30)},
		{"the site's begin later", daily{clock(8, 0), clock(10, 0)}, daily{clock(9, 30), clock(20, 0)}, clock(8, 30), clock(9, 30)},
		{"both are shut", daily{clock(8, 0), clock(10, 0)}, daily{clock(9, 30), clock(20, 0)}, clock(15, 0), clock(33, 30)}, // not at 8 h, when only ours open
		{"ours are over", daily{clock(1, 0), clock(3, 0)}, daily{clock(2, 0), clock(5, 0)}, clock(4, 0), clock(26, 0)},
		{"they do not meet", daily{clock(1, 0), clock(3, 0)}, daily{clock(4, 0), clock(5, 0)}, clock(2, 0), clock(26, 0)}, // to be looked at again
	} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x")
			c, _ := obeying(t, web, Options{Hours: []Hours{{From: x.ours.from, To: x.ours.to}}, MaxBlockWait: -1}, visiting(x.site))
			start := time.Now()
			time.Sleep(x.ours.from) // robots.txt keeps to ours alone
			_ = c.Visit("http://a.test/learn")
			web.Reset()
			time.Sleep(x.at - x.ours.from)
			err := c.Clone().Visit("http://a.test/now") // a plain clone: the wire answers
			if x.opens == x.at {
				if err != nil {
					t.Errorf("%s: Visit = %v, want nil", x.name, err)
				}
				return
			}
			if e := wantRefused(t, err, report.OutsideHours); !e.RetryAt.Equal(start.Add(x.opens)) {
				t.Errorf("%s: RetryAt %s, want %s", x.name, e.RetryAt.Sub(start), x.opens)
			}
			for _, h := range web.HitsOf("a.test") {
				if h.URI != "/robots.txt" {
					t.Errorf("%s: %s was asked for", x.name, h)
				}
			}
		})
	}
}

func TestAHostIsVisitedWhenAllOfItsOriginsAreOpen(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		r := visiting(daily{clock(1, 0), clock(3, 0)})
		r.hours["http://a.test:8080"] = daily{clock(2, 0), clock(5, 0)}
		c, _ := obeying(t, web, Options{MaxBlockWait: -1}, r)
		start := time.Now()
		wantRefused(t, c.Visit("http://a.test/1"), report.OutsideHours)
		wantRefused(t, c.Clone().Visit("http://a.test:8080/1"), report.OutsideHours)
		time.Sleep(90 * time.Minute)
		visit(t, c, "http://a.test/2") // a skip: the other origin is shut
		time.Sleep(time.Hour)
		visit(t, c, "http://a.test/3", "http://a.test:8080/3")
		wantPages(t, web, start, seconds(9000, 9001)...)
	})
}

func TestHoursThatASiteNoLongerNamesAreForgotten(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		r := visiting(daily{clock(1, 0), clock(3, 0)})
		c, _ := obeying(t, web, Options{MaxBlockWait: -1}, r)
		start := time.Now()
		wantRefused(t, c.Visit("http://a.test/1"), report.OutsideHours)
		time.Sleep(time.Hour)
		visit(t, c, "http://a.test/2")
		r.mu.Lock()
		r.hours = nil
		r.mu.Unlock()
		visit(t, c, "http://a.test/3")
		time.Sleep(10 * time.Hour)
		visit(t, c, "http://a.test/4")
		wantPages(t, web, start, seconds(3600, 3601, 39601)...)
	})
}

func TestHoursThatNeverOpenAreLookedAtAgainADayLater(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, _ := obeying(t, web, Options{}, visiting(neverOpen{}))
		start := time.Now()
		if e := wantRefused(t, c.Visit("http://a.test/1"), report.OutsideHours); e.RetryAt.Sub(start) != hours24 {
			t.Errorf("RetryAt after %s, want 24 h", e.RetryAt.Sub(start))
		}
	})
}

// Rules that are fetched anew while a request waits may bring hours that are over.
func TestWhatASiteSaysInTheMiddleOfACrawlHoldsForThoseWhoWait(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		r := visiting(nil)
		r.maxAge = 25 * time.Second
		var told skips
		c, th := obeying(t, web, Options{Rules: []LimitRule{{Delay: 10 * time.Second}}, OnSkip: told.on}, r, colly.Async())
		start := time.Now()
		for i := range 5 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		time.Sleep(15 * time.Second)
		r.mu.Lock()
		r.hours = map[string]chain.Hours{"http://a.test": daily{clock(22, 0), clock(23, 0)}}
		r.mu.Unlock()
		c.Wait()
		wantPages(t, web, start, seconds(0, 10, 20)...) // then robots.txt was old, and what it says now is kept at once
		wantTold(t, &told, 2, report.OutsideHours)
		wantIdle(t, th)
	})
}

// wantPages is wantAt for all that is no robots.txt.
func wantPages(t *testing.T, web *testweb.Web, start time.Time, want ...time.Duration) {
	t.Helper()
	var got []time.Duration
	for _, h := range web.HitsOf("a.test") {
		if h.URI != "/robots.txt" {
			got = append(got, h.Time.Sub(start))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pages were asked for at %v, want %v", got, want)
	}
}
