//go:build ratios

package etiquette_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/ratio"
	"github.com/collyetiquette/etiquette/throttle"
)

// visitor visits tiny pages over an in-memory transport, of so many hosts in turn.
func visitor(t *testing.T, hosts int, attach func(c *colly.Collector) error) func(n int) {
	t.Helper()
	c := colly.NewCollector(colly.AllowURLRevisit())
	if err := attach(c); err != nil {
		t.Fatal(err)
	}
	urls := make([]string, hosts)
	for i := range urls {
		urls[i] = fmt.Sprintf("http://h%d.shop.test/a.html", i)
	}
	i := 0
	visit := func(n int) {
		for range n {
			if err := c.Visit(urls[i%hosts]); err != nil {
				t.Error(err)
				return
			}
			i++
		}
	}
	visit(hosts) // robots.txt of each is known then
	return visit
}

func bareVisitor(t *testing.T, hosts int) func(n int) {
	return visitor(t, hosts, func(c *colly.Collector) error {
		c.WithTransport(memoryFiles(0))
		return nil
	})
}

func guardedVisitor(t *testing.T, hosts, rules int) func(n int) {
	return visitor(t, hosts, func(c *colly.Collector) error {
		g, err := etiquette.New(etiquette.Policy{UserAgent: agent, Base: memoryFiles(rules), Pace: []throttle.LimitRule{{Delay: throttle.NoDelay}}})
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = g.Close() })
		return g.Attach(c)
	})
}

func TestRatioOfTheOneLineToBareColly(t *testing.T) {
	for hosts, rules := range map[int]int{1: 1000, 1000: 20} { // 1,000 large files would not fit into the cache
		result := ratio.ByTurns(21, 20*time.Millisecond,
			ratio.Contender{Name: "bare Colly", Run: bareVisitor(t, hosts)},
			ratio.Contender{Name: "the one line", Run: guardedVisitor(t, hosts, rules)},
			ratio.Contender{Name: "bare Colly once more", Run: bareVisitor(t, hosts)},
		)
		got := result.Times("the one line", "bare Colly")
		t.Logf("%d hosts known: %.2f times (bare Colly against itself: %.2f)\n%s", hosts, got, result.Times("bare Colly once more", "bare Colly"), result)
		if got > 1.15 {
			t.Errorf("%d hosts known: the one line takes %.2f times what bare Colly takes, want at most 1.15", hosts, got)
		}
	}
}
