// Package check judges the task of lesson 12.
package check

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

const agent = "Mozilla/5.0 (compatible; MyDataBot/1.0; +https://bot.example/about)"

const rules = `User-agent: *
Disallow: /
Crawl-delay: 10

User-agent: mydatabot
Disallow: /private/
Allow: /private/open/
Disallow: /*.pdf$
Crawl-delay: 3
`

// question is a URL and the answer to it.
type question struct {
	url     string
	allowed bool
	delay   time.Duration
	why     string
}

var questions = []question{
	{"http://shop.test/tea", true, 3 * time.Second, "the group for our name takes the place of the group for *"},
	{"http://shop.test/private/1", false, 3 * time.Second, "a rule of our group disallows it"},
	{"http://shop.test/private/open/1", true, 3 * time.Second, "an Allow inside a disallowed folder is longer"},
	{"http://shop.test/prices.pdf", false, 3 * time.Second, "a rule with * and $ disallows it"},
	{"http://shop.test/prices.pdf?page=2", true, 3 * time.Second, "the rule with $ ends before the query"},
	{"http://shop.test:8080/tea", false, 0, "another port is another origin, with a robots.txt of its own"},
	{"http://none.test/private/1", true, 0, "a 404 says that there are no rules"},
	{"http://ill.test/tea", false, 0, "a 503 says nothing, so everything is disallowed"},
	{"http://ill.test/coffee", false, 0, "a 503 says nothing, so everything is disallowed"},
	{"http://busy.test/tea", false, 0, "a 429 says that we ask too much, and not that there are no rules"},
	{"http://down.test/tea", false, 0, "no answer says nothing, so everything is disallowed"},
}

// New fails unless the function that comes from newCanCrawl answers all questions, now and a day later, with few requests, all of them in our name.
func New(t *testing.T, newCanCrawl func(agent string) func(rawURL string) (allowed bool, delay time.Duration)) {
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		shop := web.Host("shop.test").Robots(rules).Page("/*", "a page")
		web.Host("shop.test:8080").Robots("User-agent: *\nDisallow: /tea\n")
		web.Host("none.test").Page("/private/1", "a page")
		ill := web.Host("ill.test").Answer("/robots.txt", testweb.Answer{Status: 503}).Page("/*", "a page")
		web.Host("busy.test").Answer("/robots.txt", testweb.Answer{Status: 429}).Page("/*", "a page")
		web.Host("down.test").DialError(syscall.ECONNREFUSED)
		canCrawl := newCanCrawl(agent)

		ask(t, canCrawl, questions...)
		asked(t, web, "at first", map[string]int{"shop.test:80": 1, "shop.test:8080": 1, "none.test": 1, "ill.test": 1})

		time.Sleep(23 * time.Hour)
		ask(t, canCrawl, questions[:4]...)
		asked(t, web, "23 hours later", map[string]int{"shop.test:80": 1})

		shop.Robots("User-agent: *\nDisallow: /tea\n")
		ill.Robots("User-agent: *\nDisallow: /coffee\n")
		time.Sleep(2 * time.Hour)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				ask(t, canCrawl,
					question{"http://shop.test/tea", false, 0, "robots.txt has changed, and 24 hours are over"},
					question{"http://shop.test/private/1", true, 0, "robots.txt has changed, and 24 hours are over"},
					question{"http://ill.test/tea", true, 0, "the site is well again"},
					question{"http://ill.test/coffee", false, 0, "the site is well again, and disallows it"})
			})
		}
		all.Wait()
		asked(t, web, "25 hours later, though five asked at once", map[string]int{"shop.test:80": 2, "ill.test": 2})

		pages, strangers := 0, make(map[string]int)
		for _, hit := range web.Hits() {
			if hit.URI != "/robots.txt" {
				pages++
			}
			if name := hit.Header.Get("User-Agent"); name != agent {
				strangers[name]++
			}
		}
		if pages > 0 {
			t.Errorf("%d pages were fetched, want none: the question is only whether they may be", pages)
		}
		for name, n := range strangers {
			t.Errorf("%d requests came from %q, want the name of our crawler: a site that turns this name away gives us no rules", n, name)
		}
	})
}

func ask(t *testing.T, canCrawl func(rawURL string) (bool, time.Duration), questions ...question) {
	t.Helper()
	for _, q := range questions {
		if allowed, delay := canCrawl(q.url); allowed != q.allowed || delay != q.delay {
			t.Errorf("%s: allowed is %t with a Crawl-delay of %s, want %t and %s: %s", q.url, allowed, delay, q.allowed, q.delay, q.why)
		}
	}
}

// asked fails if a robots.txt was asked for more or less often than it should have been by now.
func asked(t *testing.T, web *testweb.Web, when string, want map[string]int) {
	t.Helper()
	for host, most := range want {
		got := 0
		for _, hit := range web.HitsOf(host) {
			if hit.URI == "/robots.txt" {
				got++
			}
		}
		if got != most {
			t.Errorf("%s the robots.txt of %s had been asked for %d times, want %d", when, host, got, most)
		}
	}
}
