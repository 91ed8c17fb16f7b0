package etiquette_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

// logged is a log in memory.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// lines are the lines that hold all the words.
func (l *logged) lines(words ...string) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
next:
	for line := range strings.Lines(l.text.String()) {
		for _, word := range words {
			if !strings.Contains(line, word) {
				continue next
			}
		}
		out = append(out, line)
	}
	return out
}

func (l *logged) policy(p *etiquette.Policy) { p.Logger = slog.New(slog.NewTextHandler(l, nil)) }

func wantLines(t *testing.T, log *logged, n int, words ...string) {
	t.Helper()
	if got := log.lines(words...); len(got) != n {
		t.Errorf("%d lines with %q, want %d: %s", len(got), words, n, strings.Join(got, ""))
	}
}

func TestACrawlDelayThatMakesTheCrawlTakeHoursIsSaidOnce(t *testing.T) {
	for _, x := range []struct {
		name         string
		delay, pages int
		want         string // empty: nothing is said
	}{
		{"120 pages at 40s", 40, 120, "eta=1h"},
		{"20 pages at 40s", 40, 20, ""},
		{"3 pages at a minute", 60, 3, "pages_a_day=1440"},
		{"no crawl delay", 0, 120, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			inMemory(t, func(t *testing.T, web *testweb.Web) {
				robots := "User-agent: *\nAllow: /\n"
				if x.delay > 0 {
					robots += fmt.Sprintf("Crawl-delay: %d\n", x.delay)
				}
				web.Host("slow.test").Robots(robots).Page("/*", "x")
				var log logged
				c := guarded(t, newGuard(t, web, log.policy), colly.Async())
				for i := range x.pages {
					visit(t, c, fmt.Sprintf("http://slow.test/%d", i))
				}
				c.Wait()
				if x.want == "" {
					wantLines(t, &log, 0, "take hours")
					return
				}
				wantLines(t, &log, 1, "take hours")
				wantLines(t, &log, 1, "take hours", "level=WARN", "host=slow.test", x.want)
			})
		})
	}
}

func TestWhatAFrontierHoldsCountsForACrawlThatTakesHours(t *testing.T) {
	for pages, want := range map[int]int{120: 1, 20: 0} {
		inMemory(t, func(t *testing.T, web *testweb.Web) {
			web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 40\n").Page("/*", "x")
			var log logged
			g := newGuard(t, web, log.policy)
			c := guarded(t, g)
			f := g.NewFrontier(nil)
			q, err := queue.New(1, f)
			if err != nil {
				t.Fatal(err)
			}
			for i := range pages {
				if err := q.AddURL(fmt.Sprintf("http://slow.test/%d", i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Run(t.Context(), c, 2); err != nil {
				t.Fatalf("Run = %v, want nil", err)
			}
			wantLines(t, &log, want, "take hours", "host=slow.test")
			if got := len(pagesOf(web, "slow.test")); got != pages {
				t.Errorf("%d pages, want %d", got, pages)
			}
		})
	}
}

func TestMaxRequestsThatIsEatenBySkipsIsSaidOnce(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\n").Page("/*", "x")
		for name, x := range map[string]struct {
			most uint32
			want int
		}{"with MaxRequests": {50, 1}, "few skips": {1000, 0}, "without": {0, 0}} {
			var log logged
			c := guarded(t, newGuard(t, web, log.policy), colly.MaxRequests(x.most))
			for i := range 30 {
				_ = c.Visit(fmt.Sprintf("http://shop.test/private/%d", i))
			}
			if got := log.lines("MaxRequests is being eaten", "level=WARN"); len(got) != x.want {
				t.Errorf("%s: %d lines, want %d: %q", name, len(got), x.want, got)
			}
		}
	})
}

func TestAPathWithEndlessQueriesIsSaidOnce(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		var log logged
		g := newGuard(t, web, log.policy, func(p *etiquette.Policy) { p.Pace = []throttle.LimitRule{{Delay: throttle.NoDelay}} })
		c := guarded(t, g, colly.AllowURLRevisit())
		for i := range 700 {
			visit(t, c, fmt.Sprintf("http://shop.test/list?page=%d", i%500), fmt.Sprintf("http://shop.test/page/%d?from=x", i))
		}
		wantLines(t, &log, 0, "very many queries")
		for i := range 1300 {
			visit(t, c, fmt.Sprintf("http://shop.test/calendar?day=%d&token=abc", i))
		}
		wantLines(t, &log, 1, "very many queries")
		wantLines(t, &log, 1, "very many queries", "level=WARN", "host=shop.test", "path=/calendar", "token=xxxxx")
	})
}

func TestLimitRulesOnTheCollectorAreSaidOnce(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		var log logged
		g := newGuard(t, web, log.policy)
		c := colly.NewCollector()
		if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 2}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := g.Attach(c); err != nil {
				t.Fatal(err)
			}
		}
		visit(t, c, "http://shop.test/a")
		wantLines(t, &log, 1, "LimitRules of its own")
	})
}

func TestARefusalOutOfTheCacheDirIsSaidOnce(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nAllow: /\n").Answer("/a", testweb.Answer{Status: 429}, testweb.Answer{Body: "well again"})
		dir := t.TempDir()
		bare := colly.NewCollector(colly.CacheDir(dir)) // who was not polite yet
		bare.WithTransport(web.Transport())
		_ = bare.Visit("http://shop.test/a")
		var log logged
		c := guarded(t, newGuard(t, web, log.policy), colly.CacheDir(dir), colly.AllowURLRevisit())
		for range 3 {
			_ = c.Visit("http://shop.test/a")
			time.Sleep(time.Hour)
		}
		wantLines(t, &log, 1, "came out of the collector's CacheDir")
	})
}
