// Quickstart crawls a little web twice: with plain Colly, and with the one line that makes it obey RFC 9309. It prints side by side what each
// fetched, what was not fetched, and the rule and line that said so. It needs no network:
//
//	go run ./examples/quickstart
//
// With -url it crawls the start of a real site instead, politely only; then it asks for a name and a contact of your own:
//
//	go run ./examples/quickstart -url https://example.org/ -agent "MyDataBot/1.0 (+https://bot.example.org/about)"
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func main() {
	site := flag.String("url", "", "crawl the start of this site instead of the little web")
	agent := flag.String("agent", "", "User-Agent for -url: product token, version and a contact")
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the table says it all; leave this out to see the log

	var err error
	if *site != "" {
		err = crawlSite(os.Stdout, *site, *agent)
	} else {
		err = compare(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// compare crawls the little web twice and prints both crawls.
func compare(out io.Writer) error {
	web, err := testweb.Start()
	if err != nil {
		return err
	}
	defer web.Close()
	start := buildWeb(web)

	plain := newScraper("ExampleBot/1.0 (+https://bot.example/about)")
	plain.crawl(start)
	without := fetched(web)
	web.Reset()

	polite := newScraper("ExampleBot/1.0 (+https://bot.example/about)")
	robots, err := collyrobots.Attach(polite.c) // the one line
	if err != nil {
		return err
	}
	defer robots.Close()
	polite.crawl(start)
	printTable(out, without, fetched(web), robots.Report().Skips())
	return printDelays(out, robots, start)
}

// scraper is an ordinary Colly scraper: it follows the links of the pages it gets.
type scraper struct {
	c *colly.Collector
}

func newScraper(agent string) *scraper {
	c := colly.NewCollector(colly.UserAgent(agent), colly.MaxDepth(3))
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		_ = e.Request.Visit(e.Attr("href"))
	})
	return &scraper{c}
}

func (s *scraper) crawl(start []string) {
	for _, u := range start {
		_ = s.c.Visit(u) // a start page that is refused is in the report
	}
}

// crawlSite crawls the first pages of a real site, politely.
func crawlSite(out io.Writer, site, agent string) error {
	token, err := collyrobots.ProductToken(agent)
	if err != nil || !strings.Contains(agent, "@") && !strings.Contains(agent, "://") {
		return errors.New(`a real site must be able to write to you: pass -agent "YourBot/1.0 (+https://your.site/bot)" with a name and a contact of your own`)
	}
	s := newScraper(agent)
	s.c.MaxRequests = 10
	if err := s.c.Limit(&colly.LimitRule{DomainGlob: "*", Delay: time.Second}); err != nil {
		return err
	}
	robots, err := collyrobots.Attach(s.c) // the one line
	if err != nil {
		return err
	}
	defer robots.Close()
	s.c.OnResponse(func(r *colly.Response) { fmt.Fprintf(out, "fetched  %s\n", r.Request.URL) })
	s.c.OnError(func(r *colly.Response, err error) { fmt.Fprintf(out, "error    %s: %v\n", r.Request.URL, err) })
	fmt.Fprintf(out, "robots.txt knows this crawler as %s\n", token)
	s.crawl([]string{site})
	for _, skip := range robots.Report().Skips() {
		fmt.Fprintf(out, "skipped  %s: %s\n", skip.URL, why(skip))
	}
	return nil
}

// why is the reason of a skip in one line.
func why(s report.Skip) string {
	switch {
	case s.Rule != "":
		return fmt.Sprintf("line %d of robots.txt: %s", s.Line, s.Rule)
	case s.RetryAt.IsZero():
		return fmt.Sprintf("%s: %s", s.Reason, s.Detail)
	}
	return fmt.Sprintf("%s, ask again in %s", s.Reason, time.Until(s.RetryAt).Round(time.Second))
}
