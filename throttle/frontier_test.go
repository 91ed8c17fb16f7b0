package throttle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// frontierOf is a frontier and a queue in front of it that has the given URLs.
func frontierOf(t *testing.T, th *Throttle, backing queue.Storage, urls ...string) (*Frontier, *queue.Queue) {
	t.Helper()
	f := NewFrontier(th, backing)
	q, err := queue.New(1, f)
	if err != nil {
		t.Fatalf("queue.New = %v, want nil", err)
	}
	addAll(t, q, urls...)
	return f, q
}

func addAll(t *testing.T, q *queue.Queue, urls ...string) {
	t.Helper()
	for _, u := range urls {
		if err := q.AddURL(u); err != nil {
			t.Errorf("AddURL(%s) = %v, want nil", u, err)
		}
	}
}

func runAll(t *testing.T, f *Frontier, c *colly.Collector, threads int) {
	t.Helper()
	if err := f.Run(t.Context(), c, threads); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}

func wantSize(t *testing.T, s queue.Storage, want int) {
	t.Helper()
	if got, err := s.QueueSize(); got != want || err != nil {
		t.Errorf("QueueSize() = %d, %v, want %d, nil", got, err, want)
	}
}

func numbered(host string, n int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("http://%s/%d", host, i))
	}
	return urls
}

// skips collects what OnSkip is told.
type skips struct {
	mu  sync.Mutex
	all []report.Skip
}

func (s *skips) on(_ *colly.Request, skip report.Skip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, skip)
}

func (s *skips) of(reason report.Reason) (urls []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, skip := range s.all {
		if skip.Reason == reason {
			urls = append(urls, skip.URL)
		}
	}
	return urls
}

func TestOneThreadServesEachHostInItsOwnTime(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		for _, h := range []string{"a.test", "b.test", "c.test"} {
			web.Host(h).Page("/*", "x")
		}
		c, th := paced(t, web, Options{Rules: []LimitRule{{DomainGlob: "a.test", Delay: 10 * time.Second}, {Delay: 2 * time.Second}}})
		f, _ := frontierOf(t, th, nil, slices.Concat(numbered("a.test", 3), numbered("b.test", 3), numbered("c.test", 2))...)
		start := time.Now()
		runAll(t, f, c, 1)
		wantAt(t, web, "a.test", start, seconds(0, 10, 20)...)
		wantAt(t, web, "b.test", start, seconds(0, 2, 4)...)
		wantAt(t, web, "c.test", start, seconds(0, 2)...)
		wantSize(t, f, 0)
		wantIdle(t, th)
	})
}

func TestTheURLsOfAHostAreAskedInTheirOrder(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		urls := numbered("a.test", 5)
		f, _ := frontierOf(t, th, nil, urls...)
		runAll(t, f, c, 4)
		var want []string
		for _, u := range urls {
			want = append(want, "GET "+u)
		}
		if d := cmp.Diff(web.Log(), want); d != "" {
			t.Errorf("the log (-got +want):\n%s", d)
		}
	})
}

func TestAmongReadyHostsTheLeastRecentlyServedComesFirst(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		_, th := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay}}})
		f, _ := frontierOf(t, th, nil, slices.Concat(numbered("a.test", 2), numbered("b.test", 2), numbered("c.test", 2))...)
		var got []string
		for range 6 {
			it, err := f.GetRequest()
			if err != nil {
				t.Fatalf("GetRequest = %v, want nil", err)
			}
			h, _ := item(it).head()
			got = append(got, h.host)
		}
		for i, host := range got[:3] {
			if got[i+3] != host {
				t.Errorf("hosts were served in the order %v, want the same order again in each round", got)
				break
			}
		}
		if slices.Sort(got[:3]); !slices.Equal(got[:3], []string{"a.test", "b.test", "c.test"}) {
			t.Errorf("the first round served %v, want each host once", got[:3])
		}
	})
}

func TestAQueueRunsOnAFrontierUnchanged(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Page("/0", testweb.Links("/new"))
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{Rules: []LimitRule{{DomainGlob: "a.test", Delay: 10 * time.Second}, {Delay: 2 * time.Second}}})
		q, err := queue.New(2, NewFrontier(th, nil))
		if err != nil {
			t.Fatal(err)
		}
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { addAll(t, q, e.Request.AbsoluteURL(e.Attr("href"))) })
		addAll(t, q, slices.Concat(numbered("a.test", 3), numbered("b.test", 3))...)
		start := time.Now()
		if err := q.Run(c); err != nil {
			t.Errorf("q.Run = %v, want nil", err)
		}
		wantAt(t, web, "a.test", start, seconds(0, 10, 20, 30)...)
		wantAt(t, web, "b.test", start, seconds(0, 2, 4)...)
		wantIdle(t, th)
	})
}

