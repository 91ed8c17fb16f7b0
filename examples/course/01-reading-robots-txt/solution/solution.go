// Package solution is one way to solve the task of lesson 1.
package solution

import (
	"fmt"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// Crawl visits start, follows the links that robots.txt lets it follow, and returns the others.
func Crawl(start string) (left []string, err error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"))
	robots, err := collyrobots.Attach(c)
	if err != nil {
		return nil, err
	}
	defer robots.Close()
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	err = c.Visit(start)
	for _, s := range robots.Report().Skips() {
		left = append(left, fmt.Sprintf("%s (line %d: %s)", s.URL, s.Line, s.Rule))
	}
	return left, err
}
