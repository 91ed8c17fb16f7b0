// Package check judges the task of lesson 10.
package check

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

const robots = `User-agent: *
Disallow: /staff/

Sitemap: http://museum.test/gone.xml
Sitemap: http://museum.test/index.xml
`

var since = time.Date(2030, time.May, 6, 0, 0, 0, 0, time.UTC)

// pages are those that a sitemap or a link names.
var pages = []struct {
	path   string
	wanted bool
	why    string
}{
	{"/rooms/1", true, "the sitemap says that it has changed since then"},
	{"/rooms/2", false, "the sitemap says that it has not changed since then"},
	{"/rooms/hidden", true, "it is in the sitemap, though no page links to it"},
	{"/rooms/undated", true, "the sitemap does not say when it changed, so it may have"},
	{"/zipped", true, "it stands in a sitemap that is compressed"},
	{"/old/1", false, "the index says that nothing in its sitemap has changed since then"},
	{"/staff/rota", false, "robots.txt disallows it, also when a sitemap names it"},
	{"/linked", false, "no sitemap names it: it is only linked"},
}

// Changed fails unless changed fetches what a museum's sitemaps say may have changed, and nothing else.
func Changed(t *testing.T, changed func(site string, since time.Time) (pages []string, err error)) {
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		setUp(web)
		got, err := changed("http://museum.test", since)
		if err != nil {
			t.Errorf("Changed returned the error %v, want none: that one sitemap is gone does not matter", err)
		}
		var want []string
		for _, p := range pages {
			if p.wanted {
				want = append(want, "http://museum.test"+p.path)
			}
			if fetched := web.Count("GET http://museum.test"+p.path) > 0; fetched != p.wanted {
				t.Errorf("%s: fetched is %t, want %t: %s", p.path, fetched, p.wanted, p.why)
			}
		}
		exam.SameSet(t, "what Changed returned", got, want)
		if web.Count("GET http://museum.test/old.xml") > 0 {
			t.Error("/old.xml was fetched, though the index says that it has not changed since then: give SitemapEntries the time")
		}
		if log := web.LogOf("shop.test"); len(log) > 0 {
			t.Errorf("shop.test saw %q: a sitemap speaks for its own host, and nobody asked for this one", log)
		}
	})
}

func setUp(web *testweb.Web) {
	web.Host("museum.test").Robots(robots).
		Page("/", testweb.Links("/rooms/1", "/rooms/2", "/linked")).Page("/*", "a page").
		Answer("/gone.xml", testweb.Answer{Status: 404}).
		Answer("/index.xml", testweb.Answer{Body: list("sitemapindex", "sitemap", "/rooms.xml 2030-05-07", "/zipped.xml.gz", "/old.xml 2029-12-31")}).
		Answer("/rooms.xml", testweb.Answer{Body: list("urlset", "url",
			"/rooms/1 2030-05-07", "/rooms/2 2030-05-01", "/rooms/hidden 2030-05-06T10:00:00Z", "/rooms/undated", "/staff/rota 2030-05-07", "http://shop.test/ 2030-05-07")}).
		Answer("/zipped.xml.gz", testweb.Answer{Body: zipped(list("urlset", "url", "/zipped 2030-05-07"))}).
		Answer("/old.xml", testweb.Answer{Body: list("urlset", "url", "/old/1 2029-12-31")})
	web.Host("shop.test").Page("/*", "a page")
}

// list is a sitemap or an index of sitemaps. Each entry is a URL, or a path of the museum, with a date or without.
func list(root, element string, entries ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?><%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, root)
	for _, e := range entries {
		url, date, dated := strings.Cut(e, " ")
		if strings.HasPrefix(url, "/") {
			url = "http://museum.test" + url
		}
		fmt.Fprintf(&b, "<%s><loc>%s</loc>", element, url)
		if dated {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", date)
		}
		fmt.Fprintf(&b, "</%s>", element)
	}
	fmt.Fprintf(&b, "</%s>", root)
	return b.String()
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // into memory it never fails
	_ = z.Close()
	return b.String()
}