func TestAHandlersAddRequestInsideAQueueRunComesBack(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "some text")
		c, th := paced(t, web, Options{})
		q, err := queue.New(1, NewFrontier(th, nil))
		if err != nil {
			t.Fatal(err)
		}
		c.OnResponseHeaders(func(r *colly.Response) { // its body is not read until AddRequest returns, which waits for the next hand-out
			if r.Request.URL.Path == "/0" {
				next, _ := r.Request.New("GET", "http://a.test/2", nil)
				if err := q.AddRequest(next); err != nil {
					t.Errorf("AddRequest = %v, want nil", err)
				}
			}
		})
		addAll(t, q, numbered("a.test", 2)...)
		if err := q.Run(c); err != nil {
			t.Errorf("q.Run = %v, want nil", err)
		}
		if got, want := len(web.Log()), 3; got != want {
			t.Errorf("%d requests, want %d: %v", got, want, web.Log())
		}
	})
}

func TestAHandOutYieldsAfterAMomentIfItGivesNoSign(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		_, th := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay}}})
		f, _ := frontierOf(t, th, nil, numbered("a.test", 3)...)
		start := time.Now()
		for i := range 3 {
			if _, err := f.GetRequest(); err != nil {
				t.Fatalf("GetRequest = %v, want nil", err)
			}
			if got, want := time.Since(start), time.Duration(i)*handOutFor; got != want {
				t.Errorf("hand-out %d came after %v, want %v", i, got, want)
			}
		}
	})
}

func TestAHandOutYieldsWhenTheWireSawTheHost(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		_, th := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay, Parallelism: 2}}})
		f, _ := frontierOf(t, th, nil, numbered("a.test", 2)...)
		start := time.Now()
		it, _ := f.GetRequest()
		h, _ := item(it).head()
		time.AfterFunc(time.Millisecond, func() {
			turn, err := th.Wait(t.Context(), h.url)
			if err != nil {
				t.Errorf("Wait = %v, want nil", err)
				return
			}
			time.AfterFunc(time.Second, turn.Cancel)
		})
		if _, err := f.GetRequest(); err != nil {
			t.Errorf("GetRequest = %v, want nil", err)
		}
		if got, want := time.Since(start), time.Millisecond; got != want {
			t.Errorf("the second of two places was handed out after %v, want %v", got, want)
		}
		time.Sleep(2 * time.Second)
	})
}

func TestVisitedURLsHoldNobodyUpInRun(t *testing.T) {
	for _, async := range []bool{false, true} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x")
			c, th := paced(t, web, Options{}, colly.Async(async))
			f, q := frontierOf(t, th, nil, "http://a.test/1")
			for range 50 {
				addAll(t, q, "http://a.test/1")
			}
			addAll(t, q, "http://a.test/2")
			start := time.Now()
			runAll(t, f, c, 1)
			wantAt(t, web, "a.test", start, seconds(0, 1)...)
		})
	}
}

func TestRunFetchesWhatHandlersAdd(t *testing.T) {
	for _, async := range []bool{false, true} {
		t.Run(fmt.Sprint("async=", async), func(t *testing.T) {
			virtual(t, func(t *testing.T, web *testweb.Web) {
				web.Host("a.test").Page("/*", "x").Page("/", testweb.Links("/1", "http://b.test/")).
					Answer("/1", testweb.Answer{Delay: 5 * time.Second, Body: "x"})
				web.Host("b.test").Page("/", testweb.Links("/1")).Page("/1", "x")
				c, th := paced(t, web, Options{}, colly.Async(async))
				f, q := frontierOf(t, th, nil, "http://a.test/")
				c.OnHTML("a[href]", func(e *colly.HTMLElement) {
					r, err := e.Request.New("GET", e.Request.AbsoluteURL(e.Attr("href")), nil)
					if err == nil {
						err = q.AddRequest(r)
					}
					if err != nil {
						t.Errorf("AddRequest = %v, want nil", err)
					}
				})
				runAll(t, f, c, 4)
				got := web.Log()
				slices.Sort(got)
				if d := cmp.Diff(got, []string{"GET http://a.test/", "GET http://a.test/1", "GET http://b.test/", "GET http://b.test/1"}); d != "" {
					t.Errorf("the log (-got +want):\n%s", d)
				}
				wantIdle(t, th)
			})
		})
	}
}

