package etiquette_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// The parts on one collector, in whatever order they were attached. The server's log is the judge.

// part attaches one part to a collector.
type part func(t *testing.T, c *colly.Collector, web *testweb.Web)

func robotsPart(t *testing.T, c *colly.Collector, web *testweb.Web) {
	r, err := collyrobots.New(collyrobots.Options{Base: web.Transport()})
	attachPart(t, c, r, err)
}

func throttlePart(rules ...throttle.LimitRule) part {
	return func(t *testing.T, c *colly.Collector, web *testweb.Web) {
		th, err := throttle.New(throttle.Options{Rules: rules})
		attachPart(t, c, th, err)
	}
}

func identityPart(t *testing.T, c *colly.Collector, web *testweb.Web) {
	id, err := identity.New(identity.Options{UserAgent: "DeclaredBot/1.0 (+https://bot.somewhere.org/about; mailto:bot@somewhere.org)"})
	attachPart(t, c, id, err)
}

func attachPart(t *testing.T, c *colly.Collector, p interface {
	Attach(*colly.Collector) error
	Close() error
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	if err := p.Attach(c); err != nil {
		t.Fatal(err)
	}
}

// inMemory runs f in a bubble on a web in memory, with a robots part that knows its base first.
func inMemory(t *testing.T, f func(t *testing.T, web *testweb.Web)) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		t.Cleanup(func() { web.Close() })
		f(t, web)
	})
}

func starts(hits []testweb.Hit) []time.Duration {
	var out []time.Duration
	for _, h := range hits {
		out = append(out, h.Time.Sub(hits[0].Time))
	}
	return out
}

