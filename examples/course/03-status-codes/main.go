// Lesson 3: what it means when a robots.txt is not there, or cannot be read.
//
//	go run ./examples/course/03-status-codes
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"text/tabwriter"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// hosts are six sites. Each has three pages, /1, /2 and /private, and answers the request for its robots.txt in its own way.
var hosts = []struct {
	name, says string
	answer     testweb.Answer
}{
	{"open.test", "200, Disallow: /private", testweb.Answer{Body: rules}},
	{"moved.test", "301 to open.test", testweb.Answer{Status: http.StatusMovedPermanently, Redirect: "http://open.test/robots.txt"}},
	{"none.test", "404 Not Found", testweb.Answer{Status: http.StatusNotFound}},
	{"busy.test", "429 Too Many Requests", testweb.Answer{Status: http.StatusTooManyRequests}},
	{"ill.test", "503 Service Unavailable", testweb.Answer{Status: http.StatusServiceUnavailable}},
	{"cut.test", "nothing, and hangs up", testweb.Answer{Reset: true}},
}

const rules = "User-agent: *\nDisallow: /private\n"

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	for _, h := range hosts {
		web.Host(h.name).Answer("/robots.txt", h.answer).Page("/*", "a page")
	}
	own := colly.NewCollector(colly.UserAgent(lesson.Agent))
	own.IgnoreRobotsTxt = false // Colly's own check
	before := crawl(web, own)

	c := colly.NewCollector(colly.UserAgent(lesson.Agent))
	robots, err := collyrobots.Attach(c) // the one line
	if err != nil {
		return err
	}
	defer robots.Close()
	after := crawl(web, c)

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "host\tits robots.txt answers\tColly's check\tcollyrobots\twhat that answer is")
	for i, h := range hosts {
		d, err := robots.Check(context.Background(), "http://"+h.name+"/")
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", h.name, h.says, before[i], after[i], d.Class)
	}
	return table.Flush()
}

// crawl asks each host for its three pages, and says what the host saw.
func crawl(web *testweb.Web, c *colly.Collector) (saw []string) {
	web.Reset()
	for _, h := range hosts {
		for _, path := range []string{"/1", "/2", "/private"} {
			_ = c.Visit("http://" + h.name + path)
		}
		pages, robots := 0, 0
		for _, hit := range web.HitsOf(h.name) {
			if hit.URI == "/robots.txt" {
				robots++
			} else {
				pages++
			}
		}
		saw = append(saw, fmt.Sprintf("%d pages, %d robots.txt", pages, robots))
	}
	return saw
}
