package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/report"
)

// crawlPrices crawls two shops through a queue. The frontier in front of its storage hands out a URL when its host may be asked, so that a shop that says
// "not now" holds no thread that the other could use.
func crawlPrices(ctx context.Context, guard *etiquette.Guard, done *counts) error {
	c := colly.NewCollector(colly.StdlibContext(ctx))
	if err := guard.Attach(c); err != nil { // the one line
		return err
	}
	done.watch(c)
	f := guard.NewFrontier(&queue.InMemoryQueueStorage{MaxSize: 1000}) // in life a storage in Redis or on disk
	defer f.Close()
	q, err := queue.New(2, f)
	if err != nil {
		return err
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = q.AddURL(e.Request.AbsoluteURL(e.Attr("href"))) })
	for _, u := range []string{"http://shop.test/", "http://busy.test/"} {
		if err := q.AddURL(u); err != nil {
			return err
		}
	}
	if err := f.Run(ctx, c, 2); err != nil { // in place of q.Run(c)
		return err
	}
	_, err = guard.Requeue(ctx, c, report.RateLimited) // what a block refused, once it is over
	return err
}

// crawlNews follows links.
func crawlNews(ctx context.Context, guard *etiquette.Guard, done *counts) error {
	c := colly.NewCollector(colly.Async(), colly.StdlibContext(ctx))
	if err := guard.Attach(c); err != nil { // the one line
		return err
	}
	done.watch(c)
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	for _, u := range []string{"http://news.test/", "http://forum.test/"} {
		if err := c.Visit(u); err != nil {
			return err
		}
	}
	c.Wait()
	return nil
}

// counts is what a scraper did. What was skipped calls no handler: it is in the guard's report, with the reason.
type counts struct {
	mu                     sync.Mutex
	pages, refused, failed int
}

// watch tells what was sent and failed from what was refused.
func (n *counts) watch(c *colly.Collector) {
	add := func(to *int) {
		n.mu.Lock()
		defer n.mu.Unlock()
		*to++
	}
	c.OnScraped(func(*colly.Response) { add(&n.pages) })
	c.OnError(func(_ *colly.Response, err error) {
		if _, ok := etiquette.Refused(err); ok {
			add(&n.refused)
			return
		}
		add(&n.failed)
	})
}

func (n *counts) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Sprintf("%d pages, %d refused, %d failed", n.pages, n.refused, n.failed)
}
