// Package task is the task of lesson 11. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/11-take-only-what-is-needed/task
package task

import (
	"encoding/json"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
)

// Offers reads a market that starts at a URL, follows its links, and returns one line of JSON for each element with the class "offer" on each page: its title and
// its price, as in {"title":"Green tea","price":"4.50"}. We compare prices. Who sells is of no use to us, so it must not be kept. Of files that are no HTML
// pages nothing is taken: pictures, which one can tell by their tags, are not asked for, and what turns out to be something else is broken off.
//
// As it stands, it takes what it can get.
func Offers(start string) (kept []string, err error) {
	c := colly.NewCollector()
	guard, err := etiquette.Attach(c, "CourseBot/1.0 (+https://bot.example/about)")
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	c.OnHTML("img[src]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("src")) })
	c.OnHTML(".offer", func(e *colly.HTMLElement) {
		line, _ := json.Marshal(map[string]string{"title": e.ChildText("h2"), "price": e.ChildText(".price"), "all": e.Text})
		kept = append(kept, string(line))
	})
	err = c.Visit(start)
	return kept, err
}
