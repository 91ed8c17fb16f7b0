package throttle

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func retryAfter(status int, value string) testweb.Answer {
	a := testweb.Answer{Status: status, Body: "slow down"}
	if value != "" {
		a.Header = http.Header{"Retry-After": {value}}
	}
	return a
}

func TestA429StopsTheWholeHostForAsLongAsItAsks(t *testing.T) {
	for _, status := range []int{429, 503} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x").Answer("/1", retryAfter(status, "120"))
			web.Host("b.test").Page("/*", "x")
			c, th := paced(t, web, Options{}, colly.Async())
			var seen []int
			c.OnError(func(r *colly.Response, _ error) { seen = append(seen, r.StatusCode) })
			start := time.Now()
			for _, u := range []string{"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1", "http://b.test/2"} {
				_ = c.Visit(u)
				time.Sleep(time.Millisecond)
			}
			time.Sleep(10 * time.Second)
			s, _ := th.Snapshot("a.test")
			if s.Source != FromBlock || s.Level != 1 || s.Waiting != 2 {
				t.Errorf("Snapshot = %+v, want a block of level 1 and 2 waiting", s)
			}
			c.Wait()
			hits := web.HitsOf("a.test")
			if got := hits[1].Time.Sub(start); got < 120*time.Second || got > 133*time.Second {
				t.Errorf("%d: the next request came %v after it, want 120 s to 132 s", status, got)
			}
			if gap := hits[2].Time.Sub(hits[1].Time); gap != time.Second {
				t.Errorf("%d: the gap after the block is %v, want 1 s", status, gap)
			}
			if gaps := testweb.Gaps(web.HitsOf("b.test")); gaps[0] != time.Second {
				t.Errorf("another host waited %v, want 1 s", gaps[0])
			}
			if len(seen) != 1 || seen[0] != status {
				t.Errorf("OnError got %v, want the %d as it came", seen, status)
			}
			wantIdle(t, th)
		})
	}
}

func TestA429StopsTheOthersBeforeItsBodyIsRead(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		slow := retryAfter(429, "60")
		slow.Drip = testweb.Drip{Bytes: 1, Every: time.Second}
		web.Host("a.test").Page("/*", "x").Answer("/1", slow)
		c, _ := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Second, Parallelism: 2}}}, colly.Async())
		_ = c.Visit("http://a.test/1")
		time.Sleep(time.Millisecond)
		_ = c.Visit("http://a.test/2")
		c.Wait()
		if gap := testweb.Gaps(web.HitsOf("a.test"))[0]; gap < 60*time.Second {
			t.Errorf("the other request was sent after %v, while the 429's body was read; want 60 s", gap)
		}
	})
}

func TestABlockThatLastsTooLongIsSkippedWithTheTimeToAskAgain(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Answer("/1", retryAfter(429, "600"))
		var skips []report.Skip
		var mu sync.Mutex
		c, th := paced(t, web, Options{OnSkip: func(_ *colly.Request, s report.Skip) {
			mu.Lock()
			defer mu.Unlock()
			skips = append(skips, s)
		}}, colly.Async())
		start := time.Now()
		for i := range 3 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i+1))
			time.Sleep(time.Millisecond)
		}
		c.Wait() // 2 and 3 waited when the block came
		visit(t, c, "http://a.test/4")
		if len(skips) != 3 {
			t.Fatalf("%d skips %+v, want 3", len(skips), skips)
		}
		for _, s := range skips {
			if s.Reason != report.RateLimited || s.RetryAt.Sub(start) < 600*time.Second || s.RetryAt.Sub(start) > 661*time.Second {
				t.Errorf("skip %+v, want rate_limited, to be asked again after 600 s to 660 s", s)
			}
		}
		wantAt(t, web, "a.test", start, 0)
		time.Sleep(time.Until(skips[0].RetryAt))
		visit(t, c, "http://a.test/5")
		if got := len(web.Log()); got != 2 {
			t.Errorf("%d requests after the block, want 2", got)
		}
		wantIdle(t, th)
	})
}

func TestARetryAfterOfTwoDaysParksTheHostAndIsNotShortened(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Answer("/1", retryAfter(503, "172800"))
		c, th := paced(t, web, Options{MaxBlockWait: 1000 * time.Hour})
		_ = c.Visit("http://a.test/1")
		s, _ := th.Snapshot("a.test")
		if s.Parked != report.RateLimited || time.Until(s.Until) < 48*time.Hour {
			t.Errorf("Snapshot = %+v, want parked, rate_limited, for 48 h", s)
		}
		if err := c.Visit("http://a.test/2"); err != nil {
			t.Errorf("Visit of a parked host = %v, want a skip", err)
		}
		time.Sleep(54 * time.Hour)
		visit(t, c, "http://a.test/3")
		if got := web.Log(); len(got) != 2 || got[1] != "GET http://a.test/3" {
			t.Errorf("server saw %q, want /1 and, after two days, /3", got)
		}
	})
}

