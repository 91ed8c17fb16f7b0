// Package task is the task of lesson 9. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/09-opt-outs-and-ai-purposes/task
package task

import (
	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// Collect fetches urls for the training of a model. It returns those that may be used for that: not what a robots.txt denies for such a purpose, by rules for
// crawlers that do the same or by a signal (that is not even fetched); and not what the page denies when it comes, in its header or in its HTML.
//
// As it stands, it keeps to robots.txt, and nobody has told it what it is for.
func Collect(urls []string) (pages []string, err error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"))
	robots, err := collyrobots.Attach(c)
	if err != nil {
		return nil, err
	}
	defer robots.Close()
	c.OnResponse(func(r *colly.Response) { pages = append(pages, r.Request.URL.String()) })
	for _, u := range urls {
		_ = c.Visit(u) // what is refused is in robots.Report()
	}
	return pages, nil
}
