package check

import (
	"context"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
)

func TestThePackSolvesTheTaskToo(t *testing.T) {
	New(t, func(agent string) func(rawURL string) (bool, time.Duration) {
		c := colly.NewCollector()
		if _, err := identity.Attach(c, agent); err != nil {
			t.Error(err)
		}
		robots, err := collyrobots.Attach(c)
		if err != nil {
			t.Error(err)
		}
		return func(rawURL string) (bool, time.Duration) {
			d, err := robots.Check(context.Background(), rawURL)
			if err != nil {
				t.Error(err)
			}
			return d.Allowed, d.CrawlDelay
		}
	})
}
