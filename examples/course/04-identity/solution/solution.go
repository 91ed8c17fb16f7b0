// Package solution is one way to solve the task of lesson 4.
package solution

import (
	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
)

// NewCollector makes the collector of TeaBot.
func NewCollector() (*colly.Collector, error) {
	c := colly.NewCollector()
	if _, err := identity.Attach(c, "TeaBot/2.1 (+https://tea.example/bot; mailto:bot@tea.example)"); err != nil {
		return nil, err
	}
	if _, err := collyrobots.Attach(c); err != nil { // its product token is that of identity
		return nil, err
	}
	return c, nil
}
