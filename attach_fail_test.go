package etiquette_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/throttle"
)

// A program that passes over the error of an Attach must not crawl on without what it asked for, whatever was attached before or is attached later.
func TestAFailedAttachLeavesNothingSentWhateverElseIsAttached(t *testing.T) {
	parts := map[string]part{
		"nothing":     func(*testing.T, *colly.Collector, *testweb.Web) {},
		"collyrobots": robotsPart,
		"throttle": func(t *testing.T, c *colly.Collector, web *testweb.Web) {
			th, err := throttle.New(throttle.Options{Base: web.Transport()})
			attachPart(t, c, th, err)
		},
		"identity": func(t *testing.T, c *colly.Collector, web *testweb.Web) {
			id, err := identity.New(identity.Options{UserAgent: agent, Base: web.Transport()})
			attachPart(t, c, id, err)
		},
	}
	failing := map[string]func(c *colly.Collector) error{
		"identity":   func(c *colly.Collector) error { _, err := identity.Attach(c, "Mozilla/5.0"); return err },
		"killswitch": func(c *colly.Collector) error { _, err := killswitch.Attach(c, ""); return err },
		"killswitch without its file": func(c *colly.Collector) error {
			_, err := killswitch.Attach(c, filepath.Join("no", "such", "stops.json"))
			return err
		},
		"throttle": func(c *colly.Collector) error {
			_, err := throttle.Attach(c, throttle.LimitRule{Delay: -3})
			return err
		},
		"a Guard": func(c *colly.Collector) error { _, err := etiquette.Attach(c, "Mozilla/5.0"); return err },
	}
	for was, attach := range parts {
		for name, fail := range failing {
			if was == name {
				continue // the first stays in force
			}
			t.Run(was+", then "+name, func(t *testing.T) {
				inMemory(t, func(t *testing.T, web *testweb.Web) {
					web.Host("shop.test").Page("/*", "x")
					c := colly.NewCollector()
					attach(t, c, web)
					fault := fail(c)
					if fault == nil {
						t.Fatal("Attach = nil, want an error")
					}
					for i, col := range []*colly.Collector{c, c.Clone()} {
						if err := col.Visit(fmt.Sprintf("http://shop.test/%d", i)); !errors.Is(err, fault) {
							t.Errorf("Visit = %v, want what Attach said: %v", err, fault)
						}
					}
					if got := web.Log(); len(got) != 0 {
						t.Errorf("the server saw %q", got)
					}
				})
			})
			t.Run(name+", then "+was, func(t *testing.T) {
				inMemory(t, func(t *testing.T, web *testweb.Web) {
					web.Host("shop.test").Page("/*", "x")
					c := colly.NewCollector()
					fault := fail(c)
					attach(t, c, web)
					for i, col := range []*colly.Collector{c, c.Clone()} {
						if err := col.Visit(fmt.Sprintf("http://shop.test/%d", i)); !errors.Is(err, fault) {
							t.Errorf("Visit = %v, want what Attach said: %v", err, fault)
						}
					}
					if got := web.Log(); len(got) != 0 {
						t.Errorf("the server saw %q", got)
					}
				})
			})
		}
	}
}
