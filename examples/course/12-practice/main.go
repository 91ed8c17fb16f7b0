// Lesson 12: practice. May I fetch this URL, how slowly, and why?
//
//	go run ./examples/course/12-practice
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

const agent = "Mozilla/5.0 (compatible; CourseBot/1.0; +https://bot.example/about)"

const rules = `User-agent: *
Disallow: /
Crawl-delay: 10

User-agent: CourseBot
Disallow: /private/
Allow: /private/open/
Disallow: /*.pdf$
Crawl-delay: 2
`

var urls = []string{
	"http://shop.test/tea", "http://shop.test/private/1", "http://shop.test/private/open/1", "http://shop.test/prices.pdf", "http://none.test/1", "http://none.test/2", "http://ill.test/1", "http://ill.test/2",
}

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	web.Host("shop.test").Robots(rules).Page("/*", "a page")
	web.Host("none.test").Page("/1", "a page").Page("/2", "a page") // its robots.txt is a 404
	web.Host("ill.test").Answer("/robots.txt", testweb.Answer{Status: http.StatusServiceUnavailable}).Page("/*", "a page")

	own := colly.NewCollector(colly.UserAgent(agent))
	own.IgnoreRobotsTxt = false // Colly's own check
	for _, u := range urls {
		_ = own.Visit(u)
	}
	sent := make(map[string]bool)
	for _, hit := range web.Hits() {
		sent[hit.URL()] = true
	}
	web.Reset()

	polite := colly.NewCollector(colly.UserAgent(agent))
	robots, err := collyrobots.Attach(polite)
	if err != nil {
		return err
	}
	defer robots.Close()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "URL\tColly's check\trobots.Check\tdelay\twhy")
	for _, u := range urls {
		d, err := robots.Check(context.Background(), u)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", strings.TrimPrefix(u, "http://"), yes(sent[u]), yes(d.Allowed), delay(d), why(d))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nFor all these answers the servers saw:")
	lesson.Saw(out, web)
	return nil
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

func delay(d collyrobots.Decision) string {
	if !d.HasCrawlDelay {
		return "-"
	}
	return d.CrawlDelay.String()
}

func why(d collyrobots.Decision) string {
	switch {
	case d.Rule != "":
		return fmt.Sprintf("line %d: %s", d.Line, d.Rule)
	case d.Class == collyrobots.ClassRules:
		return "no rule matches"
	}
	return fmt.Sprintf("robots.txt is %s: %d", d.Class, d.Status)
}
