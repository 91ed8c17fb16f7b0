// Lesson 4: say who you are, and how you can be reached, on every request.
//
//	go run ./examples/course/04-identity
package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

const agent = "CourseBot/1.0 (+https://bot.example/about; mailto:course@bot.example)"

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	web.Host("shop.test").Page("/*", "a page").Answer("/old", testweb.Answer{Redirect: "http://new-shop.test/"})
	web.Host("new-shop.test").Page("/*", "a page")

	fmt.Fprintln(out, "Plain Colly, as it comes:")
	if err := crawl(out, web, colly.NewCollector()); err != nil {
		return err
	}

	disguised := colly.NewCollector(colly.UserAgent(agent))
	disguised.OnRequest(disguise)
	fmt.Fprintln(out, "\nPlain Colly with a good name, and a callback that somebody forgot:")
	if err := crawl(out, web, disguised); err != nil {
		return err
	}

	declared := colly.NewCollector()
	if _, err := identity.Attach(declared, agent); err != nil { // the one line
		return err
	}
	declared.OnRequest(disguise)
	fmt.Fprintln(out, "\nThe same callback, with identity attached:")
	if err := crawl(out, web, declared); err != nil {
		return err
	}

	fmt.Fprintln(out, "\nNames that it does not let out, and why:")
	for _, name := range []string{"CourseBot/1.0", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "Googlebot/2.1 (+https://bot.example/about)"} {
		_, err := identity.Attach(colly.NewCollector(), name)
		var invalid *identity.InvalidError
		if !errors.As(err, &invalid) {
			return fmt.Errorf("%s is let out: %w", name, err)
		}
		fmt.Fprintf(out, "  %s\n", name)
		for _, p := range invalid.Problems {
			fmt.Fprintf(out, "    %s\n", p.Code)
		}
	}
	return nil
}

// disguise is what many a program does "just to be safe".
func disguise(r *colly.Request) { r.Headers.Set("User-Agent", "Mozilla/5.0") }

// crawl asks for a page that has moved to another host, and shows who the servers think was there.
func crawl(out io.Writer, web *testweb.Web, c *colly.Collector) error {
	web.Reset()
	if err := c.Visit("http://shop.test/old"); err != nil {
		return err
	}
	for _, hit := range web.Hits() {
		fmt.Fprintf(out, "  %s\n    User-Agent: %s\n", hit, hit.Header.Get("User-Agent"))
		if from := hit.Header.Get("From"); from != "" {
			fmt.Fprintf(out, "    From: %s\n", from)
		}
	}
	return nil
}
