package throttle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestNoMoreThanMaxRequestsAreSentOverAllHosts(t *testing.T) {
	for _, async := range []bool{false, true} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			var mu sync.Mutex
			var told []report.Skip
			o := Options{MaxRequests: 5, OnSkip: func(_ *colly.Request, s report.Skip) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, s)
			}}
			c, th := paced(t, web, o, colly.Async(async))
			for _, host := range []string{"a.test", "b.test", "c.test"} {
				web.Host(host).Page("/*", "x")
				for i := range 4 {
					_ = c.Visit(fmt.Sprintf("http://%s/%d", host, i))
				}
			}
			c.Wait()
			if got := len(web.Hits()); got != 5 {
				t.Errorf("async %v: %d requests were sent, want 5", async, got)
			}
			if len(told) != 7 {
				t.Errorf("async %v: %d skips told, want 7", async, len(told))
			}
			for _, s := range told {
				if s.Reason != report.Budget || !s.RetryAt.IsZero() || !strings.Contains(s.Detail, "Options.MaxRequests 5") {
					t.Errorf("async %v: skip %+v, want budget, no RetryAt and the limit named", async, s)
				}
			}
			wantIdle(t, th)
		})
	}
}

func TestRedirectsAndRobotsTxtCountForMaxRequests(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/from", testweb.Answer{Redirect: "http://b.test/to"})
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		c, _ := obeying(t, web, Options{MaxRequests: 4}, &rules{})
		visit(t, c, "http://a.test/from") // with its target and both robots.txt
		visit(t, c, "http://a.test/2")
		if got := len(web.Hits()); got != 4 {
			t.Errorf("%d requests were sent, want 4: %q", got, web.Log())
		}
	})
}

func TestARobotsTxtIsNotRefusedForMaxRequestsAndThePageBehindItIs(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, _ := obeying(t, web, Options{MaxRequests: 1}, &rules{})
		wantRefused(t, c.Visit("http://a.test/1"), report.Budget)
		if got, want := fmt.Sprint(web.Log()), "[GET http://a.test/robots.txt]"; got != want {
			t.Errorf("hits %s, want %s", got, want)
		}
	})
}

func TestATurnThatWasCancelledDoesNotCountForMaxRequests(t *testing.T) {
	bubble(t, Options{MaxRequests: 2, Rules: []LimitRule{{Delay: NoDelay}}}, func(t *testing.T, th *Throttle) {
		for range 5 {
			mustWait(t, th, "http://a.test/").Cancel()
		}
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		mustWait(t, th, "http://b.test/").Done(nil, nil)
		_, err := th.Wait(t.Context(), parse(t, "http://c.test/"))
		wantRefused(t, err, report.Budget)
	})
}

func TestWhoWaitsWhenTheLastRequestIsSentElsewhereIsRefusedWhenItsTurnComes(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{MaxRequests: 2, Rules: []LimitRule{{DomainGlob: "a.test", Delay: time.Minute}}}, colly.Async())
		var mu sync.Mutex
		var failed []error
		c.OnError(func(_ *colly.Response, err error) {
			mu.Lock()
			defer mu.Unlock()
			failed = append(failed, err)
		})
		start := time.Now()
		for i := range 10 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		synctest.Wait() // they stand in line
		_ = c.Visit("http://b.test/")
		c.Wait()
		if got := time.Since(start); got != time.Minute || len(failed) != 9 {
			t.Errorf("%d refused after %s, want 9 after a minute: all of the line with its head", len(failed), got)
		}
		for _, err := range failed {
			wantRefused(t, err, report.Budget)
		}
		if got := len(web.Hits()); got != 2 {
			t.Errorf("%d requests were sent, want 2", got)
		}
		wantIdle(t, th)
	})
}

func TestARunEndsWhenMaxRequestsAreSpent(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var told atomic.Int64
		o := Options{MaxRequests: 3, OnSkip: func(_ *colly.Request, s report.Skip) {
			if s.Reason == report.Budget {
				told.Add(1)
			}
		}}
		c, th := paced(t, web, o, colly.Async())
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		f, _ := frontierOf(t, th, nil, append(numbered("a.test", 4), numbered("b.test", 4)...)...)
		runAll(t, f, c, 2)
		if got := len(web.Hits()); got != 3 || told.Load() != 5 {
			t.Errorf("%d sent and %d told, want 3 and 5", got, told.Load())
		}
	})
}

func TestAPlainClientsRequestIsRefusedAsAnErrorBeyondMaxRequests(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		th, err := New(Options{MaxRequests: 1, Base: web.Transport(), Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: th.Transport(nil)}
		resp, err := client.Get("http://a.test/1")
		if err != nil {
			t.Fatalf("Get = %v, want nil", err)
		}
		_ = resp.Body.Close()
		_, err = client.Get("http://a.test/2")
		wantRefused(t, err, report.Budget)
	})
}

func TestARequestThatIsCancelledWhileItWaitsDoesNotCount(t *testing.T) {
	bubble(t, Options{MaxRequests: 2}, func(t *testing.T, th *Throttle) {
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := th.Wait(ctx, parse(t, "http://a.test/")); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Wait = %v, want the context's error", err)
		}
		mustWait(t, th, "http://a.test/").Done(nil, nil)
	})
}

func TestMaxRequestsThatIsNegativeIsAnError(t *testing.T) {
	if _, err := New(Options{MaxRequests: -7}); err == nil || !strings.Contains(err.Error(), "Options.MaxRequests -7") {
		t.Errorf("New = %v, want an error that names Options.MaxRequests and -7", err)
	}
}
