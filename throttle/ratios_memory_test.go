//go:build ratios

package throttle

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"golang.org/x/time/rate"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

func TestRatioBytesOfAMillionHosts(t *testing.T) {
	const n = 1_000_000
	th, err := New(Options{MaxHosts: 2 * n, Logger: quiet(), Rules: []LimitRule{{Delay: time.Hour}}})
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	for i := range n {
		u := &url.URL{Scheme: "http", Host: fmt.Sprintf("www.host-%08d.test", i), Path: "/some/path"} // names of 22 bytes
		turn, err := th.Wait(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		turn.Done(nil, nil)
	}
	each := float64(heap()-before) / n
	t.Logf("%.1f bytes a host with its name, %d hosts", each, th.Stats().Hosts)
	if each > 120 || th.Stats().Hosts != n {
		t.Errorf("%.1f bytes a host, %d hosts, want at most 120 and %d", each, th.Stats().Hosts, n)
	}

	limiters := make(map[string]*rate.Limiter)
	before = heap()
	for i := range n {
		limiters[fmt.Sprintf("www.host-%08d.test", i)] = rate.NewLimiter(1, 1)
	}
	t.Logf("%.1f bytes a host in a map of rate.Limiter", float64(heap()-before)/n)
	runtime.KeepAlive(limiters)
	runtime.KeepAlive(th)
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestRatioCostOfWaiting(t *testing.T) {
	const n, hosts = 100_000, 1000
	park := func(c *colly.Collector) {
		for i := range n {
			_ = c.Visit(fmt.Sprintf("http://%s/%d", hostName(i%hosts), i))
		}
		time.Sleep(3 * time.Second)
	}
	before := heap()
	bare := colly.NewCollector(colly.Async())
	release := make(chan struct{})
	bare.WithTransport(blocking(release))
	park(bare)
	plain := float64(heap()-before) / n
	close(release)
	bare.Wait()
	bare = nil

	before = heap()
	ctx, cancel := context.WithCancel(context.Background())
	th, err := New(Options{Base: &stamps{}, Logger: quiet(), Rules: []LimitRule{{Delay: time.Hour}}})
	if err != nil {
		t.Fatal(err)
	}
	c := colly.NewCollector(colly.Async(), colly.StdlibContext(ctx))
	if err := th.Attach(c); err != nil {
		t.Fatal(err)
	}
	park(c)
	ours := float64(heap()-before) / n
	t.Logf("a waiting request: %.0f bytes, of which %.0f are Colly's own when its transport waits: %.0f more; %d wait", ours, plain, ours-plain, th.Stats().Waiting)
	if ours-plain > 700 {
		t.Errorf("a waiting request costs %.0f bytes more than Colly's own, want at most 700", ours-plain)
	}
	used, start := cpu(), time.Now()
	time.Sleep(3 * time.Second)
	share := float64(cpu()-used) / float64(time.Since(start))
	t.Logf("%d waiting: %.2f %% of a core", n, 100*share)
	if share > 0.05 {
		t.Errorf("%.1f %% of a core, want under 5 %%", 100*share)
	}
	start = time.Now()
	cancel()
	c.Wait()
	t.Logf("%d waiting, cancelled: Wait returns after %v", n, time.Since(start))
}

type blocking chan struct{}

func (b blocking) RoundTrip(*http.Request) (*http.Response, error) { <-b; return nil, io.EOF }

// following waits for the request's context, as little as a transport can do.
type following struct{}

func (following) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestRatioCancel(t *testing.T) {
	for _, n := range []int{1000, 10_000, 100_000} {
		cancelled := func(c *colly.Collector, cancel func(), wait func()) time.Duration {
			for i := range n {
				_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
			}
			wait()
			start := time.Now()
			cancel()
			c.Wait()
			return time.Since(start)
		}
		ctx, cancel := context.WithCancel(context.Background())
		bare := colly.NewCollector(colly.Async(), colly.StdlibContext(ctx))
		bare.WithTransport(following{})
		floor := cancelled(bare, cancel, func() { time.Sleep(time.Second) })

		ctx, cancel = context.WithCancel(context.Background())
		th, err := New(Options{Base: &stamps{}, Logger: quiet(), Rules: []LimitRule{{Delay: time.Hour}}})
		if err != nil {
			t.Fatal(err)
		}
		c := colly.NewCollector(colly.Async(), colly.StdlibContext(ctx))
		if err := th.Attach(c); err != nil {
			t.Fatal(err)
		}
		took := cancelled(c, cancel, func() {
			for th.Stats().Waiting < n-1 {
				time.Sleep(10 * time.Millisecond)
			}
		})
		t.Logf("%6d waiting: Wait returns %v after the cancel; Colly with a transport that does nothing but wait: %v", n, took, floor)
		if most := time.Duration(max(n, 10_000)) * 5 * time.Microsecond; took > most && took > 3*floor/2 { // a busy machine slows both
			t.Errorf("%d waiting: %v, want at most %v", n, took, most)
		}
		wantIdle(t, th)
	}
}

func TestRatioNoEndingOfAHundredThousandLeaksATurn(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) { // the bubble fails if a goroutine is left
		further := []string{"/hang", "/silent"}
		endings(t, web, 100_000/(len(endingPaths)+len(further)), synctest.Wait, further...)
	})
}
