package throttle

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// rules plays the robots layer: before the first page of an origin it fetches robots.txt through the chain, and it says the crawl delay.
type rules struct {
	mu     sync.Mutex
	flight map[string]chan struct{} // one fetch of an origin at a time; a bubble knows no mutex
	delay  map[string]time.Duration // by scheme and host
	hours  map[string]chain.Hours   // likewise
	known  map[string]time.Time     // when fetched
	maxAge time.Duration            // 0: for ever
}

func (r *rules) Kind() chain.Kind                    { return chain.Robots }
func (r *rules) Skipped(*colly.Request, report.Skip) {}
func (r *rules) set(origin string, d time.Duration)  { r.mu.Lock(); r.delay[origin] = d; r.mu.Unlock() }
func (r *rules) fresh(h *chain.Hop) (origin string, ok bool) {
	origin = h.URL().Scheme + "://" + h.URL().Host
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.known[origin]
	return origin, ok && (r.maxAge == 0 || time.Since(at) < r.maxAge)
}

func (r *rules) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if !h.IsRobots() {
		if err := r.Renew(h); err != nil {
			return h.Refuse(err)
		}
	}
	return next(h)
}

func (r *rules) Recheck(h *chain.Hop) (bool, error) {
	if h.IsRobots() {
		return false, nil
	}
	_, ok := r.fresh(h)
	return !ok, nil
}

func (r *rules) fly(host string) (land func()) {
	r.mu.Lock()
	if r.flight == nil {
		r.flight = make(map[string]chan struct{})
	}
	if r.flight[host] == nil {
		r.flight[host] = make(chan struct{}, 1)
	}
	one := r.flight[host]
	r.mu.Unlock()
	one <- struct{}{}
	return func() { <-one }
}

func (r *rules) Renew(h *chain.Hop) error {
	defer r.fly(h.URL().Host)()
	origin, ok := r.fresh(h)
	if !ok {
		req, err := http.NewRequestWithContext(h.Context(), http.MethodGet, origin+"/robots.txt", nil)
		if err != nil {
			return err
		}
		resp, err := h.Chain().Fetch(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ok {
		if r.known == nil {
			r.known = make(map[string]time.Time)
		}
		r.known[origin] = time.Now()
	}
	d, has := r.delay[origin]
	h.SetCrawlDelay(d, has)
	h.SetHours(r.hours[origin])
	return nil
}

// obeying is a collector with a robots layer.
func obeying(t *testing.T, web *testweb.Web, o Options, r *rules, opts ...colly.CollectorOption) (*colly.Collector, *Throttle) {
	t.Helper()
	c, th := paced(t, web, o, opts...)
	if _, err := chain.Attach(c, chain.Config{}, r); err != nil {
		t.Fatalf("Attach of the robots layer = %v, want nil", err)
	}
	return c, th
}

func asking(d time.Duration) *rules {
	return &rules{delay: map[string]time.Duration{"http://a.test": d}}
}

func TestACrawlDelayIsKeptFromRobotsTxtOn(t *testing.T) {
	for _, async := range []bool{false, true} {
		t.Run(fmt.Sprintf("async %v", async), func(t *testing.T) {
			virtual(t, func(t *testing.T, web *testweb.Web) {
				web.Host("a.test").Page("/*", "x")
				c, th := obeying(t, web, Options{Rules: []LimitRule{{Delay: time.Second, Parallelism: 4}}}, asking(10*time.Second), colly.Async(async))
				start := time.Now()
				visit(t, c, "http://a.test/1", "http://a.test/2", "http://a.test/3")
				wantAt(t, web, "a.test", start, seconds(0, 10, 20, 30)...)
				if got, want := web.Log()[0], "GET http://a.test/robots.txt"; got != want {
					t.Errorf("first hit %q, want %q", got, want)
				}
				s, _ := th.Snapshot("a.test")
				if s.Interval != 10*time.Second || s.Source != FromCrawlDelay || s.SmallestGap != 10*time.Second || s.MedianGap != 10*time.Second {
					t.Errorf("Snapshot = %+v, want 10 s from the crawl delay, and that kept", s)
				}
				wantIdle(t, th)
			})
		})
	}
}

func TestFiveHundredLinksUnderACrawlDelayAreAllFetched(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := obeying(t, web, Options{}, asking(10*time.Second), colly.Async())
		failed := 0
		c.OnError(func(_ *colly.Response, err error) { failed++ })
		start := time.Now()
		for i := range 500 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		c.Wait()
		if got, want := len(web.Log()), 501; got != want || failed != 0 {
			t.Errorf("%d requests, %d failed, want %d and none", got, failed, want)
		}
		if got, want := time.Since(start), 5000*time.Second; got != want {
			t.Errorf("took %v, want %v", got, want)
		}
		wantIdle(t, th)
	})
}

