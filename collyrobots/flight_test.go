package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// baseFunc is a transport of the user's own.
type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }

func TestCallersWithLessPatienceThanTheSiteNeedsCauseOneRequest(t *testing.T) {
	foreign := func(web *testweb.Web) http.RoundTripper { // net/http's trace is not called
		tr := web.Transport()
		return baseFunc(func(q *http.Request) (*http.Response, error) {
			if _, err := tr.RoundTrip(q.Clone(context.WithoutCancel(q.Context()))); err != nil {
				return nil, err
			}
			<-q.Context().Done()
			return nil, q.Context().Err()
		})
	}
	for name, base := range map[string]func(*testweb.Web) http.RoundTripper{
		"net/http": func(web *testweb.Web) http.RoundTripper { return web.Transport() }, "foreign base": foreign,
	} {
		for _, by := range []string{"client", "Check"} {
			t.Run(name+", "+by, func(t *testing.T) {
				inBubble(t, func(t *testing.T, web *testweb.Web) {
					web.Host("shop.test").Page("/*", "x").Answer("/robots.txt", testweb.Answer{HangHeaders: name == "net/http"})
					r := newRobots(t, web, Options{Base: base(web)})
					client := &http.Client{Transport: r.Transport(nil), Timeout: 50 * time.Millisecond}
					for i := range 100 {
						url := fmt.Sprint("http://shop.test/", i)
						if by == "client" {
							if err := <-get(t.Context(), client, url); err == nil {
								t.Fatalf("Get(%s) = nil", url)
							}
							continue
						}
						ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
						if d, err := r.Check(ctx, url); err == nil && d.Allowed {
							t.Fatalf("Check(%s) = %+v", url, d)
						}
						cancel()
					}
					after(fullTime)
					if got := len(web.Log()); got > 2 {
						t.Errorf("%d requests for robots.txt within %v, want 2 at most", got, fullTime)
					}
				})
			})
		}
	}
}

func TestAFetchGoesOnWhenTheLastWaiterLeavesAndItsOutcomeIsKept(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Body: disallowPrivate, Delay: 10 * time.Second})
		r := newRobots(t, web, Options{})
		client := &http.Client{Transport: r.Transport(nil)}
		ctx, cancel := context.WithCancel(t.Context())
		a, b := get(ctx, client, "http://shop.test/a"), get(ctx, client, "http://shop.test/b")
		after(time.Second)
		cancel()
		if err := errors.Join(<-a, <-b); !errors.Is(err, context.Canceled) {
			t.Errorf("the callers = %v, want context.Canceled", err)
		}
		after(10 * time.Second)
		begin := time.Now()
		if d := check(t, r, "http://shop.test/private"); d.Allowed || time.Since(begin) != 0 {
			t.Errorf("Check = %+v after %v, want disallowed at once", d, time.Since(begin))
		}
		wantLog(t, web, "GET http://shop.test/robots.txt")
	})
}

func TestCloseEndsTheFetchThatNobodyWaitsForAndNoOther(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		var ended atomic.Int32
		for _, host := range []string{"before.test", "after.test", "wanted.test"} {
			web.Host(host).Page("/*", "x").Handle("/robots.txt", func(_ http.ResponseWriter, q *http.Request) {
				select {
				case <-q.Context().Done():
					ended.Add(1)
				case <-time.After(20 * time.Second):
				}
			})
		}
		r := newRobots(t, web, Options{})
		client := &http.Client{Transport: r.Transport(nil)}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		lessSo, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		a, b, c := get(impatient, client, "http://before.test/"), get(lessSo, client, "http://after.test/"), get(t.Context(), client, "http://wanted.test/")
		after(2 * time.Second)
		begin := time.Now()
		if err := r.Close(); err != nil || time.Since(begin) != 0 {
			t.Errorf("Close = %v after %v, want at once", err, time.Since(begin))
		}
		synctest.Wait()
		if got := ended.Load(); got != 1 {
			t.Errorf("Close ended %d fetches, want the one that nobody waited for", got)
		}
		after(2 * time.Second)
		if got := ended.Load(); got != 2 {
			t.Errorf("%d fetches were ended once the second was left alone after Close, want 2", got)
		}
		<-a
		<-b
		if err := <-c; err != nil {
			t.Errorf("who waits across Close = %v", err)
		}
	})
}

