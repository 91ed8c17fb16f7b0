// Lesson 10: let the site tell you which pages it has, and which of them have changed.
//
//	go run ./examples/course/10-sitemaps
package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// lastRun is when we were here the last time.
var lastRun = time.Date(2030, time.May, 6, 3, 0, 0, 0, time.UTC)

// teas are the pages of the shop. The newest one is not linked from anywhere yet.
var teas = []struct{ path, changed string }{
	{"/green", "2030-01-15"}, {"/black", "2030-05-07"}, {"/white", "2029-11-02"}, {"/red", "2030-02-20"}, {"/new", "2030-05-07"},
}

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n\nSitemap: http://shop.test/sitemap.xml\n").
		Page("/", testweb.Links("/list?sort=name", "/list?sort=price")).
		Page("/list", testweb.Links("/green", "/black", "/white", "/red")).
		Answer("/sitemap.xml", testweb.Answer{Body: sitemap()}).Page("/*", "a tea")

	plain := colly.NewCollector(colly.UserAgent(lesson.Agent))
	plain.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	if err := plain.Visit("http://shop.test/"); err != nil {
		return err
	}
	fmt.Fprintln(out, "Plain Colly follows links:")
	lesson.Saw(out, web)

	polite := colly.NewCollector(colly.UserAgent(lesson.Agent))
	robots, err := collyrobots.Attach(polite) // the one line
	if err != nil {
		return err
	}
	defer robots.Close()
	for entry, err := range robots.SitemapEntries(context.Background(), "http://shop.test", collyrobots.SitemapOptions{Since: lastRun}) {
		if err != nil {
			return err
		}
		if err := polite.Visit(entry.URL); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "\nWith the sitemap, for what has changed since the last run:")
	lesson.Saw(out, web)
	return nil
}

// sitemap is the shop's list of pages, as sitemaps.org has it.
func sitemap() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, tea := range teas {
		fmt.Fprintf(&b, "<url><loc>http://shop.test%s</loc><lastmod>%s</lastmod></url>", tea.path, tea.changed)
	}
	b.WriteString("</urlset>")
	return b.String()
}
