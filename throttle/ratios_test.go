//go:build ratios

package throttle

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"golang.org/x/time/rate"
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
		var peer time.Duration
		for _, parallel := range []int{1, 4} {
			var stop atomic.Bool
			for range burners {
				go func() {
					for !stop.Load() { // a busy loop is the point
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
			if s := th.Stats(); short > 0 || s.ShortGaps > 0 {
				t.Errorf("%d gaps short at the base, %d by our own measure, want none", short, s.ShortGaps)
			}
			if parallel == 1 {
				peer = limited(t, burners, min(pages, 10))
			}
			if most := max(5*time.Millisecond, 2*peer); burners == 0 && p99 > most { // where others are busy, the peer is late too
				t.Errorf("99th percentile of lateness %v, want at most %v", p99, most)
			}
			stop.Store(true)
		}
	}
}

// limited is the same with a rate.Limiter per host, for comparison. It returns the 99th percentile of lateness.
func limited(t *testing.T, burners, pages int) time.Duration {
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
	return p99
}
