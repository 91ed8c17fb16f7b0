package collyrobots

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// watcher stands in the throttle's place and writes down what it is told of pace and hours at five in the morning.
type watcher struct{ said []string }

func (w *watcher) Kind() chain.Kind                        { return chain.Throttle }
func (w *watcher) Skipped(_ *colly.Request, _ report.Skip) {}
func (w *watcher) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	text := h.URL().Path
	if hours := h.Hours(); hours != nil {
		if at, ok := hours.Next(at("05:00:00")); ok {
			text += " at " + at.Format("15:04")
		} else {
			text += " never"
		}
	}
	if d, asked := h.CrawlDelay(); asked {
		text += ", every " + d.String()
	}
	w.said = append(w.said, text)
	return next(h)
}

func TestPaceAndHoursReachTheThrottle(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"OP-19", "User-agent: *\nVisit-time: 2200-0400\nRequest-rate: 1/5", []string{"/robots.txt", "/ at 22:00, every 5s"}},
		{"open", "User-agent: *\nVisit-time: 0400-0600\nCrawl-delay: 7\nRequest-rate: 1/5", []string{"/robots.txt", "/ at 05:00, every 7s"}},
		{"never", "User-agent: *\nVisit-time: 0100-0200\nUser-agent: FooBot\nVisit-time: 0100-0200\nAllow: /\nUser-agent: GPTBot\nVisit-time: 0300-0400\nAllow: /",
			[]string{"/robots.txt", "/ never"}},
		{"nothing said", "User-agent: *\nAllow: /", []string{"/robots.txt", "/"}},
		{"said to others", "User-agent: OtherBot\nVisit-time: 2200-0400\n\nUser-agent: *\nAllow: /", []string{"/robots.txt", "/"}},
		{"permitted", "User-agent: *\nDisallow: /\nVisit-time: 2200-0400\nCrawl-delay: 9", []string{"/robots.txt", "/ at 22:00, every 9s"}},
	} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Robots(tt.body).Page("/", "x")
			o := Options{AlsoObey: []string{"GPTBot"}}
			if tt.name == "permitted" { // which overrules the rules, and not when and how fast
				o.Permits = []Permit{{Host: "shop.test", Reason: "the owner said so"}}
			}
			r := newRobots(t, web, o)
			c := newCollector(t, r)
			w := &watcher{}
			if _, err := chain.Attach(c, chain.Config{}, w); err != nil {
				t.Fatal(err)
			}
			visit(t, c, nil, "http://shop.test/")
			if !slices.Equal(w.said, tt.want) {
				t.Errorf("%s: told %q, want %q", tt.name, w.said, tt.want)
			}
		})
	}
}

// A rate holds in its hours and not outside them, and never makes a crawl faster than its own interval.
func TestARequestRateIsKeptWhileItsHoursLast(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		now := time.Now().UTC()
		until := now.Add(time.Minute).Format("1504")
		web.Host("shop.test").Robots("User-agent: *\nRequest-rate: 1/30 "+now.Format("1504")+"-"+until).Page("/*", "x")
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		th, err := throttle.Attach(c, throttle.LimitRule{Delay: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = th.Close() }()
		visit(t, c, nil, "http://shop.test/1", "http://shop.test/2", "http://shop.test/3")
		for _, gap := range testweb.Gaps(web.Hits())[1:] {
			if gap < 30*time.Second {
				t.Errorf("in the hours the gap is %v, want the 30s that the site asks for", gap)
			}
		}
		after(3 * time.Minute)
		web.Reset()
		visit(t, c, nil, "http://shop.test/4", "http://shop.test/5")
		for _, gap := range testweb.Gaps(web.Hits()) {
			if gap != 2*time.Second {
				t.Errorf("outside the hours the gap is %v, want our own, 2s", gap)
			}
		}
	})
}