func TestAURLWithoutRoomIsAnErrorAndTold(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var told skips
		_, th := paced(t, web, Options{OnSkip: told.on})
		for name, backing := range map[string]queue.Storage{"memory": nil, "storage": &queue.InMemoryQueueStorage{MaxSize: 2}} {
			told.all = nil
			f, q := frontierOf(t, th, backing, "http://a.test/1", "http://a.test/2")
			if backing == nil {
				f.MaxSize = 2
			}
			err := q.AddURL("http://a.test/3")
			wantRefused(t, err, report.QueueFull)
			if !errors.Is(err, colly.ErrQueueFull) {
				t.Errorf("%s: errors.Is(%v, colly.ErrQueueFull) = false, want true", name, err)
			}
			if d := cmp.Diff(told.of(report.QueueFull), []string{"http://a.test/3"}); d != "" {
				t.Errorf("%s: told (-got +want):\n%s", name, d)
			}
			wantSize(t, f, 2)
		}
	})
}

func TestAStorageThatFailsIsNeverSilent(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var log logged
		c, th := paced(t, web, Options{Logger: log.logger()})
		broken := &failing{}
		f, q := frontierOf(t, th, broken, "http://a.test/1")
		gone := errors.New("gone")
		broken.fail(gone)
		if err := q.AddURL("http://a.test/2"); !errors.Is(err, gone) {
			t.Errorf("AddURL = %v, want %v", err, gone)
		}
		if got := log.lines("http://a.test/2"); len(got) != 1 {
			t.Errorf("log lines of the URL: %v, want one", got)
		}
		if err := f.Run(t.Context(), c, 1); !errors.Is(err, gone) {
			t.Errorf("Run = %v, want %v", err, gone)
		}
	})
}

// failing is a storage in memory that fails while fail says so.
type failing struct {
	queue.InMemoryQueueStorage
	mu  sync.Mutex
	err error
}

func (s *failing) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *failing) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *failing) AddRequest(b []byte) error {
	if err := s.failure(); err != nil {
		return err
	}
	return s.InMemoryQueueStorage.AddRequest(b)
}

func (s *failing) QueueSize() (int, error) {
	n, _ := s.InMemoryQueueStorage.QueueSize()
	return n, s.failure()
}

func TestAtMostDrawAheadAreDrawnFromTheStorage(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		for _, x := range []struct{ option, queued, want int }{{0, DefaultDrawAhead + 500, 500}, {3, 20, 17}} {
			c, th := paced(t, web, Options{})
			backing := &queue.InMemoryQueueStorage{}
			f, _ := frontierOf(t, th, backing, numbered("a.test", x.queued)...)
			f.DrawAhead = x.option
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond) // the host's second page would come after 1 s
			least := x.queued
			c.OnResponse(func(*colly.Response) {
				time.Sleep(100 * time.Millisecond)
				least, _ = backing.QueueSize()
			})
			if err := f.Run(ctx, c, 2); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Run = %v, want %v", err, context.DeadlineExceeded)
			}
			cancel()
			if least < x.want-1 || least > x.want {
				t.Errorf("DrawAhead %d: %d of %d are left in the storage while it runs, want %d", x.option, least, x.queued, x.want)
			}
			wantSize(t, backing, x.queued-1) // the end of Run put the rest back
		}
	})
}

func TestCloseAndTheEndOfRunPutBackWhatWasNotHandedOut(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		backing := &queue.InMemoryQueueStorage{}
		f, _ := frontierOf(t, th, backing, numbered("a.test", 10)...)
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		if err := f.Run(ctx, c, 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run = %v, want %v", err, context.DeadlineExceeded)
		}
		wantSize(t, backing, 7)

		if _, err := f.GetRequest(); err != nil { // draws all again
			t.Errorf("GetRequest = %v, want nil", err)
		}
		wantSize(t, backing, 0)
		for range 2 {
			if err := f.Close(); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
		}
		wantSize(t, backing, 6)
		wantSize(t, f, 0)
		if _, err := f.GetRequest(); !errors.Is(err, ErrClosed) {
			t.Errorf("GetRequest after Close = %v, want %v", err, ErrClosed)
		}

		rest := NewFrontier(th, backing)
		runAll(t, rest, c, 1)
		var want []string
		for _, u := range numbered("a.test", 10) {
			want = append(want, "GET "+u)
		}
		want = slices.Delete(want, 3, 4) // handed out and dropped by this test
		if d := cmp.Diff(web.Log(), want); d != "" {
			t.Errorf("the log (-got +want):\n%s", d)
		}
	})
}

