package throttle

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// busiest is the most hits within any second.
func busiest(hits []testweb.Hit) int {
	most := 0
	for i := range hits {
		n := 0
		for j := i; j < len(hits) && hits[j].Time.Sub(hits[i].Time) < time.Second; j++ {
			n++
		}
		most = max(most, n)
	}
	return most
}

func TestSubdomainsShareTheBudgetOfTheirRegisteredDomain(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		c, th := obeying(t, web, Options{}, &rules{}, colly.Async())
		start := time.Now()
		for i := range 100 {
			host := fmt.Sprintf("h%d.shop.co.uk", i)
			web.Host(host).Page("/*", "x")
			_ = c.Visit("http://" + host + "/1")
		}
		c.Wait()
		if got, want := time.Since(start), 49*time.Second; len(web.Hits()) != 200 || got < want {
			t.Errorf("%d requests, robots.txt included, took %v, want 200 and at least %v: 4 a second", len(web.Hits()), got, want)
		}
		if got := busiest(web.Hits()); got > 6 {
			t.Errorf("%d requests within a second, want at most 4 and a burst of 2", got)
		}
		wantIdle(t, th)
	})
}

func TestARulesOwnRateRaisesTheCeilingOfItsDomain(t *testing.T) {
	for _, x := range []struct {
		name string
		rule LimitRule
		rate float64
		want time.Duration // for 10 pages on each of 2 hosts of a domain
	}{
		{"ten a second", LimitRule{Delay: 100 * time.Millisecond}, 0, 1900 * time.Millisecond},
		{"slower than the ceiling", LimitRule{Delay: 2 * time.Second}, 0, 18 * time.Second},
		{"a ceiling of our own", LimitRule{Delay: 2 * time.Second}, 0.5, 36 * time.Second},
		{"NoDelay has none", LimitRule{Delay: NoDelay}, 0, 0},
		{"switched off", LimitRule{Delay: 100 * time.Millisecond}, -1, 900 * time.Millisecond},
	} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			c, th := paced(t, web, Options{Rules: []LimitRule{x.rule}, DomainRate: x.rate}, colly.Async())
			web.Host("a.shop.test").Page("/*", "x")
			web.Host("b.shop.test").Page("/*", "x")
			start := time.Now()
			for i := range 10 {
				_ = c.Visit(fmt.Sprintf("http://a.shop.test/%d", i))
				_ = c.Visit(fmt.Sprintf("http://b.shop.test/%d", i))
			}
			c.Wait()
			got := time.Since(start)
			if slack := x.want / 10; got < x.want-slack-100*time.Millisecond || got > x.want+slack {
				t.Errorf("%s: took %v, want about %v", x.name, got, x.want)
			}
			wantIdle(t, th)
		})
	}
}

func TestAddressesAndSingleLabelsHaveNoDomain(t *testing.T) {
	var c ceilings
	c.init(0, 0, 1)
	for host, want := range map[string]bool{"127.0.0.1": false, "::1": false, "localhost": false, "a.test": true, "www.a.test": true, "co.uk": true} {
		if got := c.of(host, paces{defaultPace}, 0) != nil; got != want {
			t.Errorf("ceiling for %s: %v, want %v", host, got, want)
		}
	}
	if a, b := c.of("x.a.test", paces{defaultPace}, 0), c.of("y.a.test", paces{defaultPace}, 0); a != b {
		t.Error("two hosts of a.test have two ceilings")
	}
}

func TestCeilingsThatNobodyUsesAreDropped(t *testing.T) {
	var c ceilings
	c.init(0, 0, 1)
	for i := range 10 * leastDomains {
		c.release(c.of(fmt.Sprintf("d%d.test", i), paces{defaultPace}, 0))
	}
	if got := len(c.domains); got > 2*leastDomains {
		t.Errorf("%d ceilings, want at most %d", got, 2*leastDomains)
	}
}

func TestTotalHoldsOverAllHosts(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		c, th := paced(t, web, Options{Total: 2}, colly.Async())
		start := time.Now()
		for i := range 21 {
			host := fmt.Sprintf("h%d.test", i)
			web.Host(host).Page("/*", "x")
			_ = c.Visit("http://" + host + "/")
		}
		c.Wait()
		if got, want := time.Since(start), 10*time.Second; got < want || got > want+time.Second {
			t.Errorf("21 hosts took %v, want %v: 2 a second", got, want)
		}
		wantIdle(t, th)
	})
}

func TestWhoLeavesTheLineGivesBackWhatItReserved(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		_, th := paced(t, web, Options{Total: 0.1})
		start := time.Now()
		first, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
		if err != nil {
			t.Fatal(err)
		}
		first.Done(nil, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := th.Wait(ctx, parse(t, "http://b.test/")); err != context.DeadlineExceeded {
			t.Errorf("Wait = %v, want the context's error", err)
		}
		turn, err := th.Wait(t.Context(), parse(t, "http://c.test/"))
		if err != nil {
			t.Fatal(err)
		}
		turn.Done(nil, nil)
		if got, want := time.Since(start).Round(time.Millisecond), 10*time.Second; got != want {
			t.Errorf("the third started after %v, want %v: in the place of the one that left", got, want)
		}
		wantIdle(t, th)
	})
}
