package throttle

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// spender is a process that asks a.test without a gap.
func spender(t *testing.T, dir string, b Budget) *Throttle {
	t.Helper()
	return restart(t, Options{StateDir: dir, Budgets: []Budget{b}, Rules: []LimitRule{{Delay: NoDelay, Parallelism: 4}}, MaxBlockWait: -1, Logger: quiet()})
}

func TestAScraperThatIsStartedAgainAndAgainKeepsTheBudgetOfTheDay(t *testing.T) {
	for _, closed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			sent := 0
			for range 10 {
				th := spender(t, dir, Budget{Requests: 7, Bytes: 1000})
				for range 2 {
					turn, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
					if err != nil {
						wantRefused(t, err, report.Budget)
						continue
					}
					sent++
					turn.Done(&http.Response{StatusCode: 200, ContentLength: 10}, nil)
				}
				if closed {
					if err := th.Close(); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Minute)
			}
			if sent != 7 {
				t.Errorf("closed %v: %d requests, want 7", closed, sent)
			}
			th := spender(t, dir, Budget{Requests: 7, Bytes: 1000})
			if s, ok := th.Snapshot("a.test"); !ok || s.Parked != report.Budget || s.RequestsToday != 7 || s.BytesToday != 70 {
				t.Errorf("closed %v: Snapshot of the next process = %+v, want 7 requests, 70 octets and no more today", closed, s)
			}
			if err := th.layer.Admit(chainAdmission(t, "http://a.test/")); err == nil {
				t.Errorf("closed %v: the next process admits a request before it has asked for anything, want it refused", closed)
			}
			time.Sleep(hours24)
			mustWait(t, th, "http://a.test/").Done(nil, nil)
		})
	}
}

func TestARequestThatACrashInterruptedIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		_ = mustWait(t, spender(t, dir, Budget{Requests: 1}), "http://a.test/") // never ended
		_, err := spender(t, dir, Budget{Requests: 1}).Wait(t.Context(), parse(t, "http://a.test/"))
		wantRefused(t, err, report.Budget)
	})
}

func TestOctetsAreSharedByTheProcessesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a, b := spender(t, dir, Budget{Bytes: 100}), spender(t, dir, Budget{Bytes: 100})
		for _, th := range []*Throttle{a, b} {
			mustWait(t, th, "http://a.test/").Done(&http.Response{StatusCode: 200, ContentLength: 50}, nil)
		}
		for _, th := range []*Throttle{a, b} {
			_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
			wantRefused(t, err, report.Budget)
		}
	})
}

// The last place is one process's, however closely the others come.
func TestProcessesThatAskAtOnceShareABudgetToTheLastRequest(t *testing.T) {
	const budget, processes, eachAsks = 50, 4, 40
	dir := t.TempDir()
	var sent counter
	var all sync.WaitGroup
	for range processes {
		th := spender(t, dir, Budget{Requests: budget})
		for range 4 {
			all.Go(func() {
				for range eachAsks / 4 {
					turn, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
					if err == nil {
						sent.add(1)
						turn.Done(nil, nil)
					} else if e, ok := err.(*Error); !ok || e.Reason != report.Budget {
						t.Errorf("Wait = %v, want a turn or the budget spent", err)
					}
				}
			})
		}
	}
	all.Wait()
	if got := sent.get(); got != budget {
		t.Errorf("%d requests of %d processes, want %d", got, processes, budget)
	}
}

func TestWhoLosesTheLastPlaceToAnotherProcessWaitsForTheNextDayIfThatIsNear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		o := Options{StateDir: dir, Budgets: []Budget{{Requests: 1}}, Logger: quiet()}
		a, b := restart(t, o), restart(t, o)
		start := time.Now()
		time.Sleep(hours24 - time.Minute)
		mustWait(t, a, "http://a.test/").Done(nil, nil)
		mustWait(t, b, "http://a.test/").Done(nil, nil)
		if got := time.Since(start); got != hours24 {
			t.Errorf("the second process asked after %s, want 24 h", got)
		}
		wantIdle(t, b)
	})
}

func TestAPlaceThatWasTakenAndGivenBackIsThereForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a, b := spender(t, dir, Budget{Requests: 2}), spender(t, dir, Budget{Requests: 2})
		mustWait(t, a, "http://a.test/").Cancel()
		for range 2 {
			mustWait(t, b, "http://a.test/").Done(nil, nil)
		}
		_, err := a.Wait(t.Context(), parse(t, "http://a.test/"))
		wantRefused(t, err, report.Budget)
	})
}

func TestCrawlsOfTwoProcessesOverOneDirectoryKeepOneBudget(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", strings.Repeat("x", 100))
		dir := t.TempDir()
		var told skips
		crawl := func(from int) *colly.Collector {
			c, _ := paced(t, web, Options{StateDir: dir, Budgets: []Budget{{Requests: 9}}, OnSkip: told.on}, colly.Async())
			for i := range 10 {
				_ = c.Visit(fmt.Sprintf("http://a.test/%d", from+i))
			}
			return c
		}
		one, two := crawl(0), crawl(10)
		one.Wait()
		two.Wait()
		if got := len(web.HitsOf("a.test")); got != 9 {
			t.Errorf("%d requests, want 9 of both together", got)
		}
		wantTold(t, &told, 11, report.Budget)
	})
}

func chainAdmission(t *testing.T, u string) chain.Admission {
	t.Helper()
	return chain.Admission{URL: parse(t, u), Dialled: parse(t, u), Method: http.MethodGet}
}