func TestWhatAStorageDoesNotTakeBackStaysAndIsAnError(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		backing := &failing{}
		f, _ := frontierOf(t, th, backing, numbered("a.test", 5)...)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		gone := errors.New("gone")
		time.AfterFunc(200*time.Millisecond, func() { backing.fail(gone) })
		if err := f.Run(ctx, c, 1); !errors.Is(err, gone) {
			t.Errorf("Run = %v, want %v", err, gone)
		}
		backing.fail(nil)
		runAll(t, f, c, 1)
		if got, want := len(web.Log()), 5; got != want {
			t.Errorf("%d pages were fetched in the end, want %d", got, want)
		}
	})
}

func TestCloseEndsAGetRequestThatWaits(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		for name, end := range map[string]func(*Frontier) error{"frontier": (*Frontier).Close, "throttle": func(f *Frontier) error { return f.throttle.Close() }} {
			_, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Hour}}})
			f, _ := frontierOf(t, th, nil, numbered(name+".test", 2)...)
			it, _ := f.GetRequest()
			h, _ := item(it).head()
			turn, err := th.Wait(t.Context(), h.url)
			if err != nil {
				t.Fatal(err)
			}
			turn.Done(nil, nil)
			time.AfterFunc(time.Minute, func() { _ = end(f) })
			start := time.Now()
			if _, err := f.GetRequest(); !errors.Is(err, ErrClosed) || time.Since(start) != time.Minute {
				t.Errorf("Close of the %s: GetRequest = %v after %v, want %v after 1m", name, err, time.Since(start), ErrClosed)
			}
			wantSize(t, f, 0)
		}
	})
}

func TestRunEndsWithItsContextAndWithTheCollectors(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		for _, own := range []bool{true, false} {
			ctx, cancel := context.WithCancelCause(t.Context())
			runCtx := ctx
			opts := []colly.CollectorOption{colly.StdlibContext(ctx)}
			if own {
				opts = nil
			} else {
				runCtx = t.Context()
			}
			c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Hour}}}, opts...)
			f, _ := frontierOf(t, th, nil, numbered("a.test", 3)...)
			cause := errors.New("enough")
			time.AfterFunc(time.Minute, func() { cancel(cause) })
			start := time.Now()
			if err := f.Run(runCtx, c, 2); !errors.Is(err, cause) || time.Since(start) != time.Minute {
				t.Errorf("Run = %v after %v, want %v after 1m", err, time.Since(start), cause)
			}
			wantSize(t, f, 2) // it stays for a later Run
		}
	})
}

func TestAParkedHostDoesNotKeepRunAliveAndLosesNothing(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Answer("/0", testweb.Answer{Status: 429, Header: map[string][]string{"Retry-After": {"7200"}}})
		web.Host("b.test").Page("/*", "x")
		var told skips
		c, th := paced(t, web, Options{OnSkip: told.on})
		backing := &queue.InMemoryQueueStorage{}
		f, q := frontierOf(t, th, backing, slices.Concat(numbered("a.test", 4), numbered("b.test", 2))...)
		start := time.Now()
		runAll(t, f, c, 2)
		wantAt(t, web, "b.test", start, seconds(0, 1)...)
		if d := cmp.Diff(told.of(report.RateLimited), numbered("a.test", 4)[1:]); d != "" {
			t.Errorf("told (-got +want):\n%s", d)
		}
		for _, s := range told.all {
			if wait := s.RetryAt.Sub(start); wait < 2*time.Hour || wait > 2*time.Hour+15*time.Minute || s.Host != "a.test" || s.Method != "GET" {
				t.Errorf("skip %+v: RetryAt is after %v, want 2 h and up to a tenth more, for a GET to a.test", s, wait)
			}
		}
		wantSize(t, backing, 3)

		time.Sleep(3 * time.Hour)
		addAll(t, q, "http://b.test/9")
		runAll(t, f, c, 2)
		if got, want := len(web.HitsOf("a.test")), 4; got != want {
			t.Errorf("%d requests to the host after its block, want %d", got, want)
		}
		if got, want := len(told.all), 3; got != want {
			t.Errorf("%d skips in all, want %d: each once", got, want)
		}
	})
}

