// Package task is the task of lesson 5. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/05-throttling-and-crawl-delay/task
package task

import (
	"time"

	"github.com/gocolly/colly/v2"
)

// NewCollector makes a collector that asks each host once in two seconds, one request at a time, and more slowly where robots.txt has a Crawl-delay that is
// longer. A slow host must not hold up the others.
//
// As it stands, it has the rule that most people write first.
func NewCollector() (*colly.Collector, error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"), colly.Async(true))
	err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 2, Delay: 2 * time.Second})
	return c, err
}