func TestTwentyRefusalsAtOnceAreOneIncident(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		busy := retryAfter(429, "")
		busy.Delay = time.Second
		web.Host("a.test").Answer("/*", busy)
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay, Parallelism: 20}}}, colly.Async())
		for i := range 20 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		c.Wait()
		if s, _ := th.Snapshot("a.test"); s.Level != 1 || len(web.Log()) != 20 {
			t.Errorf("level %d after %d answers of 429 at once, want 1 after 20", s.Level, len(web.Log()))
		}
		wantIdle(t, th)
	})
}

func TestAfterABlockOneRequestProbesBeforeTheOthers(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		slow := testweb.Answer{Body: "x", Delay: 3 * time.Second}
		web.Host("a.test").Answer("/*", slow).Answer("/1", retryAfter(429, "60"))
		c, _ := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay, Parallelism: 4}}}, colly.Async())
		_ = c.Visit("http://a.test/1")
		time.Sleep(time.Second)
		for i := range 4 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i+2))
		}
		c.Wait()
		gaps := testweb.Gaps(web.HitsOf("a.test"))
		if gaps[1] != 3*time.Second || gaps[2] != 0 || gaps[3] != 0 {
			t.Errorf("gaps %v, want one probe of 3 s and then the others at once", gaps)
		}
	})
}

func TestA429OnRobotsTxtIsAnIncidentOfTheHost(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Answer("/robots.txt", retryAfter(429, "30"))
		c, th := obeying(t, web, Options{}, &rules{})
		visit(t, c, "http://a.test/1")
		if gap := testweb.Gaps(web.HitsOf("a.test"))[0]; gap < 30*time.Second {
			t.Errorf("the page came %v after a robots.txt answered 429 with Retry-After: 30", gap)
		}
		if s, _ := th.Snapshot("a.test"); s.Level != 1 {
			t.Errorf("level %d, want 1", s.Level)
		}
	})
}

func TestAHostThatDoesNothingElseThanBlockIsParked(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", retryAfter(429, ""))
		c, th := paced(t, web, Options{MaxBlockWait: time.Hour})
		for i := range 30 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		if got := len(web.Log()); got != 6 {
			t.Errorf("%d requests, want 6: blocks of 30 s, 1, 2, 4 and 8 min, then no more", got)
		}
		s, _ := th.Snapshot("a.test")
		if left := time.Until(s.Until); s.Parked != report.RateLimited || left > 24*time.Hour || left < 23*time.Hour {
			t.Errorf("Snapshot = %+v, want parked for a day", s)
		}
	})
}

func TestAThrottledURLIsAskedPastCollysCache(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/0", "x").Answer("/1", retryAfter(429, "10"), testweb.Answer{Body: "well"})
		dir := t.TempDir()
		c, _ := paced(t, web, Options{}, colly.CacheDir(dir), colly.AllowURLRevisit())
		_ = c.Visit("http://a.test/1")
		visit(t, c, "http://a.test/1", "http://a.test/1")
		if got, want := web.Count("GET http://a.test/1"), 3; got != want {
			t.Errorf("the server saw /1 %d times, want %d: never from the cache", got, want)
		}
		if got := web.Hits()[1].Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("Cache-Control %q, want no-cache", got)
		}
	})
}

func TestWhoseRedirectLedToA429IsAskedPastCollysCacheToo(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/from", testweb.Answer{Redirect: "/to"}).Answer("/to", retryAfter(429, "10"), testweb.Answer{Body: "well"})
		c, _ := paced(t, web, Options{}, colly.CacheDir(t.TempDir()), colly.AllowURLRevisit())
		_ = c.Visit("http://a.test/from")
		visit(t, c, "http://a.test/from")
		if got := web.Count("GET http://a.test/to"); got != 2 {
			t.Errorf("the server saw /to %d times, want twice: not the 429 that the cache kept", got)
		}
	})
}

func TestA429OutOfTheCacheIsToldAndNeverCounts(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/0", "x").Answer("/1", retryAfter(429, "10"))
		dir := t.TempDir()
		before, _ := paced(t, web, Options{}, colly.CacheDir(dir))
		_ = before.Visit("http://a.test/1")

		var log logged
		c, th := paced(t, web, Options{Logger: log.logger()}, colly.CacheDir(dir), colly.AllowURLRevisit())
		_ = c.Visit("http://a.test/1")
		if got := len(web.Log()); got != 1 {
			t.Errorf("%d requests, want 1: the second answer came out of the cache", got)
		}
		if got := log.lines("CacheDir"); len(got) != 1 {
			t.Errorf("log %q, want one line about the cache", got)
		}
		if _, known := th.Snapshot("a.test"); known {
			t.Error("an answer out of the cache made the host known")
		}
		_ = c.Visit("http://a.test/1")
		if got := len(web.Log()); got != 2 {
			t.Errorf("%d requests, want 2: the URL is asked anew", got)
		}
	})
}
