package etiquette_test

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
)

// On a terminal the hosts are drawn in place; here, where there is none, the line at the end is all that a short crawl has to say.
func ExampleGuard_Progress() {
	web := startWeb()
	defer web.Close()
	web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n").Page("/", "hello")

	c := colly.NewCollector()
	guard, err := etiquette.Attach(c, "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)")
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	progress := guard.Progress(ctx, os.Stdout) // os.Stderr, as a rule
	_ = c.Visit("http://shop.test/")
	_ = c.Visit("http://shop.test/cart")
	_ = progress.Close()
	// Output:
	// etiquette: 0 under way, 0 wait, 2 sent, 1 skipped
}
