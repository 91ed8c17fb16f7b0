// Package check judges the task of lesson 4.
package check

import (
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// NewCollector fails unless all that the collector sends says who TeaBot is, and is what the shop's robots.txt lets TeaBot have.
func NewCollector(t *testing.T, newCollector func() (*colly.Collector, error)) {
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /\n\nUser-agent: TeaBot\nDisallow: /cellar\n").
			Page("/*", "a page").Answer("/old", testweb.Answer{Redirect: "http://new-shop.test/"})
		web.Host("new-shop.test").Page("/*", "a page")
		c, err := newCollector()
		if err != nil {
			t.Errorf("NewCollector returned the error %v, want none", err)
			return
		}
		c.OnRequest(func(r *colly.Request) { // written by somebody else in the team
			if strings.HasSuffix(r.URL.Path, "/2") {
				r.Headers.Set("User-Agent", "curl/8.5.0")
			}
		})
		for _, u := range []string{"http://shop.test/1", "http://shop.test/2", "http://shop.test/old", "http://shop.test/cellar"} {
			_ = c.Visit(u)
		}

		if web.Count("GET http://shop.test/robots.txt") == 0 {
			t.Errorf("robots.txt was not asked for, want that NewCollector attaches collyrobots: the servers saw %q", web.Log())
		}
		if web.Count("GET http://shop.test/cellar") > 0 {
			t.Error("/cellar was fetched: the group for TeaBot disallows it")
		}
		for _, line := range []string{"GET http://shop.test/1", "GET http://shop.test/2", "GET http://new-shop.test/"} {
			if web.Count(line) == 0 {
				t.Errorf("%q was not sent: the group for TeaBot allows it, so the crawler is not taken for TeaBot", line)
			}
		}
		for _, hit := range web.Hits() {
			judge(t, hit)
		}
	})
}

// judge fails unless a request says who sent it.
func judge(t *testing.T, hit testweb.Hit) {
	t.Helper()
	ua := hit.Header.Get("User-Agent")
	if token, err := collyrobots.ProductToken(ua); err != nil || token != "TeaBot" || !strings.Contains(ua, "TeaBot/2.1") {
		t.Errorf("%s came from %q, want the name TeaBot/2.1", hit, ua)
		return
	}
	contacts := strings.Join(identity.Contacts(ua), " ")
	for _, want := range []string{"https://tea.example/bot", "bot@tea.example"} {
		if !strings.Contains(contacts, want) {
			t.Errorf("%s came from %q, want %s in it: its owner must be able to reach you", hit, ua, want)
		}
	}
	if got := hit.Header.Get("From"); got != "bot@tea.example" {
		t.Errorf("%s has the From field %q, want bot@tea.example", hit, got)
	}
}
