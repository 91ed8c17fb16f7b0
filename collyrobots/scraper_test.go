package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/proxy"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// loops is a web on which each way to be refused waits.
func loops(web *testweb.Web) []string {
	web.Host("shop.test").Robots(disallowPrivate).Page("/", "x").Answer("/go", testweb.Answer{Redirect: "/private"})
	web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})
	return []string{"http://shop.test/private", "http://shop.test/go", "http://down.test/"}
}

func TestALoopOfRetryInOnErrorEnds(t *testing.T) {
	for _, async := range []bool{false, true} {
		for _, method := range []string{"GET", "HEAD"} {
			t.Run(fmt.Sprintf("async=%v %s", async, method), func(t *testing.T) {
				inBubble(t, func(t *testing.T, web *testweb.Web) {
					urls := loops(web)
					c := newCollector(t, newRobots(t, web, Options{}), colly.Async(async))
					var calls atomic.Int32
					c.OnError(func(r *colly.Response, err error) {
						if calls.Add(1) > 100 {
							t.Error("OnError was called more than 100 times")
							return
						}
						_ = r.Request.Retry()
					})
					for _, u := range urls {
						_ = c.Request(method, u, nil, nil, nil)
					}
					c.Wait()
					synctest.Wait()
					if got := len(web.Hits()); got > 5 {
						t.Errorf("the server saw %v", web.Log())
					}
				})
			})
		}
	}
}

func TestALoopThatCannotBecomeASkipSendsNothingMore(t *testing.T) {
	for _, test := range []struct {
		name   string
		o      Options
		method string
		clone  bool
	}{
		{"POST", Options{}, "POST", false},
		{"Refusals: Error", Options{Refusals: RefusalsError}, "GET", false},
		{"a plain clone", Options{}, "GET", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				loops(web)
				c := newCollector(t, newRobots(t, web, test.o))
				if test.clone {
					c = c.Clone()
				}
				calls := 0
				begin := time.Now()
				c.OnError(func(r *colly.Response, err error) {
					if calls++; calls < 20 {
						_ = r.Request.Retry()
					}
				})
				wantErr(t, test.method, c.Request(test.method, "http://shop.test/private", strings.NewReader("x=1"), nil, nil), ErrDisallowed)
				wantLog(t, web, "GET http://shop.test/robots.txt")
				if calls != 20 || time.Since(begin) < time.Minute {
					t.Errorf("%d answers in %v, want each later than the one before", calls, time.Since(begin))
				}
			})
		})
	}
}

func TestWhatWasRefusedIsAskedAgainWhenTheRulesHaveChanged(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/a", "x").Answer("/robots.txt", testweb.Answer{Body: "User-agent: *\nDisallow: /a"}, testweb.Answer{})
		c := newCollector(t, newRobots(t, web, Options{}))
		visit(t, c, ErrDisallowed, "http://shop.test/a")
		visit(t, c, nil, "http://shop.test/a")
		after(25 * time.Hour)
		visit(t, c, nil, "http://shop.test/a")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/robots.txt", "GET http://shop.test/a")
	})
}

func TestARefusedPOSTIsAlwaysAnError(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		loops(web)
		c := newCollector(t, newRobots(t, web, Options{}))
		visit(t, c, nil, "http://shop.test/") // known from here on
		for range 2 {
			wantErr(t, "Post", c.Post("http://shop.test/private", map[string]string{"user": "me"}), ErrDisallowed)
		}
		wantErr(t, "Post", c.Post("http://down.test/login", nil), ErrUnreachable)
	})
}

