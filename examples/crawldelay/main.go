// Crawldelay crawls three hosts twice, with plain Colly and with two more lines, and draws what the servers saw, a line per host on one scale of time:
// one host asks for a second between requests in its robots.txt, one asks for nothing, and one answers the second request with 429 and Retry-After.
// It needs no network and takes a few seconds:
//
//	go run ./examples/crawldelay
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

const (
	agent   = "ExampleBot/1.0 (+https://bot.example/about)"
	pages   = 4
	threads = 2
	delay   = 300 * time.Millisecond // what the scraper itself wants between two requests to a host
)

// hosts are the three, and what each asks for.
var hosts = []struct{ name, asks string }{
	{"patient.test", "Crawl-delay: 1"},
	{"free.test", "nothing"},
	{"busy.test", "429, Retry-After: 2"},
}

func main() {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the drawing says it all; leave this out to see the log
	if err := compare(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "crawldelay:", err)
		os.Exit(1)
	}
}

// compare crawls the three hosts twice and draws both crawls.
func compare(out io.Writer) error {
	web, err := testweb.Start()
	if err != nil {
		return err
	}
	defer web.Close()

	setUp(web)
	start := time.Now()
	if err := plain(); err != nil {
		return err
	}
	draw(out, "plain Colly: a queue of 2 threads and LimitRule{DomainGlob: \"*\", Parallelism: 2, Delay: 300ms}", web, start)

	setUp(web)
	web.Reset()
	start = time.Now()
	if err := polite(); err != nil {
		return err
	}
	draw(out, "the same with collyrobots, throttle and its frontier", web, start)
	fmt.Fprintln(out, "r robots.txt   o a page   x an answer 429")
	return nil
}

// plain crawls with what Colly has: one rule for all hosts, so that they share one pace.
func plain() error {
	c := colly.NewCollector(colly.UserAgent(agent))
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 2, Delay: delay}); err != nil {
		return err
	}
	q, err := filled(nil)
	if err != nil {
		return err
	}
	return q.Run(c)
}

// polite crawls the same URLs, each host at its own pace.
func polite() error {
	c := colly.NewCollector(colly.UserAgent(agent))
	robots, err := collyrobots.Attach(c)
	if err != nil {
		return err
	}
	defer robots.Close()
	paces, err := throttle.Attach(c, throttle.LimitRule{Delay: delay}) // in place of c.Limit
	if err != nil {
		return err
	}
	defer paces.Close()
	f := throttle.NewFrontier(paces, nil)
	defer f.Close()
	if _, err := filled(f); err != nil {
		return err
	}
	return f.Run(context.Background(), c, threads) // in place of q.Run(c)
}

// filled is a queue that has each page of each host, one host after the other.
func filled(s queue.Storage) (*queue.Queue, error) {
	q, err := queue.New(threads, s)
	if err != nil {
		return nil, err
	}
	for _, h := range hosts {
		for i := range pages {
			if err := q.AddURL(fmt.Sprintf("http://%s/%d", h.name, i)); err != nil {
				return nil, err
			}
		}
	}
	return q, nil
}

// setUp says what the hosts answer, from the beginning.
func setUp(web *testweb.Web) {
	web.Host("patient.test").Robots("User-agent: *\nCrawl-delay: 1\n").Page("/*", "a page")
	web.Host("free.test").Page("/*", "a page")
	web.Host("busy.test").Page("/*", "a page").
		Answer("/1", testweb.Answer{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"2"}}})
}
