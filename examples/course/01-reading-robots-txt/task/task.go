// Package task is the task of lesson 1. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/01-reading-robots-txt/task
package task

import "github.com/gocolly/colly/v2"

// Crawl visits start and follows all links. It returns what robots.txt kept it from visiting, in order, one text for each URL:
//
//	http://shop.test/cart/1 (line 3: disallow: /cart/)
//
// As it stands, it has never heard of robots.txt.
func Crawl(start string) (left []string, err error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"))
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	return nil, c.Visit(start)
}
