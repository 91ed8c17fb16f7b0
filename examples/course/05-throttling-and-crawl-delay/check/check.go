// Package check judges the task of lesson 5.
package check

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

const (
	pages = 4
	takes = 500 * time.Millisecond // an answer
)

var hosts = []struct {
	name, robots string
	least, most  time.Duration // between the starts of two requests
	why          string
}{
	{"shop.test", "User-agent: *\nAllow: /\n", 2 * time.Second, 3 * time.Second, "it asks for nothing, so your own two seconds count"},
	{"patient.test", "User-agent: *\nCrawl-delay: 10\n", 10 * time.Second, 11 * time.Second, "its robots.txt has Crawl-delay: 10"},
	{"keen.test", "User-agent: *\nCrawl-delay: 0.1\n", 2 * time.Second, 3 * time.Second, "a short Crawl-delay is no permission to be faster than your own two seconds"},
}

// NewCollector fails unless the collector keeps the pace of each host, and is not slower than that.
func NewCollector(t *testing.T, newCollector func() (*colly.Collector, error)) {
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		for _, h := range hosts {
			web.Host(h.name).Robots(h.robots).Answer("/*", testweb.Answer{Body: "a page", Delay: takes})
		}
		c, err := newCollector()
		if err != nil {
			t.Errorf("NewCollector returned the error %v, want none", err)
			return
		}
		var all sync.WaitGroup
		for _, h := range hosts {
			all.Go(func() {
				for i := range pages {
					_ = c.Visit(fmt.Sprintf("http://%s/%d", h.name, i))
				}
			})
		}
		all.Wait()
		c.Wait()

		for _, h := range hosts {
			hits := exam.Pages(web, h.name)
			if len(hits) != pages {
				t.Errorf("%s was asked for %d pages, want all %d", h.name, len(hits), pages)
			}
			for i, gap := range testweb.Gaps(hits) {
				switch {
				case gap < h.least:
					t.Errorf("%s: page %d was asked for %s after page %d, want at least %s: %s", h.name, i+2, gap, i+1, h.least, h.why)
				case gap > h.most:
					t.Errorf("%s: page %d was asked for %s after page %d, want at most %s: another host must not hold it up", h.name, i+2, gap, i+1, h.most)
				}
			}
		}
	})
}
