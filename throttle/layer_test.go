package throttle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestAVisitInsideOnResponseHeadersDoesNotWaitForItself(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "some text")
		c, th := paced(t, web, Options{})
		c.OnResponseHeaders(func(r *colly.Response) {
			if r.Request.URL.Path == "/1" {
				if err := c.Visit("http://a.test/2"); err != nil {
					t.Errorf("the inner Visit = %v, want nil", err)
				}
			}
		})
		start := time.Now()
		visit(t, c, "http://a.test/1")
		wantAt(t, web, "a.test", start, seconds(0, 6)...) // 5 s idle, then the gap
		wantIdle(t, th)
	})
}

func TestABodyThatIsReadSlowlyKeepsItsTurn(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/2", "x").Answer("/1", testweb.Answer{Body: "abcde", Drip: testweb.Drip{Every: 4 * time.Second}})
		c, th := paced(t, web, Options{}, colly.Async())
		c.SetRequestTimeout(time.Minute)
		start := time.Now()
		_ = c.Visit("http://a.test/1")
		time.Sleep(time.Millisecond)
		_ = c.Visit("http://a.test/2")
		c.Wait()
		if got := web.HitsOf("a.test")[1].Time.Sub(start); got < 17*time.Second {
			t.Errorf("the second request was sent after %v, while the first body was still read", got)
		}
		wantIdle(t, th)
	})
}

func TestARequestThatNetHTTPSendsAgainWaitsForATurnOfItsOwn(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/1", "x").Answer("/2", testweb.Answer{Reset: true}, testweb.Answer{Body: "well"}).Page("/3", "x")
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: 3 * time.Second}}})
		start := time.Now()
		visit(t, c, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		wantAt(t, web, "a.test", start, seconds(0, 3, 6, 9)...)
		wantIdle(t, th)
	})
}

func TestACancelledCrawlEndsAtOnceHoweverManyWait(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		ctx, cancel := context.WithCancel(t.Context())
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Hour}}}, colly.Async(), colly.StdlibContext(ctx))
		for i := range 1000 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		time.Sleep(time.Minute)
		if got := th.Stats().Waiting; got != 999 {
			t.Errorf("%d wait, want 999", got)
		}
		start := time.Now()
		cancel()
		c.Wait()
		if got := time.Since(start); got != 0 || len(web.Log()) != 1 {
			t.Errorf("Wait returned %v after the cancel, %d requests, want at once and 1", got, len(web.Log()))
		}
		wantIdle(t, th)
	})
}

func TestTheClientsTimeoutIsNotEatenByTheWait(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", testweb.Answer{Body: "x", Delay: 8 * time.Second})
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Minute}}}, colly.Async())
		failed := 0
		c.OnError(func(*colly.Response, error) { failed++ })
		for i := range 5 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		c.Wait()
		if len(web.Log()) != 5 || failed != 0 {
			t.Errorf("%d requests, %d failed, want 5 and none", len(web.Log()), failed)
		}
		wantIdle(t, th)
	})
}

func TestAPageFromCollysCacheCostsNothing(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, _ := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Minute}}}, colly.CacheDir(t.TempDir()), colly.AllowURLRevisit())
		start := time.Now()
		visit(t, c, "http://a.test/1", "http://a.test/1", "http://a.test/1")
		wantAt(t, web, "a.test", start, 0)
		if got := time.Since(start); got != 0 {
			t.Errorf("took %v, want no time", got)
		}
	})
}

func TestTwoCollectorsShareTheirHostsPace(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{}, colly.Async())
		d := colly.NewCollector(colly.Async())
		if err := th.Attach(d); err != nil {
			t.Fatal(err)
		}
		e := c.Clone()
		start := time.Now()
		for i, col := range []*colly.Collector{c, d, e} {
			_ = col.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		c.Wait()
		d.Wait()
		e.Wait()
		wantAt(t, web, "a.test", start, seconds(0, 1, 2)...)
		wantIdle(t, th)
	})
}

func TestAPlainClientIsPacedToo(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/2", "x").Answer("/1", testweb.Answer{Redirect: "/2"})
		th, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: th.Transport(web.Transport())}
		start := time.Now()
		for range 2 {
			resp, err := client.Get("http://a.test/1")
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
		}
		wantAt(t, web, "a.test", start, seconds(0, 1, 2, 3)...)
		client.CloseIdleConnections()
		wantIdle(t, th)
	})
}

type panicking struct{ http.RoundTripper }

func (p panicking) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/panic" {
		panic("base")
	}
	return p.RoundTripper.RoundTrip(r)
}

func TestAPanicBelowEndsTheTurn(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		th, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		base := web.Transport()
		client := &http.Client{Transport: th.Transport(panicking{base})}
		func() {
			defer func() { _ = recover() }()
			_, _ = client.Get("http://a.test/panic")
		}()
		resp, err := client.Get("http://a.test/1")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		base.CloseIdleConnections()
		wantIdle(t, th)
	})
}

func TestARefusalAfterTheWaitGivesTheTurnBack(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{}, colly.Async())
		stop := &stopper{}
		if _, err := chain.Attach(c, chain.Config{}, stop); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for i := range 3 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
			time.Sleep(time.Millisecond)
		}
		c.Wait()
		wantAt(t, web, "a.test", start, seconds(0, 1)...) // /1 is refused when its turn comes, /2 takes its place
		wantIdle(t, th)
	})
}

// stopper refuses /1 once it has waited.
type stopper struct{ chain.Teller }

func (s *stopper) Kind() chain.Kind { return chain.KillSwitch }
func (s *stopper) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	return next(h)
}
func (s *stopper) Recheck(h *chain.Hop) (bool, error) {
	if h.URL().Path == "/1" {
		return false, errors.New("stopped")
	}
	return false, nil
}

func TestIdentityMayAskForALongerInterval(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		if _, err := chain.Attach(c, chain.Config{}, stretcher{&stopper{}}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		visit(t, c, "http://a.test/a", "http://a.test/b", "http://a.test/c")
		wantAt(t, web, "a.test", start, seconds(0, 3, 6)...)
		if s, _ := th.Snapshot("a.test"); s.Interval != 3*time.Second {
			t.Errorf("Snapshot says %v, want 3 s", s.Interval)
		}
	})
}

type stretcher struct{ *stopper }

func (s stretcher) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	h.SetStretch(3)
	return next(h)
}

func TestCookiesAreStillTheCollectors(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/1", testweb.Answer{Body: "x", Header: http.Header{"Set-Cookie": {"k=v"}}}).Page("/2", "x")
		c, _ := paced(t, web, Options{})
		jar, _ := cookiejar.New(nil)
		c.SetCookieJar(jar)
		visit(t, c, "http://a.test/1", "http://a.test/2")
		if got := web.Hits()[1].Header.Get("Cookie"); got != "k=v" {
			t.Errorf("Cookie %q, want k=v", got)
		}
	})
}
