// Lesson 7: fetch a page once, and read it as often as you like while you write your parser.
//
//	go run ./examples/course/07-cache-while-developing
//
// With -cache DIR the pages are kept in a folder of your own, and a second run of the program asks for nothing at all.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

var cache = flag.String("cache", "", "the folder for pages; empty: a new one, which is removed at the end")

func main() {
	flag.Parse()
	lesson.Run(teach)
}

// runs is how often a developer starts the program until the parser is right.
const runs = 3

func teach(out io.Writer, web *testweb.Web) error {
	dir := *cache
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "course-cache-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	docs := web.Host("docs.test").Robots("User-agent: *\nDisallow: /drafts/\n").
		Page("/", testweb.Links("/install", "/use", "/drafts/new")).Page("/*", "<h1>a chapter</h1>")

	fmt.Fprintln(out, "Plain Colly:")
	for run := range runs {
		n, err := titles(colly.NewCollector(colly.UserAgent(lesson.Agent)))
		if err != nil {
			return err
		}
		show(out, web, run, n)
	}

	fmt.Fprintln(out, "\nWith a cache and collyrobots; behind the first run the network is cut:")
	for run := range runs {
		n, err := politely(dir)
		if err != nil {
			return err
		}
		show(out, web, run, n)
		cut(docs)
	}

	fmt.Fprintln(out, "\nPlain Colly, without the network:")
	_, err := titles(colly.NewCollector(colly.UserAgent(lesson.Agent)))
	if !errors.Is(err, syscall.ENETUNREACH) {
		return fmt.Errorf("the network is not cut: %w", err)
	}
	fmt.Fprintln(out, "  it fails at the first page")
	return nil
}

// cut takes a host off the network, and ends the connections to it that are still open.
func cut(host *testweb.Host) {
	host.DialError(syscall.ENETUNREACH)
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// politely reads the documentation with a cache: what is in dir is not asked for.
func politely(dir string) (int, error) {
	c := colly.NewCollector(colly.UserAgent(lesson.Agent), colly.CacheDir(dir))
	robots, err := collyrobots.Attach(c)
	if err != nil {
		return 0, err
	}
	defer robots.Close()
	return titles(c)
}

// titles reads the documentation and counts its titles.
func titles(c *colly.Collector) (n int, err error) {
	c.OnHTML("h1", func(*colly.HTMLElement) { n++ })
	c.OnHTML("a[href='/install'], a[href='/use']", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	err = c.Visit("http://docs.test/")
	return n, err
}

func show(out io.Writer, web *testweb.Web, run, titles int) {
	fmt.Fprintf(out, "  run %d: %d titles, and the server was asked %d times\n", run+1, titles, len(web.Hits()))
	web.Reset()
}
