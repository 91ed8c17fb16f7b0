// Package task is the task of lesson 7. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/07-cache-while-developing/task
package task

import (
	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// Titles reads http://wiki.test/ and all its pages, as far as robots.txt permits, and returns what stands in their <h1>. What it has fetched it keeps in the
// folder dir: called again with the same folder, it returns the same titles and fetches no page, even if there is no network.
//
// As it stands, it keeps nothing.
func Titles(dir string) (titles []string, err error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"))
	robots, err := collyrobots.Attach(c)
	if err != nil {
		return nil, err
	}
	defer robots.Close()
	c.OnHTML("h1", func(e *colly.HTMLElement) { titles = append(titles, e.Text) })
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	err = c.Visit("http://wiki.test/")
	return titles, err
}
