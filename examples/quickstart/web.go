package main

import "github.com/collyetiquette/etiquette/internal/testweb"

// buildWeb makes five hosts, each of which shows one rule, and returns where a crawl starts.
func buildWeb(web *testweb.Web) []string {
	// A group that names the crawler takes the place of the group for everybody (RFC 9309, 2.2.1).
	web.Host("named.test").
		Robots("User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /members/\nCrawl-delay: 2\n").
		Page("/", testweb.Links("/news", "/members/list")).
		Page("/news", "news").
		Page("/members/list", "members")

	// "*" and "$" (2.2.3), and the longest match, which lets an Allow open a door in a disallowed directory (2.2.2).
	web.Host("shop.test").
		Robots("User-agent: *\nDisallow: /*.pdf$\nDisallow: /archive/\nAllow: /archive/public/\n").
		Page("/", testweb.Links("/prices.pdf", "/archive/2019", "/archive/public/2020")).
		Page("/prices.pdf", "prices").
		Page("/archive/2019", "2019").
		Page("/archive/public/2020", "2020")

	// robots.txt answers 503: nobody knows what it says, so everything is disallowed (2.3.1.4).
	web.Host("broken.test").
		Answer("/robots.txt", testweb.Answer{Status: 503}).
		Page("/", "a page")

	// There is no robots.txt, so there are no rules (2.3.1.3).
	web.Host("free.test").
		Page("/", testweb.Links("/a")).
		Page("/a", "a page")

	// A page that is allowed redirects to one that is not.
	web.Host("redirect.test").
		Robots("User-agent: *\nDisallow: /private\n").
		Page("/", testweb.Links("/go")).
		Answer("/go", testweb.Answer{Redirect: "/private"}).
		Page("/private", "private")

	return []string{"http://named.test/", "http://shop.test/", "http://broken.test/", "http://free.test/", "http://redirect.test/"}
}
