// Package solution is one way to solve the task of lesson 5.
package solution

import (
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/throttle"
)

// NewCollector makes a collector that asks each host once in two seconds, or as slowly as it wants.
func NewCollector() (*colly.Collector, error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"), colly.Async(true))
	if _, err := collyrobots.Attach(c); err != nil {
		return nil, err
	}
	if _, err := throttle.Attach(c, throttle.LimitRule{Delay: 2 * time.Second}); err != nil {
		return nil, err
	}
	return c, nil
}