func TestRobotsAtZeroPagesAtTenTwentyThirty(t *testing.T) {
	for name, order := range map[string][]part{
		"robots first":   {robotsPart, throttlePart(throttle.LimitRule{Parallelism: 8})},
		"throttle first": {throttlePart(throttle.LimitRule{Parallelism: 8}), robotsPart},
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, func(t *testing.T, web *testweb.Web) {
				web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 10\nDisallow: /private\n").Page("/*", "x")
				c := colly.NewCollector(colly.Async()) // the client's timeout stays at its 10 s
				for _, attach := range order {
					attach(t, c, web)
				}
				var failed atomic.Int32
				c.OnError(func(*colly.Response, error) { failed.Add(1) })
				for i := range 3 {
					_ = c.Visit(fmt.Sprintf("http://slow.test/%d", i))
				}
				c.Wait()
				got := starts(web.HitsOf("slow.test"))
				want := []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second}
				if fmt.Sprint(got) != fmt.Sprint(want) || failed.Load() != 0 {
					t.Errorf("requests at %v with %d errors, want robots.txt and three pages at %v", got, failed.Load(), want)
				}
			})
		})
	}
}

func TestFiveHundredAsyncLinksUnderACrawlDelayAreAllFetched(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 2\n").Page("/*", "x")
		c := colly.NewCollector(colly.Async())
		robotsPart(t, c, web)
		throttlePart()(t, c, web)
		var failed atomic.Int32
		c.OnError(func(*colly.Response, error) { failed.Add(1) })
		for i := range 500 {
			_ = c.Visit(fmt.Sprintf("http://slow.test/%d", i))
		}
		c.Wait()
		hits := web.HitsOf("slow.test")
		if len(hits) != 501 || failed.Load() != 0 {
			t.Errorf("%d requests and %d errors, want robots.txt and 500 pages", len(hits), failed.Load())
		}
		for _, gap := range testweb.Gaps(hits) {
			if gap < 2*time.Second {
				t.Fatalf("a gap of %s, want at least 2s", gap)
			}
		}
	})
}

// Copies run out while hundreds wait: the rules are fetched again, once, and nobody waits for himself.
func TestRulesThatRunOutDuringAWaitAreFetchedAgain(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("slow.test").Page("/*", "x").Answer("/robots.txt",
			testweb.Answer{Body: "User-agent: *\nCrawl-delay: 60\n"},
			testweb.Answer{Body: "User-agent: *\nCrawl-delay: 60\nDisallow: /late\n"})
		c := colly.NewCollector(colly.Async())
		r, err := collyrobots.New(collyrobots.Options{Base: web.Transport(), MaxAge: time.Hour})
		attachPart(t, c, r, err)
		throttlePart()(t, c, web)
		for i := range 80 {
			_ = c.Visit(fmt.Sprintf("http://slow.test/%d", i))
		}
		for i := range 20 {
			_ = c.Visit(fmt.Sprintf("http://slow.test/late%d", i))
		}
		c.Wait()
		synctest.Wait()
		if got := web.Count("GET http://slow.test/robots.txt"); got < 2 || got > 3 {
			t.Errorf("robots.txt was asked for %d times in about 1h40m, want 2 or 3", got)
		}
		changed := false
		for _, h := range web.HitsOf("slow.test") {
			if h.URI == "/robots.txt" && h.Seq > 1 {
				changed = true
			} else if changed && len(h.URI) > 5 && h.URI[:5] == "/late" {
				t.Errorf("%s was fetched after the rules that disallow it had come", h.URI)
			}
		}
	})
}

func TestRobotsTakesItsTokenFromIdentityInWhateverOrder(t *testing.T) {
	for name, order := range map[string][]part{
		"identity first": {identityPart, robotsPart},
		"robots first":   {robotsPart, identityPart},
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, func(t *testing.T, web *testweb.Web) {
				web.Host("site.test").Robots("User-agent: DeclaredBot\nDisallow: /private\n\nUser-agent: *\nDisallow:\n").Page("/*", "x")
				c := colly.NewCollector()
				if name == "identity first" { // the first part of a collector says its base
					id, err := identity.New(identity.Options{UserAgent: "DeclaredBot/1.0 (+https://bot.somewhere.org/about; mailto:bot@somewhere.org)", Base: web.Transport()})
					attachPart(t, c, id, err)
					r, err := collyrobots.New(collyrobots.Options{})
					attachPart(t, c, r, err)
				} else {
					for _, attach := range order {
						attach(t, c, web)
					}
				}
				c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0") })
				err := c.Visit("http://site.test/private")
				if !errors.Is(err, collyrobots.ErrDisallowed) {
					t.Errorf("Visit = %v, want ErrDisallowed: the declared name counts", err)
				}
				if err := c.Visit("http://site.test/open"); err != nil {
					t.Errorf("Visit = %v", err)
				}
				for _, h := range web.Hits() {
					if got := h.Header.Get("User-Agent"); got[:11] != "DeclaredBot" || h.Header.Get("From") != "bot@somewhere.org" {
						t.Errorf("%s went out as %q from %q", h.URI, got, h.Header.Get("From"))
					}
				}
				if web.Count("GET http://site.test/private") != 0 {
					t.Error("/private was fetched")
				}
			})
		})
	}
}

func TestAStopWakesWhoWaitsAndReachesRobots(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 60\n").Page("/*", "x")
		web.Host("new.test").Page("/*", "x")
		c := colly.NewCollector(colly.Async())
		robotsPart(t, c, web)
		throttlePart()(t, c, web)
		sw, err := killswitch.New(killswitch.Options{})
		attachPart(t, c, sw, err)
		var refused atomic.Int32
		c.OnError(func(_ *colly.Response, err error) {
			if s, ok := etiquette.Refused(err); ok && s.Reason == report.Stopped {
				refused.Add(1)
			}
		})
		for i := range 50 {
			_ = c.Visit(fmt.Sprintf("http://slow.test/%d", i))
		}
		time.Sleep(90 * time.Second) // robots.txt and one page are through
		start := time.Now()
		for _, host := range []string{"slow.test", "new.test"} {
			if _, err := sw.Stop(killswitch.Rule{Host: host, Reason: "asked to"}); err != nil {
				t.Fatal(err)
			}
		}
		_ = c.Visit("http://new.test/")
		c.Wait()
		if got := time.Since(start); got > time.Second {
			t.Errorf("Wait returned %s after the stop, want at once", got)
		}
		if got := refused.Load(); got != 49 {
			t.Errorf("%d requests were refused as stopped, want the 49 that waited", got)
		}
		if got := len(web.HitsOf("new.test")); got != 0 {
			t.Errorf("a stopped host saw %q, want nothing, robots.txt included", web.LogOf("new.test"))
		}
	})
}

func TestAStopFileAndAFrontierInFrontOfAQueue(t *testing.T) {
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("a.test").Page("/*", "x")
	web.Host("b.test").Page("/*", "x")
	c := colly.NewCollector()
	r, err := collyrobots.New(collyrobots.Options{Base: web.Transport()})
	attachPart(t, c, r, err)
	th, err := throttle.New(throttle.Options{Rules: []throttle.LimitRule{{Delay: 10 * time.Millisecond}}})
	attachPart(t, c, th, err)
	sw, err := killswitch.New(killswitch.Options{StateDir: filepath.Join(t.TempDir(), "stops")})
	attachPart(t, c, sw, err)
	if _, err := sw.Stop(killswitch.Rule{Host: "b.test", Reason: "asked to"}); err != nil {
		t.Fatal(err)
	}
	f := throttle.NewFrontier(th, nil)
	for i := range 5 {
		for _, host := range []string{"a.test", "b.test"} {
			if err := addURL(f, fmt.Sprintf("http://%s/%d", host, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := f.Run(ctx, c, 4); err != nil {
		t.Fatalf("Run = %v", err)
	}
	if a, b := len(web.HitsOf("a.test")), len(web.HitsOf("b.test")); a != 6 || b != 0 {
		t.Errorf("a.test saw %d requests and b.test %d, want 6 and none", a, b)
	}
}

// addURL puts a URL into a queue's storage as colly/queue does.
func addURL(s interface{ AddRequest([]byte) error }, url string) error {
	return s.AddRequest([]byte(fmt.Sprintf(`{"URL":%q,"Method":"GET"}`, url)))
}

func TestABrowserLikeHostIsAskedAtTwiceTheInterval(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("old.test").Page("/*", "x")
		web.Host("new.test").Page("/*", "x")
		c := colly.NewCollector()
		robotsPart(t, c, web)
		throttlePart()(t, c, web)
		id, err := identity.New(identity.Options{
			UserAgent:   "DeclaredBot/1.0 (+https://bot.somewhere.org/about; mailto:bot@somewhere.org)",
			BrowserLike: map[string]string{"old.test": "it serves browsers alone"},
		})
		attachPart(t, c, id, err)
		for _, host := range []string{"old.test", "new.test"} {
			for i := range 3 {
				if err := c.Visit(fmt.Sprintf("http://%s/%d", host, i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for host, want := range map[string]time.Duration{"old.test": 2 * time.Second, "new.test": time.Second} {
			gaps := testweb.Gaps(web.HitsOf(host))
			for _, gap := range gaps[1:] { // the first follows robots.txt
				if gap != want {
					t.Errorf("%s: gaps %v, want %s between pages", host, gaps, want)
				}
			}
		}
	})
}
