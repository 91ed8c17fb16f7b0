// Whoami shows what a site's owner gets to see of a crawler: its name for robots.txt, how to reach its owner, what is wrong with either, what goes
// out, and where requests would be refused. It runs offline.
//
//	go run ./examples/whoami
//	go run ./examples/whoami 'AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev)' [product token]
//
// The lesson: a name without a contact gets a subnet blocked, a contact gets an email. With a string that may not go out anywhere the
// exit status is 1.
package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// lessons are shown when no string is given: what Colly sends by itself, a disguise, a tutorial's string, and one that is right.
var lessons = []string{
	"colly - https://github.com/gocolly/colly",
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
	"AcmeBot/1.2 (+https://example.com/bot)",
	"AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev)",
}

// targets are tried without being asked for anything: loopback, a name that cannot exist, and a site in the world.
var targets = []string{"http://localhost:8080/", "http://shop.test/", "https://www.wikipedia.org/"}

func main() {
	if !run(os.Stdout, os.Args[1:]) {
		os.Exit(1)
	}
}

// run reports whether the string that was asked for may go out at all.
func run(w io.Writer, args []string) bool {
	switch len(args) {
	case 0:
		for _, ua := range lessons {
			show(w, ua, "")
			fmt.Fprintln(w)
		}
		return true
	case 1:
		return show(w, args[0], "")
	case 2:
		return show(w, args[0], args[1])
	}
	fmt.Fprintln(w, "usage: whoami [User-Agent [product token]]")
	return false
}

func show(w io.Writer, ua, token string) bool {
	fmt.Fprintf(w, "%s\n", ua)
	for _, contact := range identity.Contacts(ua) {
		fmt.Fprintf(w, "  contact   %s\n", contact)
	}
	for _, p := range identity.Check(ua, token) {
		fmt.Fprintf(w, "  problem   %s: %s\n", p.Code, p.Text)
	}

	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Page("/", "hello")
	id, err := identity.New(identity.Options{UserAgent: ua, Product: token, Base: web.Transport(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Fprintf(w, "  sent      nothing, anywhere: New fails\n")
		return false
	}
	fmt.Fprintf(w, "  token     %s\n", id.ProductToken())

	c := colly.NewCollector()
	if err := id.Attach(c); err != nil {
		fmt.Fprintln(w, "  ", err)
		return false
	}
	c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", "Mozilla/5.0") }) // as many a scraper does; the declared one goes out
	if err := c.Visit("http://shop.test/"); err != nil {
		fmt.Fprintln(w, "  ", err)
		return false
	}
	for _, hit := range web.Hits() {
		fmt.Fprintf(w, "  sent      User-Agent: %s\n", hit.Header.Get("User-Agent"))
		if from := hit.Header.Get("From"); from != "" {
			fmt.Fprintf(w, "            From: %s\n", from)
		}
	}
	for _, target := range targets {
		verdict := "sent to"
		u, err := url.Parse(target)
		if err != nil || id.Permits(u) != nil {
			verdict = "refused"
		}
		fmt.Fprintf(w, "  %-9s %s\n", verdict, target)
	}
	return true
}
