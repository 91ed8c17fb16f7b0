package collyrobots

import (
	"slices"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestKnownTellsWhatMemoryHasAndAsksNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: FooBot\nDisallow: /cart\nCrawl-delay: 2\nContent-Usage: train-ai=n\n").Page("/*", "hello")
		web.Host("bare.test").Page("/", "hello")
		web.Host("ill.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		r := newRobots(t, web, Options{AlsoObey: []string{"GPTBot"}})
		if k, ok := r.Known("http://shop.test/"); ok {
			t.Errorf("Known of an origin that nobody asked = %+v, want none", k)
		}
		c := newCollector(t, r)
		for _, u := range []string{"http://shop.test/", "http://shop.test:8080/", "http://bare.test/", "http://ill.test/"} {
			_ = c.Visit(u) // one is refused
		}
		hits := len(web.Log())
		for _, tt := range []struct {
			url     string
			class   Class
			allowed bool
			reason  report.Reason
			line    int
		}{
			{"http://shop.test/", ClassRules, true, "", 0},
			{"http://shop.test/cart?x=1", ClassRules, false, report.RobotsDisallowed, 2},
			{"http://shop.test/robots.txt", "", true, "", 0},
			{"http://ill.test/robots.txt", "", true, "", 0},
			{"http://bare.test/cart", ClassUnavailable, true, "", 0},
			{"http://ill.test/", ClassUnreachable, false, report.RobotsUnreachable, 0},
		} {
			k, ok := r.Known(tt.url)
			d := k.Decision
			if !ok || d.Class != tt.class || d.Allowed != tt.allowed || d.Reason != tt.reason || d.Line != tt.line || d.ProductToken != "FooBot" {
				t.Errorf("Known(%q) = %+v, %v, want class %s, allowed %v, reason %q, line %d for FooBot", tt.url, d, ok, tt.class, tt.allowed, tt.reason, tt.line)
			}
			if e := k.Explain(); e.Match.Line != tt.line {
				t.Errorf("Known(%q).Explain() = %+v, want line %d", tt.url, e, tt.line)
			}
		}
		k, _ := r.Known("http://shop.test/")
		if got, want := string(k.Entry.Copy.Body), "User-agent: FooBot\nDisallow: /cart\nCrawl-delay: 2\nContent-Usage: train-ai=n\n"; got != want {
			t.Errorf("the text is %q, want %q", got, want)
		}
		if v, _ := k.Signals.Verdict(AITrain); v != Deny {
			t.Errorf("the verdict on %s is %s, want %s", AITrain, v, Deny)
		}
		if got, want := r.KnownOrigins("SHOP.test:99"), []string{"http://shop.test", "http://shop.test:8080"}; !slices.Equal(got, want) {
			t.Errorf("KnownOrigins = %q, want %q", got, want)
		}
		for _, url := range []string{"", "://", "mailto:a@shop.test", "/cart", "http://other.test/"} {
			if k, ok := r.Known(url); ok {
				t.Errorf("Known(%q) = %+v, want none", url, k)
			}
		}
		time.Sleep(25 * time.Hour)
		if k, ok := r.Known("http://shop.test/cart"); !ok || k.Decision.Allowed || k.Decision.ExpiresAt.After(time.Now()) {
			t.Errorf("after a day Known = %+v, %v, want what was read, and that it has run out", k.Decision, ok)
		}
		if got := len(web.Log()); got != hits {
			t.Errorf("%d requests, want %d: Known asks nobody", got, hits)
		}
	})
}

func TestKnownCountsAPermitWithoutUsingIt(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /api\n").Page("/*", "hello")
		r := newRobots(t, web, Options{Permits: []Permit{{Host: "shop.test", Path: "/api/", Reason: "by contract"}}})
		visit(t, newCollector(t, r), nil, "http://shop.test/")
		if k, _ := r.Known("http://shop.test/api/1"); !k.Decision.Allowed || !k.Decision.Permitted || k.Decision.Line != 2 {
			t.Errorf("Known = %+v, want permitted, against line 2", k.Decision)
		}
		if use := r.Permitted()[0]; use.Requests != 0 {
			t.Errorf("the permit was used %d times, want 0: nothing was sent", use.Requests)
		}
	})
}