func TestACollectorThatGotErrorsSoFarGoesOnToGetThem(t *testing.T) {
	for _, test := range []struct {
		refusals Refusals
		ignore   bool
		want     error
	}{
		{RefusalsAuto, false, colly.ErrRobotsTxtBlocked},
		{RefusalsAuto, true, nil},
		{RefusalsSkip, false, nil},
		{RefusalsError, true, colly.ErrRobotsTxtBlocked},
	} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			loops(web)
			c := colly.NewCollector(colly.AllowURLRevisit())
			c.IgnoreRobotsTxt = test.ignore
			if err := newRobots(t, web, Options{Refusals: test.refusals}).Attach(c); err != nil {
				t.Fatal(err)
			}
			visit(t, c, nil, "http://shop.test/")
			if err := c.Visit("http://shop.test/private"); !errors.Is(err, test.want) {
				t.Errorf("%+v: Visit = %v, want %v", test, err, test.want)
			}
			if got := web.Count("GET http://shop.test/robots.txt"); got != 1 {
				t.Errorf("%+v: robots.txt was asked for %d times: %v", test, got, web.Log())
			}
		})
	}
}

func TestAURLThatALaterCallbackChangesIsJudgedAsItIsSent(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		loops(web)
		c := newCollector(t, newRobots(t, web, Options{}))
		c.OnRequest(func(r *colly.Request) { r.URL.Path = strings.Replace(r.URL.Path, "open", "private", 1) })
		visit(t, c, nil, "http://shop.test/")
		visit(t, c, ErrDisallowed, "http://shop.test/open")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/")
	})
}

func TestQueuesAndClonesObey(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		loops(web)
		told := &skips{}
		r := newRobots(t, web, Options{OnSkip: told.add})
		c := newCollector(t, r)
		q, err := queue.New(2, &queue.InMemoryQueueStorage{MaxSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/", "/private", "/private/2", "/go"} {
			if err := q.AddURL("http://shop.test" + path); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.Run(c); err != nil {
			t.Fatal(err)
		}
		clone := c.Clone()
		visit(t, clone, ErrDisallowed, "http://shop.test/private/3")
		full, err := chain.Clone(c)
		if err != nil {
			t.Fatal(err)
		}
		visit(t, full, nil, "http://shop.test/private/4")
		if got := len(told.lines()); got != 5 {
			t.Errorf("OnSkip was told %v, want 5", told.lines())
		}
		for _, line := range web.Log() {
			if strings.Contains(line, "private") {
				t.Errorf("the server saw %s", line)
			}
		}
		if got := web.Count("GET http://shop.test/robots.txt"); got != 1 {
			t.Errorf("robots.txt was asked for %d times", got)
		}
	})
}

func TestRobotsTxtGoesThroughTheCollectorsProxy(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		p, err := web.Proxy()
		if err != nil {
			t.Fatal(err)
		}
		web.Host("shop.test").Robots(disallowPrivate).Page("/", "x")
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		c.SetProxyFunc(http.ProxyURL(p.URL()))
		visit(t, c, nil, "http://shop.test/")
		// What no request asks for goes the same way.
		check(t, r, "http://other.test/")
		after(20 * time.Hour)
		visit(t, c, nil, "http://shop.test/")
		synctest.Wait()
		if got := len(p.Hits()); got != 5 || got != len(web.Hits()) {
			t.Errorf("the proxy saw %v, the web %v", p.Log(), web.Log())
		}
	})
}

func TestAProxysFailureIsNotTheSitesAnswer(t *testing.T) {
	for name, fail := range map[string]func(p *testweb.Proxy){
		"407":  func(p *testweb.Proxy) { p.Answer(testweb.Answer{Status: 407}) },
		"dial": func(p *testweb.Proxy) { p.DialError(errors.New("no proxy here")) },
	} {
		for _, scheme := range []string{"http", "https"} {
			t.Run(name+" "+scheme, func(t *testing.T) {
				inBubble(t, func(t *testing.T, web *testweb.Web) {
					bad, err := web.Proxy()
					if err != nil {
						t.Fatal(err)
					}
					good, err := web.Proxy()
					if err != nil {
						t.Fatal(err)
					}
					fail(bad)
					web.Host("shop.test").Robots(disallowPrivate).Page("/", "x")
					r := newRobots(t, web, Options{})
					c := newCollector(t, r)
					switcher, err := proxy.RoundRobinProxySwitcher(bad.URL().String(), bad.URL().String(), bad.URL().String(), good.URL().String())
					if err != nil {
						t.Fatal(err)
					}
					c.SetProxyFunc(switcher)
					_ = c.Visit(scheme + "://shop.test/")
					if d := check(t, r, scheme+"://shop.test/private"); d.Class != ClassRules || d.Allowed {
						t.Errorf("Check = %+v, want the rules, by the fourth proxy", d)
					}
					if got := web.Count("GET " + scheme + "://shop.test/robots.txt"); got != 1 {
						t.Errorf("the site was asked %d times: %v", got, web.Log())
					}
				})
			})
		}
	}
}