func TestAHostSetAsideComesBackWhileRunGoesOn(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Answer("/0", testweb.Answer{Status: 429, Header: map[string][]string{"Retry-After": {"600"}}})
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{Rules: []LimitRule{{DomainGlob: "b.test", Delay: 5 * time.Minute}}})
		f, _ := frontierOf(t, th, nil, slices.Concat(numbered("a.test", 3), numbered("b.test", 5))...)
		runAll(t, f, c, 2)
		if got, want := len(web.HitsOf("a.test")), 3; got != want {
			t.Errorf("%d requests to the host, want %d", got, want)
		}
		wantIdle(t, th)
	})
}

func TestQueueSizeKnowsWhenAHostSetAsideMayBeAsked(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Answer("/0", testweb.Answer{Status: 429, Header: map[string][]string{"Retry-After": {"3600"}}})
		c, th := paced(t, web, Options{})
		f, _ := frontierOf(t, th, nil, numbered("a.test", 3)...)
		for _, want := range []int{1, 3} {
			q, err := queue.New(1, f) // Colly's queue runs once
			if err != nil {
				t.Fatal(err)
			}
			if err := q.Run(c); err != nil {
				t.Errorf("q.Run = %v, want nil", err)
			}
			if got := len(web.Log()); got != want {
				t.Errorf("%d requests, want %d", got, want)
			}
			time.Sleep(2 * time.Hour)
		}
	})
}

func TestABlockThatIsShortEnoughIsWaitedFor(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Answer("/0", testweb.Answer{Status: 503, Header: map[string][]string{"Retry-After": {"60"}}})
		web.Host("b.test").Page("/*", "x")
		var told skips
		c, th := paced(t, web, Options{OnSkip: told.on})
		f, _ := frontierOf(t, th, nil, slices.Concat(numbered("a.test", 2), numbered("b.test", 3))...)
		start := time.Now()
		runAll(t, f, c, 1)
		wantAt(t, web, "b.test", start, seconds(0, 1, 2)...)
		if at := web.HitsOf("a.test")[1].Time.Sub(start); at < time.Minute || at > 66*time.Second {
			t.Errorf("the second request came after %v, want 60 to 66 s", at)
		}
		if len(told.all) != 0 {
			t.Errorf("told %v, want nothing", told.all)
		}
	})
}

func TestHostsOfOneDomainDoNotHoldTheThreadsOfOthers(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var urls []string
		for i := range 40 {
			host := fmt.Sprintf("s%d.wild.test", i)
			web.Host(host).Page("/*", "x")
			urls = append(urls, "http://"+host+"/")
		}
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		f, _ := frontierOf(t, th, nil, append(urls, numbered("b.test", 5)...)...)
		start := time.Now()
		runAll(t, f, c, 2)
		wantAt(t, web, "b.test", start, seconds(0, 1, 2, 3, 4)...)
		if got, most := time.Since(start), 12*time.Second; got > most {
			t.Errorf("40 hosts of one domain at 4 a second took %v, want at most %v", got, most)
		}
	})
}

func TestAStopReachesWhatIsQueued(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		var told skips
		c, th := paced(t, web, Options{OnSkip: told.on})
		f := NewFrontier(th, nil)
		var mu sync.Mutex
		stopped := ""
		stop := func(host string) {
			mu.Lock()
			stopped = host
			mu.Unlock()
			f.Refilter()
		}
		f.Filter = func(u *url.URL) error {
			mu.Lock()
			defer mu.Unlock()
			if u.Host == stopped {
				return errors.New("a person said so")
			}
			return nil
		}
		q, err := queue.New(1, f)
		if err != nil {
			t.Fatal(err)
		}
		addAll(t, q, slices.Concat(numbered("a.test", 5), numbered("b.test", 3))...)
		time.AfterFunc(1500*time.Millisecond, func() { stop("a.test") })
		start := time.Now()
		runAll(t, f, c, 2)
		addAll(t, q, "http://a.test/9")
		wantAt(t, web, "a.test", start, seconds(0, 1)...)
		wantAt(t, web, "b.test", start, seconds(0, 1, 2)...)
		if d := cmp.Diff(told.of(report.Stopped), append(numbered("a.test", 5)[2:], "http://a.test/9")); d != "" {
			t.Errorf("told (-got +want):\n%s", d)
		}
		wantSize(t, f, 0)

		stop("")
		wantSize(t, f, 4)
		runAll(t, f, c, 2)
		if got, want := len(web.HitsOf("a.test")), 6; got != want {
			t.Errorf("%d requests once the stop was lifted, want %d", got, want)
		}
	})
}