func TestWhoHasWaitedForAFetchTakesWhatItCameToHoweverOldItIs(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate).Page("/*", "x")
		r := newRobots(t, web, Options{Store: &slowStore{}})
		r.options.MaxAge = time.Millisecond // its time is over before it can be used
		c := newCollector(t, r)
		visit(t, c, nil, "http://shop.test/a")
		visit(t, c, ErrDisallowed, "http://shop.test/private")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/a", "GET http://shop.test/robots.txt")
	})
}

func TestACloneWithALiveContextReachesNewOriginsOnceTheFirstCollectorsHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate).Page("/*", "x")
		r := newRobots(t, web, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		c := newCollector(t, r, colly.StdlibContext(ctx))
		clone, err := chain.Clone(c)
		if err != nil {
			t.Fatal(err)
		}
		own, stop := context.WithCancel(t.Context())
		if err := chain.SetContext(clone, own); err != nil {
			t.Fatal(err)
		}
		cancel()
		visit(t, clone, nil, "http://shop.test/a")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/a")

		web.Host("slow.test").Answer("/robots.txt", testweb.Answer{HangHeaders: true})
		time.AfterFunc(time.Second, stop)
		begin := time.Now()
		if err := clone.Visit("http://slow.test/"); !errors.Is(err, context.Canceled) || time.Since(begin) != time.Second {
			t.Errorf("Visit = %v after %v, want the end of the clone's own context", err, time.Since(begin))
		}
	})
}

func TestAPanicOfTheBaseIsAnUnreachableRobotsTxt(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		calls := 0
		r := newRobots(t, web, Options{Base: baseFunc(func(*http.Request) (*http.Response, error) {
			calls++
			panic("boom")
		})})
		c := newCollector(t, r)
		var refused *RefusedError
		if err := c.Visit("http://shop.test/"); !errors.As(err, &refused) || !strings.Contains(refused.Decision.Err.Error(), "panic: boom") {
			t.Errorf("Visit = %v, want a refusal that names the panic", err)
		}
		for i := range 100 {
			_ = c.Visit(fmt.Sprint("http://shop.test/", i))
		}
		if calls > 2 {
			t.Errorf("the base was called %d times, want 2 at most", calls)
		}
	})
}

func TestABaseWithoutABodyIsAnEmptyBody(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		for _, status := range []int{200, 404} {
			r := newRobots(t, web, Options{Base: baseFunc(func(q *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Request: q}, nil
			})})
			if d := check(t, r, "http://shop.test/"); !d.Allowed || d.Status != status {
				t.Errorf("Check after %d and no body = %+v, want allowed", status, d)
			}
		}
	})
}

// breaker is a log handler that does not come back.
type breaker struct {
	slog.Handler
	with func()
}

func (b breaker) Handle(context.Context, slog.Record) error { b.with(); return nil }

func TestWhoeverBreaksAFetchOffDoesNotLeaveTheOthersWaiting(t *testing.T) {
	for want, with := range map[string]func(){"panic: boom": func() { panic("boom") }, "runtime.Goexit": runtime.Goexit} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Status: 500, Delay: time.Second})
			r := newRobots(t, web, Options{Logger: slog.New(breaker{slog.Default().Handler(), with})})
			errs := make(chan error)
			for range 3 {
				go func() {
					_, err := r.Check(t.Context(), "http://shop.test/")
					errs <- err
				}()
			}
			for range 3 {
				if err := <-errs; err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("Check = %v, want an error with %q", err, want)
				}
			}
		})
	}
}
