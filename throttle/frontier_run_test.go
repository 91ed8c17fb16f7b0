package throttle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestASlowAnswerHoldsOneThreadOnly(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", testweb.Answer{Delay: 9 * time.Second, Body: "x"})
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		f, _ := frontierOf(t, th, nil, slices.Concat(numbered("a.test", 4), numbered("b.test", 4))...)
		start := time.Now()
		runAll(t, f, c, 2)
		wantAt(t, web, "a.test", start, seconds(0, 10, 20, 30)...)
		wantAt(t, web, "b.test", start, seconds(0, 1, 2, 3)...)
	})
}

func TestVisitedURLsHoldNobodyUpInRun(t *testing.T) {
	for _, async := range []bool{false, true} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x")
			c, th := paced(t, web, Options{}, colly.Async(async))
			f, q := frontierOf(t, th, nil, "http://a.test/1")
			for range 50 {
				addAll(t, q, "http://a.test/1")
			}
			addAll(t, q, "http://a.test/2")
			start := time.Now()
			runAll(t, f, c, 1)
			wantAt(t, web, "a.test", start, seconds(0, 1)...)
		})
	}
}

func TestRunFetchesWhatHandlersAdd(t *testing.T) {
	for _, async := range []bool{false, true} {
		t.Run(fmt.Sprint("async=", async), func(t *testing.T) {
			virtual(t, func(t *testing.T, web *testweb.Web) {
				web.Host("a.test").Page("/*", "x").Page("/", testweb.Links("/1", "http://b.test/")).
					Answer("/1", testweb.Answer{Delay: 5 * time.Second, Body: "x"})
				web.Host("b.test").Page("/", testweb.Links("/1")).Page("/1", "x")
				c, th := paced(t, web, Options{}, colly.Async(async))
				f, q := frontierOf(t, th, nil, "http://a.test/")
				c.OnHTML("a[href]", func(e *colly.HTMLElement) {
					r, err := e.Request.New("GET", e.Request.AbsoluteURL(e.Attr("href")), nil)
					if err == nil {
						err = q.AddRequest(r)
					}
					if err != nil {
						t.Errorf("AddRequest = %v, want nil", err)
					}
				})
				runAll(t, f, c, 4)
				got := web.Log()
				slices.Sort(got)
				if d := cmp.Diff(got, []string{"GET http://a.test/", "GET http://a.test/1", "GET http://b.test/", "GET http://b.test/1"}); d != "" {
					t.Errorf("the log (-got +want):\n%s", d)
				}
				wantIdle(t, th)
			})
		})
	}
}

func TestRunEndsWithItsContextAndWithTheCollectors(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		for _, own := range []bool{true, false} {
			ctx, cancel := context.WithCancelCause(t.Context())
			runCtx := ctx
			opts := []colly.CollectorOption{colly.StdlibContext(ctx)}
			if own {
				opts = nil
			} else {
				runCtx = t.Context()
			}
			c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Hour}}}, opts...)
			f, _ := frontierOf(t, th, nil, numbered("a.test", 3)...)
			cause := errors.New("enough")
			time.AfterFunc(time.Minute, func() { cancel(cause) })
			start := time.Now()
			if err := f.Run(runCtx, c, 2); !errors.Is(err, cause) || time.Since(start) != time.Minute {
				t.Errorf("Run = %v after %v, want %v after 1m", err, time.Since(start), cause)
			}
			wantSize(t, f, 2) // it stays for a later Run
		}
	})
}

func TestHostsOfOneDomainDoNotHoldTheThreadsOfOthers(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var urls []string
		for i := range 40 {
			host := fmt.Sprintf("s%d.wild.test", i)
			web.Host(host).Page("/*", "x")
			urls = append(urls, "http://"+host+"/")
		}
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		f, _ := frontierOf(t, th, nil, append(urls, numbered("b.test", 5)...)...)
		start := time.Now()
		runAll(t, f, c, 2)
		wantAt(t, web, "b.test", start, seconds(0, 1, 2, 3, 4)...)
		if got, most := time.Since(start), 12*time.Second; got > most {
			t.Errorf("40 hosts of one domain at 4 a second took %v, want at most %v", got, most)
		}
	})
}

