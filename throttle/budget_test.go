package throttle

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// Bubbles begin at midnight UTC, and so with a day.

const hours24 = 24 * time.Hour

func TestNoMoreThanItsBudgetIsAskedOfAHostOnOneDayAndTheSkipSaysWhenTheNextBegins(t *testing.T) {
	for _, async := range []bool{false, true} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x")
			web.Host("b.test").Page("/*", "x")
			var told skips
			c, th := paced(t, web, Options{Budgets: []Budget{{DomainGlob: "a.test", Requests: 3}}, OnSkip: told.on}, colly.Async(async))
			start := time.Now()
			time.Sleep(10 * time.Hour)
			for _, u := range append(numbered("a.test", 5), numbered("b.test", 5)...) {
				_ = c.Visit(u)
			}
			c.Wait()
			if a, b := len(web.HitsOf("a.test")), len(web.HitsOf("b.test")); a != 3 || b != 5 {
				t.Errorf("async %v: %d and %d requests, want 3 and all 5 of the host without a budget", async, a, b)
			}
			wantTold(t, &told, 2, report.Budget)
			for _, s := range told.all {
				if want := start.Add(hours24); !s.RetryAt.Equal(want) || !strings.Contains(s.Detail, "3 requests a day") {
					t.Errorf("async %v: told %+v, want midnight and the limit", async, s)
				}
			}
			if s, _ := th.Snapshot("a.test"); s.Parked != report.Budget || !s.Until.Equal(start.Add(hours24)) || s.RequestsToday != 3 {
				t.Errorf("async %v: Snapshot = %+v, want 3 requests and parked (budget) until midnight", async, s)
			}
			time.Sleep(time.Until(start.Add(hours24)))
			visit(t, c, "http://a.test/next")
			if got := len(web.HitsOf("a.test")); got != 4 {
				t.Errorf("async %v: %d requests, want one more on the next day", async, got)
			}
			wantIdle(t, th)
		})
	}
}

func TestWhoNeedNotWaitLongForTheNextDayWaitsAndTheIntervalIsKeptOverMidnight(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{Budgets: []Budget{{Requests: 2}}, Rules: []LimitRule{{Delay: 10 * time.Second}}}, colly.Async())
		start := time.Now()
		time.Sleep(hours24 - 14*time.Second)
		visit(t, c, numbered("a.test", 4)...)
		day := hours24.Seconds()
		wantAt(t, web, "a.test", start, seconds(day-14, day-4, day+6, day+16)...)
		wantIdle(t, th)
	})
}

func TestWithPatienceForADayACrawlGoesOnDayAfterDayByItself(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{Budgets: []Budget{{Requests: 3}}, MaxBlockWait: hours24}, colly.Async())
		start := time.Now()
		visit(t, c, numbered("a.test", 8)...)
		day := hours24.Seconds()
		wantAt(t, web, "a.test", start, seconds(0, 1, 2, day, day+1, day+2, 2*day, 2*day+1)...)
		wantIdle(t, th)
	})
}

func TestABodyWithWhichTheBudgetRunsOutIsReadToItsEndAndNoOtherIsAskedFor(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", strings.Repeat("x", 1000))
		var told skips
		c, th := paced(t, web, Options{Budgets: []Budget{{Bytes: 2500}}, OnSkip: told.on}, colly.Async())
		var read counter
		c.OnResponse(func(r *colly.Response) { read.add(len(r.Body)) })
		visit(t, c, numbered("a.test", 5)...)
		if got := read.get(); got != 3000 {
			t.Errorf("%d octets were read, want 3000", got)
		}
		wantTold(t, &told, 2, report.Budget)
		if s, _ := th.Snapshot("a.test"); s.BytesToday != 3000 || s.RequestsToday != 3 {
			t.Errorf("Snapshot = %+v, want 3 requests and 3000 octets", s)
		}
	})
}

func TestWhatIsReadCountsAtOnceAlsoOfABodyWhoseTurnHasEnded(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", strings.Repeat("x", 1<<20))
		th, err := New(Options{Budgets: []Budget{{Bytes: 1000}}, Base: web.Transport(), MaxBlockWait: -1, Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: th.Transport(nil)}
		get := func() (*http.Response, error) { return client.Get("http://a.test/") }
		first, err := get()
		if err != nil {
			t.Fatal(err)
		}
		second, err := get() // it waits until nobody has read the first for idleBody; then the first's turn ends
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 1000)
		if _, err := first.Body.Read(buf); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, _ = first.Body.Read(buf)
		}
		_, err = get()
		wantRefused(t, err, report.Budget)
		_, _ = first.Body.Close(), second.Body.Close()
	})
}