// fakeThrottle plays the throttle: it waits, asks again, and renews what is stale.
type fakeThrottle struct {
	wait  time.Duration // for pages
	first time.Duration // for robots.txt
	seen  []time.Duration
	renew int
}

func (f *fakeThrottle) Kind() chain.Kind                    { return chain.Throttle }
func (f *fakeThrottle) Skipped(*colly.Request, report.Skip) {}
func (f *fakeThrottle) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	d, _ := h.CrawlDelay()
	f.seen = append(f.seen, d)
	if h.IsRobots() {
		if stale, err := h.Recheck(); stale || err != nil {
			panic("a request for robots.txt is stale")
		}
		time.Sleep(f.first)
		return next(h)
	}
	time.Sleep(f.wait)
	stale, err := h.Recheck()
	if err == nil && stale {
		f.renew++
		err = h.Renew()
	}
	if err != nil {
		return h.Refuse(err)
	}
	return next(h)
}

func TestRulesThatRanOutDuringTheWaitAreFetchedAgain(t *testing.T) {
	for _, test := range []struct {
		name  string
		wait  time.Duration
		then  testweb.Answer
		want  error
		renew int
	}{
		{"still good", time.Hour, testweb.Answer{Status: 500}, nil, 0},
		{"the same", 25 * time.Hour, testweb.Answer{Body: disallowPrivate}, nil, 1},
		{"changed", 25 * time.Hour, testweb.Answer{Body: "User-agent: *\nDisallow: /\n"}, ErrDisallowed, 1},
		{"unreachable", 25 * time.Hour, testweb.Answer{Status: 500}, ErrUnreachable, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{Body: disallowPrivate}, test.then)
				c := newCollector(t, newRobots(t, web, Options{}))
				throttle := &fakeThrottle{wait: test.wait}
				if _, err := chain.Attach(c, chain.Config{}, throttle); err != nil {
					t.Fatal(err)
				}
				visit(t, c, test.want, "http://shop.test/")
				if throttle.renew != test.renew || web.Count("GET http://shop.test/robots.txt") != test.renew+1 {
					t.Errorf("renewed %d times, want %d; the server saw %v", throttle.renew, test.renew, web.Log())
				}
			})
		})
	}
}

func TestRulesThatChangedDuringTheWaitCount(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{}, testweb.Answer{Body: "User-agent: *\nDisallow: /\n"})
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		throttle := &fakeThrottle{}
		if _, err := chain.Attach(c, chain.Config{}, throttle); err != nil {
			t.Fatal(err)
		}
		visit(t, c, nil, "http://shop.test/")
		after(19 * time.Hour)
		throttle.wait = time.Hour // until 80 % of its life are over, and somebody refreshes
		go func() {
			after(time.Hour - time.Minute)
			check(t, r, "http://shop.test/")
		}()
		visit(t, c, ErrDisallowed, "http://shop.test/")
	})
}

func TestTheCrawlDelayReachesTheThrottle(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(groups).Page("/", "x")
		logger, lines := logLines()
		c := newCollector(t, newRobots(t, web, Options{Logger: logger}))
		throttle := &fakeThrottle{}
		if _, err := chain.Attach(c, chain.Config{}, throttle); err != nil {
			t.Fatal(err)
		}
		visit(t, c, nil, "http://shop.test/")
		after(25 * time.Hour)
		visit(t, c, nil, "http://shop.test/", "http://shop.test/robots.txt")
		// robots.txt, page, robots.txt at the pace of the older copy, page, robots.txt as a page.
		if got := fmt.Sprint(throttle.seen); got != "[0s 3s 3s 3s 3s]" {
			t.Errorf("the throttle saw %s", got)
		}
		if got := lines("crawl delay"); len(got) != 0 {
			t.Errorf("warned %q although somebody keeps it", got)
		}
	})
}