func TestAFewHostsOfOneDomainUseAllThatItIsGiven(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var urls []string
		for i := range 8 {
			host := fmt.Sprintf("s%d.wild.test", i)
			web.Host(host).Page("/*", "x")
			urls = append(urls, numbered(host, 5)...)
		}
		c, th := paced(t, web, Options{})
		f, _ := frontierOf(t, th, nil, urls...)
		start := time.Now()
		runAll(t, f, c, 8)
		if got, most := time.Since(start), 10500*time.Millisecond; got > most {
			t.Errorf("40 requests at %d a second took %v, want at most %v", DefaultDomainRate, got, most)
		}
		wantIdle(t, th)
	})
}

func TestADomainWithoutACeilingPutsNobodyOff(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		_, th := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay}}})
		mustWait(t, th, "http://s0.wild.test/").Cancel()
		if wait := th.ceilings.spare("wild.test", 5, time.Now()); wait != 0 {
			t.Errorf("spare of a domain without a ceiling = %v, want 0", wait)
		}
	})
}

func TestAHostKeepsItsPlaceInItsDomainWhenURLsAreAdded(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var urls []string
		for i := range 3 {
			web.Host(fmt.Sprintf("s%d.wild.test", i)).Page("/*", "x")
			urls = append(urls, fmt.Sprintf("http://s%d.wild.test/0", i))
		}
		c, th := paced(t, web, Options{})
		f, q := frontierOf(t, th, nil, urls...)
		c.OnResponse(func(r *colly.Response) {
			time.Sleep(10 * time.Millisecond) // the third host was put off by then
			if r.Request.URL.Path == "/0" {
				for i := range 20 {
					addAll(t, q, fmt.Sprintf("http://s2.wild.test/%d", i+1))
				}
			}
		})
		start := time.Now()
		runAll(t, f, c, 3)
		if got, want := web.HitsOf("s2.wild.test")[0].Time.Sub(start).Round(time.Millisecond), time.Second/DefaultDomainRate; got != want {
			t.Errorf("the third host was asked after %v, want %v", got, want)
		}
	})
}

// What the ceiling gave to others, and hand-outs that are still to come, are only what is known at the moment: who is put off because of them must not be
// put off longer than they last.
func TestAHandOutThatDoesNotComeLeavesItsStartToTheNextHost(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		_, th := paced(t, web, Options{})
		f, _ := frontierOf(t, th, nil, "http://s0.wild.test/", "http://s1.wild.test/", "http://s2.wild.test/", "http://s3.wild.test/")
		start := time.Now()
		for range domainBurst {
			if _, err := f.GetRequest(); err != nil { // and nobody asks for it
				t.Fatal(err)
			}
		}
		for _, other := range []string{"http://x.wild.test/", "http://y.wild.test/"} {
			mustWait(t, th, other).Done(nil, nil)
		}
		for i := range 2 {
			it, err := f.GetRequest()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(start).Round(time.Millisecond), time.Duration(i+1)*time.Second/DefaultDomainRate; got != want {
				t.Errorf("host %d after them was handed out after %v, want %v", i+1, got, want)
			}
			h, _ := item(it).head()
			mustWait(t, th, h.url.String()).Done(nil, nil)
		}
	})
}

