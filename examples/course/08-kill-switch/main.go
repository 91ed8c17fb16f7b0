// Lesson 8: stop when a site's owner asks you to, within seconds.
//
//	go run ./examples/course/08-kill-switch
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
)

// The stop file, before the mail came and after it.
const (
	before = `{"version": 1, "rules": []}`
	after  = `{"version": 1, "rules": [
  {"id": "mail-17", "domain": "forum.test", "reason": "the owner asked by mail", "ticket": "OPS-17"}]}`
)

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	web.Host("forum.test").Page("/*", "a page")
	web.Host("shop.test").Page("/*", "a page")
	dir, err := os.MkdirTemp("", "course-stop-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "stop.json")
	if err := replace(file, before); err != nil {
		return err
	}

	plain := newScraper()
	fmt.Fprintln(out, "Plain Colly. After five pages the owner of the forum asks by mail to be left alone:")
	err = crawl(out, web, plain, func() error { return nil }) // you read the mail, and there is nothing that you can do but to end the program
	if err != nil {
		return err
	}

	polite := newScraper()
	stops, err := killswitch.Attach(polite, file) // the one line
	if err != nil {
		return err
	}
	defer stops.Close()
	fmt.Fprintln(out, "\nWith killswitch. The same mail comes, and you write it into the stop file:")
	err = crawl(out, web, polite, func() error {
		if err := replace(file, after); err != nil {
			return err
		}
		return stops.Reload() // the crawl looks at the file twice a second by itself; this lesson is too short to wait for that
	})
	if err != nil {
		return err
	}

	r, err := stops.Report("mail-17")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nWhat you can answer: %s is stopped, because %s (%s). Since then %d requests were not sent.\n", r.Rule.Scope(), r.Rule.Reason, r.Rule.Ticket, r.Refused)
	return nil
}

// replace writes a new file and puts it in the place of the old one, so that nobody ever reads half of it.
func replace(path, text string) error {
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func newScraper() *colly.Collector { return colly.NewCollector(colly.UserAgent(lesson.Agent)) }

// crawl asks both hosts for twenty pages, in turns. After five of them the mail comes.
func crawl(out io.Writer, web *testweb.Web, c *colly.Collector, mail func() error) error {
	web.Reset()
	for i := range 20 {
		if i == 5 {
			if err := mail(); err != nil {
				return err
			}
		}
		_ = c.Visit(fmt.Sprintf("http://forum.test/%d", i))
		_ = c.Visit(fmt.Sprintf("http://shop.test/%d", i))
	}
	for _, host := range []string{"forum.test", "shop.test"} {
		fmt.Fprintf(out, "  %-10s saw %d requests\n", host, len(web.HitsOf(host)))
	}
	return nil
}
