package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// fetched is what the servers saw, in order. The servers are asked, not the scraper.
func fetched(web *testweb.Web) []string {
	var urls []string
	for _, line := range web.Log() {
		_, url, _ := strings.Cut(line, " ")
		urls = append(urls, strings.TrimPrefix(url, "http://"))
	}
	return urls
}

// printTable shows the two crawls side by side: a row for each URL that either asked for.
func printTable(out io.Writer, plain, polite []string, skips []report.Skip) {
	reasons := make(map[string]string)
	for _, s := range skips {
		reasons[strings.TrimPrefix(s.URL, "http://")] = why(s)
	}
	asked := make(map[string]bool)
	for _, u := range polite {
		asked[u] = true
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "URL\tplain Colly\twith the one line")
	row := func(u, with string) {
		how := with
		if reason, skipped := reasons[u]; skipped && !asked[u] {
			how = "skipped: " + reason
		}
		sent := "-"
		for _, p := range plain {
			if p == u {
				sent = "fetched"
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", u, sent, how)
	}
	seen := make(map[string]bool)
	for _, u := range polite {
		if !seen[u] {
			row(u, "fetched")
		}
		seen[u] = true
	}
	for _, u := range plain {
		if !seen[u] {
			row(u, "not reached")
		}
		seen[u] = true
	}
	w.Flush()
	files := robotsFiles(polite)
	fmt.Fprintf(out, "\nplain Colly fetched %d pages; with the one line: %d pages and %d robots.txt, and %d skips, each with its reason\n",
		len(plain), len(polite)-files, files, len(skips))
}

func robotsFiles(urls []string) (n int) {
	for _, u := range urls {
		if strings.HasSuffix(u, "/robots.txt") {
			n++
		}
	}
	return n
}

// printDelays answers the other question that robots.txt is asked: with which delay?
func printDelays(out io.Writer, robots *collyrobots.Robots, start []string) error {
	for _, u := range start {
		d, err := robots.Check(context.Background(), u)
		if err != nil {
			return err
		}
		if d.HasCrawlDelay {
			fmt.Fprintf(out, "%s asks for %s between two requests\n", d.Origin, d.CrawlDelay)
		}
	}
	return nil
}
