package throttle

import (
	"fmt"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestWithoutARuleAHostIsAskedOnceASecond(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		start := time.Now()
		visit(t, c, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		wantAt(t, web, "a.test", start, seconds(0, 1, 2)...)
		wantIdle(t, th)
	})
}

func TestEachHostIsPacedByItselfUnderOneRuleForAll(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		c, th := paced(t, web, Options{Rules: []LimitRule{{DomainGlob: "*", Delay: 2 * time.Second}}}, colly.Async())
		start := time.Now()
		for i := range 3 {
			for _, h := range []string{"a.test", "b.test", "c.test"} {
				web.Host(h).Page("/*", "x")
				_ = c.Visit(fmt.Sprintf("http://%s/%d", h, i))
			}
		}
		c.Wait()
		for _, h := range []string{"a.test", "b.test", "c.test"} {
			wantAt(t, web, h, start, seconds(0, 2, 4)...)
		}
		wantIdle(t, th)
	})
}

func TestTheGapRunsFromTheEndOfASlowBody(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", testweb.Answer{Body: "abcd", Delay: time.Second, Drip: testweb.Drip{Every: time.Second}})
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: 2 * time.Second}}})
		start := time.Now()
		visit(t, c, "http://a.test/1", "http://a.test/2")
		hits := web.HitsOf("a.test")
		if got, want := hits[1].Time.Sub(start), 6*time.Second; len(hits) != 2 || got < want {
			t.Errorf("the second request was sent %v after the first, want at least %v: 4 s until the body's end and the gap", got, want)
		}
		wantIdle(t, th)
	})
}

func TestWithParallelismStartsStayOneIntervalApart(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", testweb.Answer{Body: "x", Delay: 10 * time.Second})
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Second, Parallelism: 4}}}, colly.Async())
		c.SetRequestTimeout(time.Minute)
		start := time.Now()
		for i := range 6 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		c.Wait()
		wantAt(t, web, "a.test", start, seconds(0, 1, 2, 3, 10, 11)...)
		wantIdle(t, th)
	})
}

func TestAnIdleHostSavesUpNoBurst(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, _ := paced(t, web, Options{}, colly.Async())
		visit(t, c, "http://a.test/0")
		time.Sleep(time.Hour)
		start := time.Now()
		web.Reset()
		visit(t, c, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		wantAt(t, web, "a.test", start, seconds(0, 1, 2)...)
	})
}

func TestRandomDelayOnlyAdds(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, _ := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Second, RandomDelay: time.Second}}})
		for i := range 50 {
			visit(t, c, fmt.Sprintf("http://a.test/%d", i))
		}
		longer := 0
		for _, gap := range testweb.Gaps(web.HitsOf("a.test")) {
			if gap < time.Second || gap > 2*time.Second {
				t.Errorf("gap %v, want 1 s to 2 s", gap)
			}
			if gap > 1100*time.Millisecond {
				longer++
			}
		}
		if longer < 20 {
			t.Errorf("%d of 49 gaps were longer than 1.1 s, want most", longer)
		}
	})
}

func TestNoDelayKeepsNoGapAndOneAtATime(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", testweb.Answer{Body: "x", Delay: time.Second})
		c, _ := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay}}}, colly.Async())
		start := time.Now()
		visit(t, c, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		wantAt(t, web, "a.test", start, seconds(0, 1, 2)...)
	})
}

func TestRedirectHopsKeepTheGapAndJoinTheirHostsLine(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/1", testweb.Answer{Redirect: "/2"}).Answer("/2", testweb.Answer{Redirect: "http://b.test/3"})
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: 2 * time.Second}}})
		start := time.Now()
		visit(t, c, "http://b.test/0", "http://a.test/1", "http://b.test/4")
		wantAt(t, web, "a.test", start, seconds(0, 2)...)
		wantAt(t, web, "b.test", start, seconds(0, 2, 4)...)
		wantIdle(t, th)
	})
}
