package collyrobots

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
)

func TestAThousandGoroutinesThatVisitOneNewOriginCauseOneRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Body: disallowPrivate, Delay: time.Second}).Page("/*", "x")
		c := newCollector(t, newRobots(t, web, Options{}))
		var refused atomic.Int32
		var wg sync.WaitGroup
		for i := range 1000 {
			path := "/"
			if i%2 == 0 {
				path = "/private/"
			}
			wg.Go(func() {
				if err := c.Visit(fmt.Sprintf("http://shop.test%s%d", path, i)); errors.Is(err, ErrDisallowed) {
					refused.Add(1)
				} else if err != nil {
					t.Errorf("Visit = %v", err)
				}
			})
		}
		wg.Wait()
		if got := web.Count("GET http://shop.test/robots.txt"); got != 1 || len(web.Hits()) != 501 || refused.Load() != 500 {
			t.Errorf("%d requests for robots.txt of %d, %d refused; want 1 of 501, 500", got, len(web.Hits()), refused.Load())
		}
	})
}

// get asks through a client in a goroutine and gives its error.
func get(ctx context.Context, client *http.Client, url string) <-chan error {
	done := make(chan error, 1)
	go func() {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err == nil {
			var resp *http.Response
			if resp, err = client.Do(q); err == nil {
				err = resp.Body.Close()
			}
		}
		done <- err
	}()
	return done
}

func TestOneCallersCancelledContextDoesNotFailTheOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Body: disallowPrivate, Delay: 10 * time.Second}).Page("/*", "x")
		client := &http.Client{Transport: newRobots(t, web, Options{}).Transport(nil)}
		first, cancel := context.WithCancel(t.Context())
		a := get(first, client, "http://shop.test/a") // starts the fetch
		synctest.Wait()
		b := get(t.Context(), client, "http://shop.test/b")
		after(time.Second)
		begin := time.Now()
		cancel()
		if err := <-a; !errors.Is(err, context.Canceled) || time.Since(begin) != 0 {
			t.Errorf("the cancelled one = %v after %v, want at once", err, time.Since(begin))
		}
		if err := <-b; err != nil {
			t.Errorf("the other = %v, want nil", err)
		}
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/b")
	})
}

func TestAFetchThatEndsWithACollectorsContextDoesNotFailAnother(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Delay: 5 * time.Second}).Page("/*", "x")
		r := newRobots(t, web, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		one, other := newCollector(t, r, colly.StdlibContext(ctx)), newCollector(t, r)
		done := make(chan error, 2)
		go func() { done <- one.Visit("http://shop.test/a") }()
		synctest.Wait()
		var err error
		var wg sync.WaitGroup
		wg.Go(func() { err = other.Visit("http://shop.test/b") })
		after(time.Second)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the first collector = %v, want its context's end", err)
		}
		wg.Wait()
		if err != nil {
			t.Errorf("the other collector = %v, want nil", err)
		}
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/robots.txt", "GET http://shop.test/b")
	})
}

func TestCheckEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{HangHeaders: true})
		r := newRobots(t, web, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if d, err := r.Check(ctx, "http://shop.test/"); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("Check = %+v, %v after %v", d, err, time.Since(begin))
		}
		if _, err := r.Check(ctx, "http://shop.test/robots.txt"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Check with an ended context = %v", err)
		}
	})
}

func TestCheckOfAnUnusableURLIsAnError(t *testing.T) {
	r := newRobotsWithout(t)
	for _, u := range []string{"", "/path", "http://", "ftp://shop.test/", "http://[::1", "http://shop.test:99999/", "mailto:a@shop.test", "http://a b/"} {
		if d, err := r.Check(t.Context(), u); err == nil || !strings.HasPrefix(err.Error(), "collyrobots: Check: ") {
			t.Errorf("Check(%q) = %+v, %v, want an error", u, d, err)
		}
	}
}

func newRobotsWithout(t *testing.T) *Robots {
	t.Helper()
	r, err := New(Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCloseEndsARefreshAndNoneBeginsAfterIt(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{}, testweb.Answer{HangHeaders: true})
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		visit(t, c, nil, "http://shop.test/")
		after(20 * time.Hour)
		visit(t, c, nil, "http://shop.test/")
		synctest.Wait()
		begin := time.Now()
		if err := r.Close(); err != nil || time.Since(begin) != 0 {
			t.Errorf("Close = %v after %v, want at once", err, time.Since(begin))
		}
		visit(t, c, nil, "http://shop.test/")
		synctest.Wait()
		if got := web.Count("GET http://shop.test/robots.txt"); got != 2 {
			t.Errorf("robots.txt was asked for %d times, want 2", got)
		}
	})
}

func TestManyOriginsAtOnceWithForgetAndCheck(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		for i := range 8 {
			web.Host(fmt.Sprintf("h%d.test", i)).Robots(disallowPrivate).Page("/*", "x")
		}
		r := newRobots(t, web, Options{})
		r.cache.limit = 3000
		c := newCollector(t, r, colly.Async(true))
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				host := fmt.Sprintf("http://h%d.test", i%8)
				_ = c.Visit(fmt.Sprintf("%s/private/%d", host, i))
				_ = c.Visit(fmt.Sprintf("%s/%d", host, i))
				if i%5 == 0 {
					if err := r.Forget(host); err != nil {
						t.Errorf("Forget = %v", err)
					}
				}
				if d, err := r.Check(t.Context(), host+"/private"); err != nil || d.Allowed {
					t.Errorf("Check = %+v, %v", d, err)
				}
			})
		}
		wg.Wait()
		c.Wait()
		for _, line := range web.Log() {
			if strings.Contains(line, "private") {
				t.Errorf("the server saw %s", line)
			}
		}
	})
}
