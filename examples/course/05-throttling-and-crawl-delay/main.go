// Lesson 5: how fast a host may be asked.
//
//	go run ./examples/course/05-throttling-and-crawl-delay
package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

const pages = 3

var hosts = []string{"shop.test", "patient.test"}

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	web.Host("shop.test").Page("/*", "a page")
	web.Host("patient.test").Robots("User-agent: *\nCrawl-delay: 1.5\n").Page("/*", "a page")

	plain := newScraper()
	fmt.Fprintln(out, "Plain Colly:")
	crawl(out, web, plain)

	limited := newScraper()
	if err := limited.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 3, Delay: time.Second}); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nPlain Colly with a LimitRule, Parallelism 3 and Delay 1 s:")
	crawl(out, web, limited)

	polite := newScraper()
	robots, err := collyrobots.Attach(polite) // it reads the Crawl-delay,
	if err != nil {
		return err
	}
	defer robots.Close()
	paces, err := throttle.Attach(polite) // and this keeps it; without a rule each host gets a request a second, one at a time
	if err != nil {
		return err
	}
	defer paces.Close()
	fmt.Fprintln(out, "\nWith collyrobots and throttle:")
	crawl(out, web, polite)
	for _, host := range hosts {
		if s, ok := paces.Snapshot(host); ok {
			fmt.Fprintf(out, "  %-13s promised: %s, from %s\n", host, lesson.Gap(s.Interval), s.Source)
		}
	}
	return nil
}

// newScraper is a scraper that does all at once.
func newScraper() *colly.Collector {
	return colly.NewCollector(colly.UserAgent(lesson.Agent), colly.Async(true))
}

// crawl asks both hosts for their pages, and shows how close together the requests for them arrived.
func crawl(out io.Writer, web *testweb.Web, c *colly.Collector) {
	web.Reset()
	for i := range pages {
		for _, host := range hosts {
			_ = c.Visit(fmt.Sprintf("http://%s/%d", host, i))
		}
	}
	c.Wait()
	for _, host := range hosts {
		hits := slices.DeleteFunc(web.HitsOf(host), func(h testweb.Hit) bool { return h.URI == "/robots.txt" })
		fmt.Fprintf(out, "  %-13s %d pages, the smallest gap: %s\n", host, len(hits), lesson.Gap(slices.Min(testweb.Gaps(hits))))
	}
}
