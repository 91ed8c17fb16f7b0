package identity_test

import (
	"fmt"
	"log"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/identity"
)

// One line right after NewCollector says who the crawler is.
func ExampleAttach() {
	c := colly.NewCollector()
	id, err := identity.Attach(c, "AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev)")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id.ProductToken(), id.From())
	// Output: AcmeBot crawl@acme.dev
}

// From its parts, a User-Agent gets the form that demanding sites ask for.
func ExampleNew() {
	id, err := identity.New(identity.Options{
		Product:      "AcmeBot",
		Version:      "1.2",
		ContactURL:   "https://bot.acme.dev/crawler",
		ContactEmail: "crawl@acme.dev",
		Mode:         identity.Refuse, // a callback that changes the name is a mistake to be found
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id.UserAgent())
	// Output: AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev) colly/2.3.0
}

// A linter lists all that is wrong with a string.
func ExampleCheck() {
	for _, p := range identity.Check("colly - https://github.com/gocolly/colly", "") {
		fmt.Println(p.Code)
	}
	// Output:
	// library-default
	// not-your-contact
	// no-contact
	// grammar
}
