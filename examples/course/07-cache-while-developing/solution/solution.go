// Package solution is one way to solve the task of lesson 7.
package solution

import (
	"path/filepath"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// Titles reads http://wiki.test/ and keeps what it has fetched in dir: the pages by Colly's cache, robots.txt by the pack's store.
func Titles(dir string) (titles []string, err error) {
	c := colly.NewCollector(colly.UserAgent("CourseBot/1.0 (+https://bot.example/about)"), colly.CacheDir(filepath.Join(dir, "pages")))
	store, err := collyrobots.NewFileStore(filepath.Join(dir, "robots"))
	if err != nil {
		return nil, err
	}
	robots, err := collyrobots.New(collyrobots.Options{Store: store})
	if err != nil {
		return nil, err
	}
	defer robots.Close()
	if err := robots.Attach(c); err != nil {
		return nil, err
	}
	c.OnHTML("h1", func(e *colly.HTMLElement) { titles = append(titles, e.Text) })
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	err = c.Visit("http://wiki.test/")
	return titles, err
}
