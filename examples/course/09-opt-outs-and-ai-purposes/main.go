// Lesson 9: what a site says about the use of its pages, and a crawler that collects for a model.
//
//	go run ./examples/course/09-opt-outs-and-ai-purposes
package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// purpose is what this crawl is for. Say it, and the pack knows which groups and which signals are about you.
const purpose = collyrobots.PurposeAITrain

var urls = []string{
	"http://news.test/today", "http://news.test/essays/1", "http://photos.test/cat",
	"http://blog.test/free", "http://blog.test/header", "http://blog.test/meta",
}

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	setUp(web)
	plain := colly.NewCollector(colly.UserAgent(lesson.Agent))
	fmt.Fprintln(out, "Plain Colly puts into the training data:")
	plain.OnResponse(func(r *colly.Response) { fmt.Fprintf(out, "  %s\n", r.Request.URL) })
	crawl(plain)

	polite := colly.NewCollector(colly.UserAgent(lesson.Agent))
	robots, err := collyrobots.New(collyrobots.Options{Purpose: purpose})
	if err != nil {
		return err
	}
	defer robots.Close()
	if err := robots.Attach(polite); err != nil {
		return err
	}
	var dropped []string
	polite.OnResponse(func(r *colly.Response) {
		if sources, denied := collyrobots.SignalsOf(r).OptsOut(purpose); denied {
			dropped = append(dropped, fmt.Sprintf("%s  %s", r.Request.URL, sources[0]))
			return
		}
		fmt.Fprintf(out, "  %s\n", r.Request.URL)
	})
	fmt.Fprintln(out, "\nWith collyrobots and a declared purpose:")
	crawl(polite)
	fmt.Fprintln(out, "not fetched:")
	for _, s := range robots.Report().Skips() {
		fmt.Fprintf(out, "  %s  %s: %s\n", s.URL, s.Reason, s.Rule)
	}
	fmt.Fprintln(out, "fetched, and dropped when its owner's wish was seen:")
	for _, line := range dropped {
		fmt.Fprintf(out, "  %s\n", line)
	}
	return nil
}

func crawl(c *colly.Collector) {
	for _, u := range urls {
		_ = c.Visit(u)
	}
}

// setUp makes three sites, each of which says no in another way.
func setUp(web *testweb.Web) {
	// By a group for other people's crawlers. We have another name, but we want the same.
	web.Host("news.test").Robots("User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /essays/\n").Page("/*", "a page")
	// By a line of robots.txt that speaks of the use.
	web.Host("photos.test").Robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n").Page("/*", "a page")
	// By the page itself: in its header, or in its HTML.
	web.Host("blog.test").Robots("User-agent: *\nAllow: /\n").Page("/free", "a page").
		Answer("/header", testweb.Answer{Body: "a page", Header: http.Header{"Tdm-Reservation": {"1"}}}).
		Page("/meta", `<html><head><meta name="robots" content="noai"></head><body>a page</body></html>`)
}
