package throttle

import (
	"errors"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2/queue"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

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
