package throttle

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
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
		start := time.Now()
		if err := q.Run(c); err != nil {
			t.Errorf("q.Run = %v, want nil", err)
		}
		wantAt(t, web, "a.test", start, seconds(0, 6, 7)...) // a body that is idle for 5 s lets the next one come
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
