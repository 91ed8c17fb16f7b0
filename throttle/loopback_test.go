package throttle

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// The rules once more over real connections and on a real clock, for the race detector.

func loopback(t *testing.T) *testweb.Web {
	t.Helper()
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	return web
}

func wantGaps(t *testing.T, web *testweb.Web, host string, n int, least time.Duration) {
	t.Helper()
	gaps := testweb.Gaps(web.HitsOf(host))
	if len(gaps) != n {
		t.Errorf("%s: %d gaps %v, want %d", host, len(gaps), gaps, n)
	}
	for _, g := range gaps {
		if g < least {
			t.Errorf("%s: gaps %v, want none under %v", host, gaps, least)
		}
	}
}

func TestOverLoopbackEachHostIsPacedByItself(t *testing.T) {
	t.Parallel()
	web := loopback(t)
	const gap = 30 * time.Millisecond
	c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: gap}}}, colly.Async())
	for i := range 5 {
		for _, h := range []string{"a.test", "b.test"} {
			web.Host(h).Page("/*", "x")
			_ = c.Visit(fmt.Sprintf("http://%s/%d", h, i))
		}
	}
	c.Wait()
	for _, h := range []string{"a.test", "b.test"} {
		wantGaps(t, web, h, 4, gap)
		if s, _ := th.Snapshot(h); s.SmallestGap < gap {
			t.Errorf("%s: Snapshot %+v, want a smallest gap of at least %v", h, s, gap)
		}
	}
	wantIdle(t, th)
}

func TestOverLoopbackACrawlDelayIsKept(t *testing.T) {
	t.Parallel()
	web := loopback(t)
	web.Host("a.test").Page("/*", "x")
	c, th := obeying(t, web, Options{Rules: []LimitRule{{Delay: NoDelay, Parallelism: 4}}}, asking(50*time.Millisecond), colly.Async())
	for i := range 5 {
		_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
	}
	c.Wait()
	wantGaps(t, web, "a.test", 5, 50*time.Millisecond)
	wantIdle(t, th)
}

func TestOverLoopbackA429StopsTheHost(t *testing.T) {
	t.Parallel()
	web := loopback(t)
	web.Host("a.test").Page("/*", "x").Answer("/0", retryAfter(429, "1"))
	c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: 10 * time.Millisecond}}, Retries: 1}, colly.Async())
	for i := range 3 {
		_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
	}
	c.Wait()
	hits := web.HitsOf("a.test")
	if len(hits) != 4 {
		t.Fatalf("server saw %v, want 4 requests: /0 is repeated", web.Log())
	}
	first := slices.IndexFunc(hits, func(h testweb.Hit) bool { return h.URI == "/0" })
	if gap := testweb.Gaps(hits)[first]; gap < time.Second {
		t.Errorf("%s after the 429 came the next request in %v, want a second at least", gap, web.Log())
	}
	wantIdle(t, th)
}

func TestOverLoopbackRedirectHopsAndASecondSendKeepTheGap(t *testing.T) {
	t.Parallel()
	web := loopback(t)
	web.Host("a.test").Page("/*", "x").Answer("/0", testweb.Answer{Redirect: "/1"}).Answer("/2", testweb.Answer{Reset: true}, testweb.Answer{Body: "x"})
	c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: 30 * time.Millisecond}}})
	visit(t, c, "http://a.test/0", "http://a.test/2")
	wantGaps(t, web, "a.test", 3, 30*time.Millisecond)
	wantIdle(t, th)
}

func TestOverLoopbackACancelledCrawlEndsAtOnce(t *testing.T) {
	t.Parallel()
	web := loopback(t)
	web.Host("a.test").Page("/*", "x")
	ctx, cancel := context.WithCancel(t.Context())
	c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Hour}}}, colly.Async(), colly.StdlibContext(ctx))
	for i := range 200 {
		_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
	}
	for th.Stats().Waiting < 199 {
		time.Sleep(time.Millisecond)
	}
	start := time.Now()
	cancel()
	c.Wait()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("Wait returned %v after the cancel", took)
	}
	wantIdle(t, th)
}

func TestOverLoopbackParallelTurnsOfAPlainClientEnd(t *testing.T) {
	t.Parallel()
	web := loopback(t)
	web.Host("a.test").Page("/*", "x")
	th, err := New(Options{Rules: []LimitRule{{Delay: NoDelay, Parallelism: 8}}})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: th.Transport(web.Transport())}
	done := make(chan error)
	for i := range 64 {
		go func() {
			resp, err := client.Get(fmt.Sprintf("http://a.test/%d", i))
			if err == nil {
				err = resp.Body.Close()
			}
			done <- err
		}()
	}
	for range 64 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	wantIdle(t, th)
}
