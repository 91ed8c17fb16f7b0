// Package task is the task of lesson 4. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/04-identity/task
package task

import "github.com/gocolly/colly/v2"

// NewCollector makes the collector of a crawler named TeaBot, version 2.1. Its page is https://tea.example/bot, and mail to bot@tea.example is answered by a
// person. Every request must say so, also to robots.txt and after a redirect, and whatever a callback writes into the header. robots.txt must be kept to.
//
// As it stands, the crawler hides behind the name of a browser.
func NewCollector() (*colly.Collector, error) {
	c := colly.NewCollector(colly.UserAgent("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"))
	c.IgnoreRobotsTxt = false
	return c, nil
}
