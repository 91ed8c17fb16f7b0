// Package solution is one way to solve the task of lesson 9.
package solution

import (
	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// Collect fetches urls for the training of a model, and returns those that may be used for that.
func Collect(urls []string) (pages []string, err error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"))
	robots, err := collyrobots.New(collyrobots.Options{Purpose: collyrobots.PurposeAITrain})
	if err != nil {
		return nil, err
	}
	defer robots.Close()
	if err := robots.Attach(c); err != nil {
		return nil, err
	}
	c.OnResponse(func(r *colly.Response) {
		if _, denied := collyrobots.SignalsOf(r).OptsOut(collyrobots.PurposeAITrain); !denied {
			pages = append(pages, r.Request.URL.String())
		}
	})
	for _, u := range urls {
		_ = c.Visit(u) // what is refused is in robots.Report()
	}
	return pages, nil
}
