package collyrobots_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// What a site says of the use of a page, by its robots.txt and by the page's own header. Nothing is stopped by it.
func ExampleSignalsOf() {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").
		Robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\n").
		Answer("/", testweb.Answer{Header: http.Header{"X-Robots-Tag": {"noarchive"}}, Body: "hello"})

	c := colly.NewCollector(colly.UserAgent("FooBot/1.0 (+https://foo.example/bot)"))
	robots, err := collyrobots.New(collyrobots.Options{Base: web.Transport()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = robots.Close() }()
	if err := robots.Attach(c); err != nil {
		fmt.Println(err)
		return
	}
	c.OnResponse(func(r *colly.Response) {
		signals := collyrobots.SignalsOf(r)
		for _, use := range []collyrobots.Use{collyrobots.Search, collyrobots.Archive, collyrobots.AITrain, collyrobots.AIInput} {
			verdict, sources := signals.Verdict(use)
			fmt.Println(use, verdict, sources)
		}
	})
	if err := c.Visit("http://shop.test/"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// search allow [line 2 of http://shop.test/robots.txt: content-signal: search=yes, ai-train=no]
	// archive deny [header, x-robots-tag: noarchive]
	// ai-train deny [line 2 of http://shop.test/robots.txt: content-signal: search=yes, ai-train=no]
	// ai-input unknown []
}

// A crawl for training data declares that, and a site that has opted out of it is left alone.
func ExampleOptions_purpose() {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Robots("User-agent: *\nContent-Usage: train-ai=n\n")
	web.Host("wiki.test").Robots("User-agent: GPTBot\nDisallow: /\n")

	robots, err := collyrobots.New(collyrobots.Options{
		Purpose: collyrobots.PurposeAITrain, ProductToken: "FooBot", Base: web.Transport(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = robots.Close() }()
	for _, u := range []string{"http://shop.test/a", "http://wiki.test/a"} {
		d, err := robots.Check(context.Background(), u)
		fmt.Println(d.Allowed, d.Reason, d.Line, d.Rule, err)
	}
	// Output:
	// false opt_out 2 content-usage: train-ai=n <nil>
	// false robots_disallowed 2 disallow: / <nil>
}

// The links of a page are followed as the page and each link say.
func ExampleMayFollow() {
	c := colly.NewCollector(colly.UserAgent("FooBot/1.0 (+https://foo.example/bot)"))
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		if collyrobots.MayFollow(e) {
			_ = e.Request.Visit(e.Attr("href"))
		}
	})
}

// The pages of a site that have changed since, by its sitemaps.
func ExampleRobots_SitemapEntries() {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").
		Robots("User-agent: *\nDisallow: /cart\nSitemap: http://shop.test/sitemap.xml\n").
		Page("/sitemap.xml", `<urlset>
			<url><loc>http://shop.test/new</loc><lastmod>2026-11-29</lastmod></url>
			<url><loc>http://shop.test/old</loc><lastmod>2020-01-01</lastmod></url>
			<url><loc>http://shop.test/cart</loc></url>
		</urlset>`)

	robots, err := collyrobots.New(collyrobots.Options{Base: web.Transport()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = robots.Close() }()
	since := collyrobots.SitemapOptions{Since: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	for entry, err := range robots.SitemapEntries(context.Background(), "http://shop.test", since) {
		if err != nil {
			fmt.Println(err) // one sitemap; the others go on
			continue
		}
		fmt.Println(entry.URL, entry.Decision.Allowed) // c.Visit(entry.URL), or q.AddURL(entry.URL)
	}
	// Output:
	// http://shop.test/new true
	// http://shop.test/cart false
}
