package throttle

import (
	"net/http"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// agingRules is a layer whose rules run out after a while, and are then read anew.
type agingRules struct {
	chain.Teller
	age    time.Duration
	readAt time.Time
	oldest time.Duration // that a request was sent by
}

func (r *agingRules) Kind() chain.Kind { return chain.Robots }

func (r *agingRules) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if time.Since(r.readAt) >= r.age {
		r.readAt = time.Now()
	}
	return next(h)
}

func (r *agingRules) Recheck(*chain.Hop) (bool, error) { return time.Since(r.readAt) >= r.age, nil }

func (r *agingRules) Renew(*chain.Hop) error {
	r.readAt = time.Now()
	return nil
}

// Starting implements chain.Starter.
func (r *agingRules) Starting(*chain.Hop) { r.oldest = max(r.oldest, time.Since(r.readAt)) }

// Whatever a request waited for, it is not sent by rules that ran out meanwhile: neither after the wait for its turn nor after that of a URL that fails.
func TestNothingIsSentByRulesThatRanOutWhileAURLThatFailsHadToWait(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/bad", testweb.Answer{Status: 500})
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay}}}, colly.AllowURLRevisit())
		r := &agingRules{age: time.Second}
		if _, err := chain.Attach(c, chain.Config{}, r); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			_ = c.Visit("http://a.test/bad")
		}
		if got := len(web.Log()); got != 6 {
			t.Errorf("%d requests, want 6", got)
		}
		if r.oldest >= r.age {
			t.Errorf("a request was sent by rules that were %s old, want less than %s", r.oldest, r.age)
		}
		wantIdle(t, th)
	})
}