func TestAPageWaitsAfterRobotsTxtOnlyForACrawlDelay(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := obeying(t, web, Options{}, &rules{})
		start := time.Now()
		visit(t, c, "http://a.test/1", "http://a.test/2")
		wantAt(t, web, "a.test", start, seconds(0, 0, 1)...)
		wantIdle(t, th)
	})
}

func TestACrawlDelayIsAFloorAndNeverPermissionToGoFaster(t *testing.T) {
	for _, x := range []struct {
		rule, asked, want time.Duration
		from              Source
	}{
		{2 * time.Second, 500 * time.Millisecond, 2 * time.Second, FromRule},
		{NoDelay, 500 * time.Millisecond, 500 * time.Millisecond, FromCrawlDelay},
		{time.Second, 1500 * time.Millisecond, 1500 * time.Millisecond, FromCrawlDelay},
	} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x")
			c, th := obeying(t, web, Options{Rules: []LimitRule{{Delay: x.rule}}}, asking(x.asked))
			visit(t, c, "http://a.test/1", "http://a.test/2", "http://a.test/3")
			gaps := testweb.Gaps(web.HitsOf("a.test"))
			if got := gaps[2]; got != x.want {
				t.Errorf("rule %v, crawl delay %v: gap %v, want %v", x.rule, x.asked, got, x.want)
			}
			if s, _ := th.Snapshot("a.test"); s.Source != x.from || s.Interval != x.want {
				t.Errorf("rule %v, crawl delay %v: Snapshot says %v from %q, want %v from %q", x.rule, x.asked, s.Interval, s.Source, x.want, x.from)
			}
			wantIdle(t, th)
		})
	}
}

func TestAHostWithTwoOriginsKeepsTheLongerCrawlDelay(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		r := asking(3 * time.Second)
		r.delay["http://a.test:8080"] = 8 * time.Second
		c, th := obeying(t, web, Options{}, r)
		start := time.Now()
		visit(t, c, "http://a.test/1")      // robots.txt at 0, page at 3
		visit(t, c, "http://a.test:8080/2") // robots.txt at 6, page at 14
		visit(t, c, "http://a.test/3")
		wantAt(t, web, "a.test", start, seconds(0, 3, 6, 14, 22)...)

		r.set("http://a.test:8080", time.Second)
		visit(t, c, "http://a.test:8080/4") // the gap that was owed is still kept
		visit(t, c, "http://a.test/5")
		if got, want := testweb.Gaps(web.HitsOf("a.test"))[5], 3*time.Second; got != want {
			t.Errorf("after one origin went down to 1 s the gap was %v, want %v: the other origin's", got, want)
		}
		wantIdle(t, th)
	})
}

func TestALongerCrawlDelayReachesThoseWhoWait(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		r := asking(5 * time.Second)
		c, th := obeying(t, web, Options{}, r, colly.Async())
		start := time.Now()
		for i := range 3 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		time.Sleep(6 * time.Second) // robots.txt at 0, the first page at 5
		r.set("http://a.test", 20*time.Second)
		_ = c.Visit("http://a.test/new")
		c.Wait()
		wantAt(t, web, "a.test", start, seconds(0, 5, 25, 45, 65)...)
		wantIdle(t, th)
	})
}

func TestACrawlDelayThatIsTooLongParksTheHostAndIsNeverCapped(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := obeying(t, web, Options{}, asking(301*time.Second))
		e := wantRefused(t, c.Visit("http://a.test/1"), report.CrawlDelayTooLong)
		if e.Needed != 301*time.Second || e.Allowed != 5*time.Minute || time.Until(e.RetryAt) != 24*time.Hour {
			t.Errorf("%+v, want 301 s needed, 5 min allowed, again after 24 h", e)
		}
		if err := c.Visit("http://a.test/2"); err != nil {
			t.Errorf("a Visit of a parked host = %v, want nil: a skip", err)
		}
		wantAt(t, web, "a.test", time.Now(), 0) // robots.txt only

		if err := th.Unpark("a.test", "the owner agreed"); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		web.Reset()
		visit(t, c, "http://a.test/3", "http://a.test/4")
		wantAt(t, web, "a.test", start, seconds(301, 602)...)
	})
}

func TestRulesThatRanOutInTheLineAreFetchedFirstAndThePlaceIsKept(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		r := asking(10 * time.Second)
		r.maxAge = 25 * time.Second
		c, th := obeying(t, web, Options{}, r, colly.Async())
		for i := range 4 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
			time.Sleep(time.Millisecond)
		}
		c.Wait()
		want := []string{"/robots.txt", "/0", "/1", "/robots.txt", "/2", "/3"}
		for i, h := range web.HitsOf("a.test") {
			if i >= len(want) || h.URI != want[i] {
				t.Fatalf("server saw %v, want %v", web.Log(), want)
			}
		}
		for _, gap := range testweb.Gaps(web.HitsOf("a.test")) {
			if gap < 10*time.Second {
				t.Errorf("gaps %v, want none under 10 s", testweb.Gaps(web.HitsOf("a.test")))
			}
		}
		wantIdle(t, th)
	})
}