// fakeSwitch plays the kill switch: it refuses hosts.
type fakeSwitch struct {
	host string
	told int
}

type stopped struct{ url string }

func (s *stopped) Error() string     { return "stopped: " + s.url }
func (s *stopped) Skip() report.Skip { return report.Skip{URL: s.url, Reason: report.Stopped} }

func (f *fakeSwitch) Kind() chain.Kind                    { return chain.KillSwitch }
func (f *fakeSwitch) Skipped(*colly.Request, report.Skip) { f.told++ }
func (f *fakeSwitch) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if h.URL().Hostname() == f.host {
		return h.Refuse(&stopped{h.URL().String()})
	}
	return next(h)
}

func TestAStoppedHostsRobotsTxtIsNotAskedForAndNothingIsRemembered(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("").Page("/", "x")
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		kill := &fakeSwitch{host: "shop.test"}
		if _, err := chain.Attach(c, chain.Config{}, kill); err != nil {
			t.Fatal(err)
		}
		d := check(t, r, "http://shop.test/")
		var s *stopped
		if d.Allowed || d.Reason != report.Stopped || !errors.As(d.Err, &s) {
			t.Errorf("Check = %+v, want stopped", d)
		}
		wantLog(t, web)
		kill.host = ""
		visit(t, c, nil, "http://shop.test/")
	})
}

func TestARedirectOfRobotsTxtToAStoppedHostIsUnreachable(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://bad.test/robots.txt"})
		c := newCollector(t, newRobots(t, web, Options{}))
		if _, err := chain.Attach(c, chain.Config{}, &fakeSwitch{host: "bad.test"}); err != nil {
			t.Fatal(err)
		}
		visit(t, c, ErrUnreachable, "http://shop.test/")
		wantLog(t, web, "GET http://shop.test/robots.txt")
	})
}

func TestAWaitForItsTurnIsNoTimeOnTheWire(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{Redirect: "/r.txt", Delay: 5 * time.Second}).
			Answer("/r.txt", testweb.Answer{Body: disallowPrivate, Delay: 5 * time.Second})
		c := newCollector(t, newRobots(t, web, Options{}))
		if _, err := chain.Attach(c, chain.Config{}, &fakeThrottle{first: 50 * time.Second}); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		visit(t, c, nil, "http://shop.test/")
		if took := time.Since(begin); took != 110*time.Second {
			t.Errorf("the visit took %v, want 1m50s", took)
		}
	})
}

func TestACollectorThatEndedIsNotAskedToFetchForAnother(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate).Page("/", "x")
		r := newRobots(t, web, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		over := newCollector(t, r, colly.StdlibContext(ctx))
		visit(t, over, nil, "http://shop.test/")
		cancel()
		after(25 * time.Hour)
		if d, err := r.Check(t.Context(), "http://shop.test/"); !errors.Is(err, context.Canceled) {
			t.Errorf("Check with nobody to fetch = %+v, %v, want an error", d, err)
		}
		visit(t, newCollector(t, r), nil, "http://shop.test/")
		if err := r.Forget("http://shop.test"); err != nil {
			t.Fatal(err)
		}
		check(t, r, "http://shop.test/") // through the collector that goes on
		if got := web.Count("GET http://shop.test/robots.txt"); got != 3 {
			t.Errorf("robots.txt was fetched %d times, want 3", got)
		}
	})
}

func TestPatienceHoldsARequestThatWaitedForItsTurnToo(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{}, testweb.Answer{Status: 500}, testweb.Answer{})
		c := newCollector(t, newRobots(t, web, Options{Patience: 5 * time.Minute}))
		if _, err := chain.Attach(c, chain.Config{}, &fakeThrottle{wait: 25 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		visit(t, c, nil, "http://shop.test/")
		if took := time.Since(begin); took != 25*time.Hour+time.Minute {
			t.Errorf("the visit took %v, want a minute more than its turn", took)
		}
	})
}