func TestRobotsTxtAndRedirectsCountForABudgetAsAnyOther(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/from", testweb.Answer{Redirect: "/to"}).Page("/*", "x")
		c, th := obeying(t, web, Options{Budgets: []Budget{{Requests: 3}}}, &rules{maxAge: time.Hour})
		visit(t, c, "http://a.test/from")
		if got, want := fmt.Sprint(web.Log()), "[GET http://a.test/robots.txt GET http://a.test/from GET http://a.test/to]"; got != want {
			t.Errorf("hits %s, want %s", got, want)
		}
		time.Sleep(2 * time.Hour) // a plain clone has no admission: robots.txt, which is old by now, would be asked for
		wantRefused(t, c.Clone().Visit("http://a.test/2"), report.Budget)
		if got := len(web.Hits()); got != 3 {
			t.Errorf("%d requests, want no robots.txt beyond the budget", got)
		}
		wantIdle(t, th)
	})
}

func TestWhatIsNotSentAfterAllDoesNotCountForABudget(t *testing.T) {
	for _, o := range []Options{{}, {StateDir: t.TempDir()}} {
		o.Budgets, o.Rules = []Budget{{Requests: 2}}, []LimitRule{{Delay: NoDelay}}
		bubble(t, o, func(t *testing.T, th *Throttle) {
			for range 5 {
				mustWait(t, th, "http://a.test/").Cancel()
			}
			mustWait(t, th, "http://a.test/").Done(nil, nil)
			mustWait(t, th, "http://a.test/").Done(nil, nil)
			_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
			wantRefused(t, err, report.Budget)
		})
	}
}

func TestATurnOfOnesOwnCountsTheLengthThatTheAnswerSaysOnce(t *testing.T) {
	bubble(t, Options{Budgets: []Budget{{Bytes: 100}}}, func(t *testing.T, th *Throttle) {
		turn := mustWait(t, th, "http://a.test/")
		turn.Done(&http.Response{StatusCode: 200, ContentLength: 60}, nil)
		turn.Done(&http.Response{StatusCode: 200, ContentLength: 60}, nil)
		mustWait(t, th, "http://a.test/").Done(&http.Response{StatusCode: 200, ContentLength: 60}, nil)
		_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
		if e := wantRefused(t, err, report.Budget); !strings.Contains(e.Error(), "100 bytes a day") {
			t.Errorf("error %q, want the limit in it", e)
		}
	})
}

func TestACountIsNotForgottenToMakeRoomForOtherHostsUntilTheDayIsOver(t *testing.T) {
	bubble(t, Options{Budgets: []Budget{{DomainGlob: "a.test", Requests: 1}}}, func(t *testing.T, th *Throttle) {
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		time.Sleep(time.Hour)
		th.hosts.sweep(th.now())
		_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
		wantRefused(t, err, report.Budget)
		time.Sleep(hours24)
		th.hosts.sweep(th.now())
		if got := th.Stats().Hosts; got != 0 {
			t.Errorf("%d hosts are known on the next day, want none", got)
		}
	})
}

func TestAHostThatIsShutWhenItsBudgetIsRenewedIsToBeAskedWhenItOpens(t *testing.T) {
	o := Options{Budgets: []Budget{{Requests: 1}}, Hours: []Hours{{From: 8 * time.Hour, To: 12 * time.Hour}}}
	bubble(t, o, func(t *testing.T, th *Throttle) {
		start := time.Now()
		time.Sleep(9 * time.Hour)
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
		if e := wantRefused(t, err, report.Budget); !e.RetryAt.Equal(start.Add(32 * time.Hour)) {
			t.Errorf("RetryAt %s, want 8 h of the next day", e.RetryAt)
		}
	})
}

func TestAFrontierGoesOnWithTheNextDaysBudgetAndLosesNothing(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		var told skips
		c, th := paced(t, web, Options{Budgets: []Budget{{DomainGlob: "a.test", Requests: 4}}, OnSkip: told.on}, colly.Async())
		f, _ := frontierOf(t, th, nil, append(numbered("a.test", 10), numbered("b.test", 6)...)...)
		for day, want := range []int{4, 8, 10} {
			runAll(t, f, c, 2) // ends although a.test's are queued
			if got := len(web.HitsOf("a.test")); got != want {
				t.Errorf("day %d: a.test was asked %d times so far, want %d", day, got, want)
			}
			time.Sleep(hours24 - time.Duration(time.Now().UnixNano())%hours24)
		}
		if got := len(web.HitsOf("b.test")); got != 6 {
			t.Errorf("b.test was asked %d times, want 6", got)
		}
		if got := len(told.of(report.Budget)); got != 6+2 {
			t.Errorf("%d skips told, want the 6 that were left on the first day and the 2 of the second", got)
		}
	})
}