func TestAFilterIsAskedOnceMoreBeforeAHandOut(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		var told skips
		c, th := paced(t, web, Options{OnSkip: told.on})
		f := NewFrontier(th, nil)
		start := time.Now()
		f.Filter = func(u *url.URL) error {
			if time.Since(start) > time.Second {
				return &Error{Reason: report.Budget}
			}
			return nil
		}
		q, _ := queue.New(1, f)
		addAll(t, q, numbered("a.test", 4)...)
		runAll(t, f, c, 1)
		wantAt(t, web, "a.test", start, seconds(0, 1)...)
		if d := cmp.Diff(told.of(report.Budget), numbered("a.test", 4)[2:]); d != "" {
			t.Errorf("told (-got +want):\n%s", d)
		}
	})
}

func TestRunSaysWhatIsWrongWithItsArguments(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		c, th := paced(t, web, Options{})
		_, other := paced(t, web, Options{})
		if err := NewFrontier(th, nil).Run(t.Context(), c, 0); err == nil {
			t.Error("Run with 0 threads = nil, want an error")
		}
		for _, c := range []*colly.Collector{nil, colly.NewCollector(), c} {
			if err := NewFrontier(other, nil).Run(t.Context(), c, 1); err == nil {
				t.Errorf("Run with a collector of another Throttle, or of none = nil, want an error")
			}
		}
		if err := NewFrontier(th, nil).AddRequest([]byte("no request")); err == nil {
			t.Error("AddRequest of what is no request = nil, want an error")
		}
	})
}

func TestWhatAnotherProcessAddsIsFoundWhileRunWaits(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Minute}}})
		backing := &queue.InMemoryQueueStorage{}
		f, _ := frontierOf(t, th, backing, numbered("a.test", 2)...)
		time.AfterFunc(10*time.Second, func() {
			text := `{"URL":"http://b.test/1","Method":"GET"}`
			if err := backing.AddRequest([]byte(text)); err != nil {
				t.Error(err)
			}
		})
		start := time.Now()
		runAll(t, f, c, 2)
		if at := web.HitsOf("b.test")[0].Time.Sub(start); at > 11*time.Second {
			t.Errorf("it was fetched after %v, want 11 s at most", at)
		}
	})
}

func TestAFrontierLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble fails if one is left
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("a.test").Page("/*", "x")
		th, err := New(Options{Base: web.Transport(), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		c := colly.NewCollector()
		if err := th.Attach(c); err != nil {
			t.Fatal(err)
		}
		f, _ := frontierOf(t, th, nil, numbered("a.test", 3)...)
		runAll(t, f, c, 8)
	})
}

func TestARealCrawlFetchesEachURLOnce(t *testing.T) {
	for _, async := range []bool{false, true} {
		web, err := testweb.NewLoopback()
		if err != nil {
			t.Fatal(err)
		}
		const hosts, pages = 10, 30
		var links []string
		for h := range hosts {
			for p := range pages {
				links = append(links, fmt.Sprintf("http://h%d.test/%d", h, p))
			}
			web.Host(fmt.Sprintf("h%d.test", h)).Page("/*", testweb.Links(links[max(0, len(links)-40):]...))
		}
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Millisecond, Parallelism: 2}}}, colly.Async(async))
		f, q := frontierOf(t, th, nil, links...)
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { addAll(t, q, e.Request.AbsoluteURL(e.Attr("href"))) })
		runAll(t, f, c, 8)
		got := web.Log()
		slices.Sort(got)
		if n := len(slices.Compact(got)); n != hosts*pages || len(got) != n {
			t.Errorf("async %v: %d different URLs in %d requests, want each of %d once", async, n, len(got), hosts*pages)
		}
		wantSize(t, f, 0)
		wantIdle(t, th)
		web.Close()
	}
}