func TestSlowRobotsTxtOfSomeHostsDoNotHoldTheOthersOfTheirDomain(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var urls []string
		for i := range 6 {
			host := fmt.Sprintf("s%d.wild.test", i)
			web.Host(host).Page("/*", "x")
			if i < 4 {
				web.Host(host).Answer("/robots.txt", testweb.Answer{Delay: 10 * time.Second})
			}
			urls = append(urls, "http://"+host+"/")
		}
		c, th := obeying(t, web, Options{}, asking(0))
		f, _ := frontierOf(t, th, nil, urls...)
		start := time.Now()
		runAll(t, f, c, 8)
		for _, host := range []string{"s4.wild.test", "s5.wild.test"} {
			hits := web.HitsOf(host)
			if got, most := hits[len(hits)-1].Time.Sub(start), 5*time.Second; got > most {
				t.Errorf("%s was asked after %v, want at most %v", host, got, most)
			}
		}
	})
}

func TestAPageThatWaitsForItsRobotsTxtKeepsTheNextOneBack(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x").Answer("/robots.txt", testweb.Answer{Delay: time.Second})
		c, th := obeying(t, web, Options{}, asking(10*time.Second))
		f, _ := frontierOf(t, th, nil, numbered("a.test", 3)...)
		time.AfterFunc(15*time.Second, func() {
			if s := th.Stats(); s.Waiting != 0 {
				t.Errorf("%d wait in the host's line, each holding a thread, want 0", s.Waiting)
			}
		})
		start := time.Now()
		runAll(t, f, c, 4)
		wantAt(t, web, "a.test", start, seconds(0, 11, 21, 31)...)
	})
}

func TestRunSaysWhatIsWrongWithItsArguments(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		c, th := paced(t, web, Options{})
		_, other := paced(t, web, Options{})
		if err := NewFrontier(th, nil).Run(t.Context(), c, 0); err == nil {
			t.Error("Run with 0 threads = nil, want an error")
		}
		for _, c := range []*colly.Collector{nil, colly.NewCollector(), c} {
			if err := NewFrontier(other, nil).Run(t.Context(), c, 1); err == nil {
				t.Errorf("Run with a collector of another Throttle, or of none = nil, want an error")
			}
		}
		if err := NewFrontier(th, nil).AddRequest([]byte("no request")); err == nil {
			t.Error("AddRequest of what is no request = nil, want an error")
		}
	})
}

func TestFrontiersThatNobodyUsesAreForgotten(t *testing.T) {
	th, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		NewFrontier(th, nil)
		runtime.GC()
	}
	f := NewFrontier(th, nil)
	if got, most := len(*th.frontiers.Load()), 10; got > most {
		t.Errorf("the throttle tells %d frontiers, want at most %d: one is in use", got, most)
	}
	runtime.KeepAlive(f)
}

func TestAFrontierLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble fails if one is left
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("a.test").Page("/*", "x")
		th, err := New(Options{Base: web.Transport(), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		c := colly.NewCollector()
		if err := th.Attach(c); err != nil {
			t.Fatal(err)
		}
		f, _ := frontierOf(t, th, nil, numbered("a.test", 3)...)
		runAll(t, f, c, 8)
	})
}

func TestARealCrawlFetchesEachURLOnce(t *testing.T) {
	for _, async := range []bool{false, true} {
		web, err := testweb.NewLoopback()
		if err != nil {
			t.Fatal(err)
		}
		const hosts, pages = 10, 30
		var links []string
		for h := range hosts {
			for p := range pages {
				links = append(links, fmt.Sprintf("http://h%d.test/%d", h, p))
			}
			web.Host(fmt.Sprintf("h%d.test", h)).Page("/*", testweb.Links(links[max(0, len(links)-40):]...))
		}
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Millisecond, Parallelism: 2}}}, colly.Async(async))
		f, q := frontierOf(t, th, nil, links...)
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { addAll(t, q, e.Request.AbsoluteURL(e.Attr("href"))) })
		runAll(t, f, c, 8)
		got := web.Log()
		slices.Sort(got)
		if n := len(slices.Compact(got)); n != hosts*pages || len(got) != n {
			t.Errorf("async %v: %d different URLs in %d requests, want each of %d once", async, n, len(got), hosts*pages)
		}
		wantSize(t, f, 0)
		wantIdle(t, th)
		web.Close()
	}
}
