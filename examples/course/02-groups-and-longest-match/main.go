// Lesson 2: which group of a robots.txt is ours, and which of its rules decides.
//
//	go run ./examples/course/02-groups-and-longest-match
package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

const rules = `User-agent: *
Disallow: /

User-agent: CourseBot
Disallow: /archive/
Allow: /archive/public/
Disallow: /*.pdf$
Disallow: /list
Allow: /list
Disallow: /find?order=

User-agent: coursebot
Disallow: /drafts/
`

// paths are what is asked for, each for the sake of one rule.
var paths = []string{
	"/", "/archive/2019", "/archive/public/2020", "/prices.pdf", "/prices.pdf?page=2", "/list", "/find?order=up&by=name", "/drafts/1",
}

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	web.Host("shop.test").Robots(rules).Page("/*", "a page")
	for _, agent := range []string{
		"CourseBot/1.0 (+https://bot.example/about)",
		"Mozilla/5.0 (compatible; CourseBot/1.0; +https://bot.example/about)", // the same crawler, as the large ones write it
	} {
		if err := compare(out, web, agent); err != nil {
			return err
		}
	}
	return nil
}

// compare crawls with Colly's own check of robots.txt, then with the pack, and shows what the server saw of both.
func compare(out io.Writer, web *testweb.Web, agent string) error {
	own := colly.NewCollector(colly.UserAgent(agent))
	own.IgnoreRobotsTxt = false // Colly's own check, which is off by default
	before := crawl(web, own)

	c := colly.NewCollector(colly.UserAgent(agent))
	robots, err := collyrobots.Attach(c) // the one line
	if err != nil {
		return err
	}
	defer robots.Close()
	after := crawl(web, c)

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s\n", agent)
	fmt.Fprintln(table, "  path\tColly's check\tcollyrobots\tthe rule that decides")
	for _, path := range paths {
		decision, err := robots.Check(context.Background(), "http://shop.test"+path)
		if err != nil {
			return err
		}
		rule := "none"
		if decision.Rule != "" {
			rule = fmt.Sprintf("line %d: %s", decision.Line, decision.Rule)
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", path, before[path], after[path], rule)
	}
	return table.Flush()
}

// crawl asks for all paths, and says of each whether the server saw it.
func crawl(web *testweb.Web, c *colly.Collector) map[string]string {
	web.Reset()
	saw := make(map[string]string)
	for _, path := range paths {
		_ = c.Visit("http://shop.test" + path)
		saw[path] = "-"
		if web.Count("GET http://shop.test"+path) > 0 {
			saw[path] = "sent"
		}
	}
	return saw
}
