//go:build ratios

package throttle

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"golang.org/x/time/rate"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// stamps is a base that answers in memory and notes when each request was handed to it.
type stamps struct {
	latency time.Duration
	mu      sync.Mutex
	at      map[string][]time.Time
}

func (s *stamps) RoundTrip(r *http.Request) (*http.Response, error) {
	now := time.Now()
	s.mu.Lock()
	if s.at == nil {
		s.at = make(map[string][]time.Time)
	}
	s.at[r.URL.Host] = append(s.at[r.URL.Host], now)
	s.mu.Unlock()
	if s.latency > 0 {
		time.Sleep(s.latency)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("x")), Request: r}, nil
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func hostName(i int) string { return fmt.Sprintf("h%04d.test", i) }

// crawl visits pages of hosts in Async mode and says how long it took.
func crawl(c *colly.Collector, hosts, pages int) time.Duration {
	start := time.Now()
	for p := range pages {
		for h := range hosts {
			_ = c.Visit(fmt.Sprintf("http://%s/%d", hostName(h), p))
		}
	}
	c.Wait()
	return time.Since(start)
}

func TestRatioWallOfFiftyHosts(t *testing.T) {
	const hosts, pages, gap = 50, 5, 100 * time.Millisecond
	bare := func(latency time.Duration, perHost bool) time.Duration {
		c := colly.NewCollector(colly.Async())
		c.WithTransport(&stamps{latency: latency})
		if perHost {
			for h := range hosts {
				_ = c.Limit(&colly.LimitRule{DomainGlob: hostName(h), Delay: gap})
			}
		} else {
			_ = c.Limit(&colly.LimitRule{DomainGlob: "*", Delay: gap})
		}
		return crawl(c, hosts, pages)
	}
	ours := func(latency time.Duration, parallel int) time.Duration {
		th, err := New(Options{Base: &stamps{latency: latency}, Logger: quiet(), Rules: []LimitRule{{Delay: gap, Parallelism: parallel}}})
		if err != nil {
			t.Fatal(err)
		}
		c := colly.NewCollector(colly.Async())
		if err := th.Attach(c); err != nil {
			t.Fatal(err)
		}
		return crawl(c, hosts, pages)
	}
	ideal := (pages-1)*gap + 0
	report := func(name string, ideal, took time.Duration, most float64) {
		ratio := float64(took) / float64(ideal)
		t.Logf("%-46s %8.3f s  %6.2f of the ideal", name, took.Seconds(), ratio)
		if most > 0 && ratio > most {
			t.Errorf("%s: %.2f of the ideal, want at most %.2f", name, ratio, most)
		}
	}
	const latency = 30 * time.Millisecond
	report("Colly, one rule for *", ideal, bare(0, false), 0)
	report("Colly, one rule per host", ideal, bare(0, true), 0)
	report("throttle, one rule for all", ideal, ours(0, 1), 1.05)
	report("Colly, one rule per host, 30 ms", ideal+latency, bare(latency, true), 0)
	report("throttle, from start to start, 30 ms", ideal+latency, ours(latency, 2), 1.05)
	report("throttle, from the response, 30 ms", ideal+latency, ours(latency, 1), 1.35)
}

// early counts gaps that were shorter than wanted, and the 99th percentile of how late the others were.
func early(s *stamps, gap time.Duration) (short, all int, p99 time.Duration) {
	var late []time.Duration
	for _, at := range s.at {
		for i := 1; i < len(at); i++ {
			d := at[i].Sub(at[i-1]) - gap
			if d < 0 {
				short++
			}
			late = append(late, d)
		}
	}
	slices.Sort(late)
	return short, len(late), late[len(late)*99/100]
}

func TestRatioNoGapIsShort(t *testing.T) {
	const hosts, gap = 1000, time.Second
	pages := 100 // 100,000 requests
	if testing.Short() {
		pages = 10
	}
	for _, burners := range []int{0, 4} {
		for _, parallel := range []int{1, 4} {
			stop := make(chan struct{})
			for range burners {
				go func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
					}
				}()
			}
			base := &stamps{}
			th, err := New(Options{Rules: []LimitRule{{Delay: gap, Parallelism: parallel}}, Logger: quiet()})
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: th.Transport(base)}
			var wg sync.WaitGroup
			for h := range hosts {
				wg.Go(func() {
					time.Sleep(gap * time.Duration(h) / hosts) // hosts are not found all at once
					for p := range pages {
						if resp, err := client.Get(fmt.Sprintf("http://%s/%d", hostName(h), p)); err == nil {
							_ = resp.Body.Close()
						}
					}
				})
			}
			wg.Wait()
			short, all, p99 := early(base, gap)
			t.Logf("throttle, %d busy loops, parallelism %d: %d of %d gaps short, p99 of lateness %v", burners, parallel, short, all, p99)
			// With more than one at a time the gap runs from start to start, and a start may be held up by the scheduler between the throttle and the
			// base; by one at a time it runs from the end, which is later.
			if s := th.Stats(); parallel == 1 && short > 0 || s.ShortGaps > 0 {
				t.Errorf("%d gaps short at the base, %d by our own measure, want none", short, s.ShortGaps)
			}
			if burners == 0 && p99 > 5*time.Millisecond {
				t.Errorf("99th percentile of lateness %v, want at most 5 ms", p99)
			}
			if parallel == 1 {
				limited(t, burners, min(pages, 10))
			}
			close(stop)
		}
	}
}

// limited is the same with a rate.Limiter per host, for comparison.
func limited(t *testing.T, burners, pages int) {
	const hosts, gap = 1000, time.Second
	base := &stamps{}
	var wg sync.WaitGroup
	for h := range hosts {
		limiter := rate.NewLimiter(rate.Every(gap), 1)
		wg.Go(func() {
			time.Sleep(gap * time.Duration(h) / hosts)
			for p := range pages {
				_ = limiter.Wait(context.Background())
				req, _ := http.NewRequest(http.MethodGet, fmt.Sprintf("http://%s/%d", hostName(h), p), nil)
				_, _ = base.RoundTrip(req)
			}
		})
	}
	wg.Wait()
	short, all, p99 := early(base, gap)
	t.Logf("rate.Limiter per host, %d busy loops: %d of %d gaps short, p99 of lateness %v", burners, short, all, p99)
}

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
