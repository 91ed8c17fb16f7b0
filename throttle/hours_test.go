package throttle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// Bubbles begin on Saturday, 1 January 2000, 0 h UTC.
var (
	night  = Hours{From: 22 * time.Hour, To: 6 * time.Hour}
	midday = Hours{From: 12 * time.Hour, To: 13 * time.Hour}
)

func TestOutsideItsHoursAHostIsNotAskedAndTheSkipSaysWhenItOpens(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		var told skips
		hours := midday
		hours.DomainGlob = "a.test"
		c, th := paced(t, web, Options{Hours: []Hours{hours}, OnSkip: told.on})
		start := time.Now()
		visit(t, c, "http://a.test/1", "http://b.test/1") // known before: a skip, not an error
		wantTold(t, &told, 1, report.OutsideHours)
		if s := told.all[0]; !s.RetryAt.Equal(start.Add(12*time.Hour)) || s.URL != "http://a.test/1" {
			t.Errorf("told %+v, want a RetryAt at 12 h", s)
		}
		time.Sleep(12*time.Hour - time.Since(start))
		visit(t, c, "http://a.test/2")
		wantAt(t, web, "a.test", start, seconds(12*3600)...)
		wantAt(t, web, "b.test", start, seconds(0)...)
		wantIdle(t, th)
	})
}

func TestWhoNeedNotWaitLongForTheOpeningWaits(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{Hours: []Hours{midday}}, colly.Async())
		start := time.Now()
		time.Sleep(12*time.Hour - DefaultMaxBlockWait)
		visit(t, c, "http://a.test/1", "http://a.test/2")
		if s, _ := th.Snapshot("a.test"); s.Parked != "" {
			t.Errorf("Snapshot = %+v, want a host that is open", s)
		}
		wantAt(t, web, "a.test", start, seconds(12*3600, 12*3600+1)...)
		wantIdle(t, th)
	})
}

func TestNegativeMaxBlockWaitMeansThatNobodyWaitsForTheOpening(t *testing.T) {
	bubble(t, Options{Hours: []Hours{{From: time.Second, To: 24 * time.Hour}}, MaxBlockWait: -1}, func(t *testing.T, th *Throttle) {
		_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
		wantRefused(t, err, report.OutsideHours)
	})
}

func TestTheFirstHoursThatMatchCountAndAHostThatNoneMatchIsAlwaysOpen(t *testing.T) {
	hours := []Hours{{DomainGlob: "open.a.test", To: 24 * time.Hour}, {DomainGlob: "*.a.test", From: 12 * time.Hour, To: 13 * time.Hour},
		{DomainRegexp: `^c\.test:8080$`, From: 12 * time.Hour, To: 13 * time.Hour}}
	bubble(t, Options{Hours: hours}, func(t *testing.T, th *Throttle) {
		for _, u := range []string{"http://open.a.test/", "http://b.test/", "http://c.test/"} {
			mustWait(t, th, u).Done(nil, nil)
		}
		for _, u := range []string{"http://x.a.test/", "http://c.test:8080/", "http://c.test/"} { // c.test has ports that are open at different hours
			_, err := th.Wait(t.Context(), parse(t, u))
			wantRefused(t, err, report.OutsideHours)
		}
	})
}

func TestARequestThatIsUnderWayAtTheClosingIsNotTouchedAndTheLineBehindItIsRefused(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", testweb.Answer{Body: "whole", Delay: 20 * time.Second})
		var told skips
		c, th := paced(t, web, Options{Hours: []Hours{night}, OnSkip: told.on}, colly.Async())
		c.SetRequestTimeout(time.Minute)
		var bodies []string
		c.OnResponse(func(r *colly.Response) { bodies = append(bodies, string(r.Body)) })
		start := time.Now()
		time.Sleep(6*time.Hour - 10*time.Second)
		for i := range 5 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		c.Wait()
		wantAt(t, web, "a.test", start, seconds(6*3600-10)...)
		if len(bodies) != 1 || bodies[0] != "whole" {
			t.Errorf("bodies %q, want the whole one that was under way", bodies)
		}
		wantTold(t, &told, 4, report.OutsideHours)
		for _, s := range told.all {
			if want := start.Add(22 * time.Hour); !s.RetryAt.Equal(want) {
				t.Errorf("RetryAt %s, want %s", s.RetryAt, want)
			}
		}
		wantIdle(t, th)
	})
}

func TestAWaiterWhoseTurnComesAfterTheClosingWaitsForAnOpeningThatIsNear(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		pause := Hours{From: time.Minute + 3*time.Second, To: 3 * time.Second} // shut for a minute
		c, th := paced(t, web, Options{Hours: []Hours{pause}, Rules: []LimitRule{{Delay: 2 * time.Second}}}, colly.Async())
		start := time.Now()
		visit(t, c, numbered("a.test", 4)...)
		wantAt(t, web, "a.test", start, seconds(0, 2, 63, 65)...)
		wantIdle(t, th)
	})
}

