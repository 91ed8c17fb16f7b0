// Package solution is one way to solve the task of lesson 10.
package solution

import (
	"context"
	"errors"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// Changed fetches the pages that the sitemaps of a site name and that may have changed since a time.
func Changed(site string, since time.Time) (pages []string, err error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"))
	robots, err := collyrobots.Attach(c)
	if err != nil {
		return nil, err
	}
	defer robots.Close()
	c.OnResponse(func(r *colly.Response) { pages = append(pages, r.Request.URL.String()) })
	for entry, err := range robots.SitemapEntries(context.Background(), site, collyrobots.SitemapOptions{Since: since}) {
		var one *collyrobots.SitemapError
		if errors.As(err, &one) {
			continue // one sitemap, or some of its entries; the others go on
		}
		if err != nil {
			return pages, err
		}
		_ = c.Visit(entry.URL) // what is refused is in robots.Report()
	}
	return pages, nil
}
