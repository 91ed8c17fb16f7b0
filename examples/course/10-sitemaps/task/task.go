// Package task is the task of lesson 10. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/10-sitemaps/task
package task

import (
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// Changed fetches the pages of a site, such as "http://museum.test", that may have changed since a time, and returns their URLs. Which pages there are it learns
// from the sitemaps that robots.txt names. A page without a date may have changed. A sitemap that cannot be read does not keep it from reading the others.
//
// As it stands, it follows links, so it fetches everything there is a link to, and nothing else.
func Changed(site string, since time.Time) (pages []string, err error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"))
	robots, err := collyrobots.Attach(c)
	if err != nil {
		return nil, err
	}
	defer robots.Close()
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	c.OnResponse(func(r *colly.Response) { pages = append(pages, r.Request.URL.String()) })
	err = c.Visit(site + "/")
	return pages, err
}