func TestRobotsTxtKeepsToTheHours(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, _ := obeying(t, web, Options{Hours: []Hours{midday}}, &rules{})
		visit(t, c, "http://a.test/1")
		wantRefused(t, c.Clone().Visit("http://a.test/2"), report.OutsideHours) // a plain clone has no admission: from the wire
		if hits := web.Hits(); len(hits) != 0 {
			t.Errorf("hits %q, want none, no robots.txt either", web.Log())
		}
	})
}

func TestWhoWaitsForTheOpeningLeavesWithItsContext(t *testing.T) {
	bubble(t, Options{Hours: []Hours{{From: time.Minute, To: 24 * time.Hour}}}, func(t *testing.T, th *Throttle) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := th.Wait(ctx, parse(t, "http://a.test/")); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("Wait = %v after %s, want the context's error after a second", err, time.Since(start))
		}
	})
}

func TestTheSnapshotOfAHostThatIsShutSaysSo(t *testing.T) {
	bubble(t, Options{Hours: []Hours{midday}}, func(t *testing.T, th *Throttle) {
		start := time.Now()
		_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
		e := wantRefused(t, err, report.OutsideHours)
		for _, want := range []string{"Options.Hours", "12h0m0s", "5m0s", "2000-01-01T12:00:00Z"} {
			if !strings.Contains(e.Error(), want) {
				t.Errorf("Error() = %q, want %q in it", e, want)
			}
		}
		s, ok := th.Snapshot("a.test")
		if want := start.Add(12 * time.Hour); !ok || s.Parked != report.OutsideHours || !s.Until.Equal(want) || !s.NextStart.Equal(want) {
			t.Errorf("Snapshot = %+v, want it parked (outside_hours) until 12 h", s)
		}
		time.Sleep(12 * time.Hour)
		if s, _ := th.Snapshot("a.test"); s.Parked != "" || !s.Until.IsZero() {
			t.Errorf("Snapshot at 12 h = %+v, want it open", s)
		}
	})
}

func TestAFrontierSetsAHostThatIsShutAsideAndTakesItBackAtTheOpening(t *testing.T) {
	for _, known := range []bool{false, true} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x")
			web.Host("b.test").Page("/*", "x")
			hours := midday
			hours.DomainGlob = "a.test"
			var told skips
			c, th := paced(t, web, Options{Hours: []Hours{hours}, OnSkip: told.on}, colly.Async())
			if known {
				_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
				wantRefused(t, err, report.OutsideHours)
			}
			start := time.Now()
			f, q := frontierOf(t, th, nil, append(numbered("a.test", 3), numbered("b.test", 2)...)...)
			runAll(t, f, c, 2) // ends although a.test's are queued
			wantAt(t, web, "b.test", start, seconds(0, 1)...)
			wantTold(t, &told, 3, report.OutsideHours)
			wantSize(t, f, 0)

			// b.test goes on past the opening, and a.test comes back at it.
			time.Sleep(12*time.Hour - time.Second - time.Since(start))
			b := numbered("b.test", 6)
			addAll(t, q, b[2:]...)
			runAll(t, f, c, 2)
			wantAt(t, web, "a.test", start, seconds(12*3600, 12*3600+1, 12*3600+2)...)
			if got := len(web.HitsOf("b.test")); got != 6 {
				t.Errorf("known %v: b.test was hit %d times, want 6", known, got)
			}
		})
	}
}

func TestTheHoursGoByTheWallClockOfTheirZone(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2000, 3, 25, 12, 0, 0, 0, time.UTC)))
		th, err := New(Options{Hours: []Hours{{From: 6 * time.Hour, To: 7 * time.Hour, Location: zone}}, Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = th.Wait(t.Context(), parse(t, "http://a.test/"))
		want := time.Date(2000, 3, 26, 4, 0, 0, 0, time.UTC) // 6 h in summer time, which began that night
		if e := wantRefused(t, err, report.OutsideHours); !e.RetryAt.Equal(want) {
			t.Errorf("RetryAt %s, want %s", e.RetryAt, want)
		}
	})
}

func TestHoursThatMakeNoSenseAreAnErrorThatNamesFieldAndValue(t *testing.T) {
	for want, hours := range map[string]Hours{
		`Options.Hours[1].From 24h0m0s`:       {From: 24 * time.Hour, To: time.Hour},
		`Options.Hours[1].From -1s`:           {From: -time.Second, To: time.Hour},
		`Options.Hours[1].To 25h0m0s`:         {To: 25 * time.Hour},
		`Options.Hours[1].From and .To 0s`:    {},
		`Options.Hours[1].Days holds 7`:       {To: time.Hour, Days: []time.Weekday{7}},
		`Options.Hours[1].DomainGlob "a/b"`:   {To: time.Hour, DomainGlob: "a/b"},
		`Options.Hours[1].DomainRegexp "a(b"`: {To: time.Hour, DomainRegexp: "a(b"},
	} {
		if _, err := New(Options{Hours: []Hours{night, hours}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New = %v, want an error with %q", err, want)
		}
	}
}
