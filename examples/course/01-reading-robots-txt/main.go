// Lesson 1: what a robots.txt asks, and what plain Colly makes of it.
//
//	go run ./examples/course/01-reading-robots-txt
package main

import (
	"fmt"
	"io"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// rules is the robots.txt of the shop. Each host has one of its own, at the same place: /robots.txt.
const rules = `# A small shop. Come in, but leave the carts and the search alone.
User-agent: *
Disallow: /cart/
Disallow: /search
`

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	web.Host("shop.test").Robots(rules).
		Page("/", testweb.Links("/tea", "/cart/add?item=tea", "/search?q=tea", "http://blog.shop.test/search")).
		Page("/*", "a page")
	web.Host("blog.shop.test").Robots("User-agent: *\nDisallow:\n").Page("/*", "a page") // an empty Disallow: nothing is disallowed

	plain := newScraper()
	if err := plain.Visit("http://shop.test/"); err != nil {
		return err
	}
	fmt.Fprintln(out, "Plain Colly. The servers saw:")
	lesson.Saw(out, web)

	polite := newScraper()
	robots, err := collyrobots.Attach(polite) // the one line
	if err != nil {
		return err
	}
	defer robots.Close()
	if err := polite.Visit("http://shop.test/"); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nWith collyrobots. The servers saw:")
	lesson.Saw(out, web)
	fmt.Fprintln(out, "and this was left out:")
	for _, skip := range robots.Report().Skips() {
		fmt.Fprintf(out, "  %s  line %d: %s\n", skip.URL, skip.Line, skip.Rule)
	}
	return nil
}

// newScraper is an ordinary scraper: it follows all links.
func newScraper() *colly.Collector {
	c := colly.NewCollector(colly.UserAgent(lesson.Agent))
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	return c
}
