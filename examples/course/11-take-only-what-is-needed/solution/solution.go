// Package solution is one way to solve the task of lesson 11.
package solution

import (
	"encoding/json"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
)

// offer is what is kept of an offer, and all that is kept.
type offer struct {
	Title string `json:"title"`
	Price string `json:"price"`
}

// Offers reads a market and returns its offers, a line of JSON for each.
func Offers(start string) (kept []string, err error) {
	guard, err := etiquette.New(etiquette.Policy{
		UserAgent: "CourseBot/1.0 (+https://bot.example/about)",
		Take:      []etiquette.Take{{Types: []string{"text/html"}, Bytes: 1 << 20}},
	})
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	c := colly.NewCollector()
	if err := guard.Attach(c); err != nil {
		return nil, err
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	c.OnHTML(".offer", func(e *colly.HTMLElement) {
		line, _ := json.Marshal(offer{e.ChildText("h2"), e.ChildText(".price")}) // two strings can always be written
		kept = append(kept, string(line))
	})
	err = c.Visit(start)
	return kept, err
}
