package docs_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

// Sentences of docs/ that can be tried are tried here, unless the package that they speak of does so. The server's log is the judge.

// tried runs f in a bubble with a web of its own: an hour takes no time.
func tried(t *testing.T, f func(t *testing.T, web *testweb.Web)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		f(t, web)
	})
}

// attached is a Guard on the collector.
func attached(t *testing.T, web *testweb.Web, c *colly.Collector, p etiquette.Policy) *etiquette.Guard {
	t.Helper()
	p.UserAgent, p.Base, p.Logger = "DeclaredBot/1.0 (+https://bot.somewhere.org/about)", web.Transport(), slog.New(slog.DiscardHandler)
	g, err := etiquette.New(p)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	if err := g.Attach(c); err != nil {
		t.Fatalf("Attach = %v", err)
	}
	return g
}

func closed(t *testing.T, g *etiquette.Guard) {
	t.Helper()
	if err := g.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

func TestMigrationWhoseCheckWasOnGoesOnToGetErrors(t *testing.T) {
	for _, wasOn := range []bool{true, false} {
		tried(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n").Page("/", "x")
			c := colly.NewCollector()
			c.IgnoreRobotsTxt = !wasOn
			defer closed(t, attached(t, web, c, etiquette.Policy{}))
			if err := c.Visit("http://shop.test/"); err != nil {
				t.Fatalf("Visit = %v", err)
			}
			err := c.Visit("http://shop.test/cart")
			if wasOn && !errors.Is(err, colly.ErrRobotsTxtBlocked) {
				t.Errorf("with IgnoreRobotsTxt = false, Visit = %v, want colly.ErrRobotsTxtBlocked", err)
			}
			if !wasOn && err != nil {
				t.Errorf("without, Visit = %v, want nil: it is a skip", err)
			}
			if web.Count("GET http://shop.test/cart") > 0 {
				t.Errorf("the server got %q", web.Log())
			}
		})
	}
}

func TestMigrationStartsStayOneDelayApartWhateverTheParallelism(t *testing.T) {
	tried(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		visitAll := func(c *colly.Collector) []time.Duration {
			web.Reset()
			for i := range 8 {
				_ = c.Visit(fmt.Sprintf("http://shop.test/%d", i))
			}
			c.Wait()
			return testweb.Gaps(web.HitsOf("shop.test"))
		}
		before := colly.NewCollector(colly.Async())
		before.WithTransport(web.Transport())
		if err := before.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 4, Delay: time.Second}); err != nil {
			t.Fatal(err)
		}
		bursts := 0
		for _, gap := range visitAll(before) {
			if gap < time.Second {
				bursts++
			}
		}
		if bursts < 3 {
			t.Errorf("Colly's LimitRule sent %d requests less than a second after another: the text says that it sends bursts", bursts)
		}
		after := colly.NewCollector(colly.Async())
		defer closed(t, attached(t, web, after, etiquette.Policy{Pace: []throttle.LimitRule{{Parallelism: 4, Delay: time.Second}}}))
		for i, gap := range visitAll(after) {
			if i > 0 && gap < time.Second { // the first follows robots.txt
				t.Errorf("gap %d is %s, want a second at least", i, gap)
			}
		}
	})
}

func TestCronTheNextRunKeepsWhatTheLastOneOwes(t *testing.T) {
	tried(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nCrawl-delay: 20\n").Page("/*", "x")
		web.Host("busy.test").Page("/*", "x").Answer("/", testweb.Answer{Status: 503, Header: http.Header{"Retry-After": {"3600"}}})
		policy := etiquette.Policy{StateDir: filepath.Join(t.TempDir(), "state")}
		run := func(urls ...string) {
			c := colly.NewCollector()
			g := attached(t, web, c, policy)
			for _, u := range urls {
				_ = c.Visit(u) // some are refused
			}
			closed(t, g)
		}
		run("http://shop.test/1", "http://busy.test/")
		run("http://shop.test/2", "http://busy.test/2")
		if got, want := web.Count("GET http://shop.test/robots.txt"), 1; got != want {
			t.Errorf("robots.txt was fetched %d times in two runs, want once", got)
		}
		hits := web.HitsOf("shop.test")
		if gap := hits[len(hits)-1].Time.Sub(hits[len(hits)-2].Time); len(hits) != 3 || gap < 20*time.Second {
			t.Errorf("the second run asked %s after the first, want 20s at least: %q", gap, web.LogOf("shop.test"))
		}
		if web.Count("GET http://busy.test/2") > 0 {
			t.Errorf("the second run asked a host that had said Retry-After: 3600: %q", web.LogOf("busy.test"))
		}
		time.Sleep(time.Hour + 10*time.Minute)
		run("http://busy.test/2")
		if web.Count("GET http://busy.test/2") != 1 {
			t.Errorf("after its hour the host was not asked: %q", web.LogOf("busy.test"))
		}
	})
}

func TestAnswer17NeverOneRequestMore(t *testing.T) {
	tried(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		c := colly.NewCollector(colly.Async())
		g := attached(t, web, c, etiquette.Policy{MaxRequests: 5})
		defer closed(t, g)
		for i := range 50 {
			_ = c.Visit(fmt.Sprintf("http://shop.test/%d", i))
		}
		c.Wait()
		if got, want := len(web.Hits()), 5; got != want {
			t.Errorf("the server got %d requests, want %d", got, want)
		}
		if got, want := len(g.Report.Skips()), 46; got != want { // robots.txt is one of the five
			t.Errorf("%d skips, want %d: nothing is left out in silence", got, want)
		}
	})
}

func TestAnswer18ACachedPageCostsNothing(t *testing.T) {
	tried(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nCrawl-delay: 60\n").Page("/*", "x")
		dir := t.TempDir()
		run := func() (took time.Duration, seen int) {
			c := colly.NewCollector(colly.CacheDir(dir))
			g := attached(t, web, c, etiquette.Policy{})
			defer closed(t, g)
			c.OnResponse(func(*colly.Response) { seen++ })
			start := time.Now()
			for i := range 3 {
				if err := c.Visit(fmt.Sprintf("http://shop.test/%d", i)); err != nil {
					t.Errorf("Visit = %v", err)
				}
			}
			return time.Since(start), seen
		}
		if took, seen := run(); took < 2*time.Minute || seen != 3 {
			t.Errorf("the first run took %s for %d pages, want the crawl delays", took, seen)
		}
		web.Reset()
		if took, seen := run(); took != 0 || seen != 3 || len(web.Hits()) != 0 {
			t.Errorf("the second run took %s for %d pages, and the server got %q, want no time and nothing", took, seen, web.Log())
		}
	})
}
