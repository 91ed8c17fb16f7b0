package etiquette_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// What was refused, and what was sent and failed, are told apart in OnError.
func ExampleRefused() {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n")

	c := colly.NewCollector()
	robots, err := collyrobots.New(collyrobots.Options{Base: web.Transport(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer robots.Close()
	if err := robots.Attach(c); err != nil {
		fmt.Println(err)
		return
	}
	c.OnError(func(r *colly.Response, err error) {
		if skip, ok := etiquette.Refused(err); ok {
			fmt.Printf("not sent: %s: %s, line %d\n", skip.URL, skip.Rule, skip.Line)
			return
		}
		fmt.Printf("failed: %s: %v\n", r.Request.URL, err)
	})
	_ = c.Visit("http://shop.test/cart")
	_ = c.Visit("http://shop.test/missing")
	// Output:
	// not sent: http://shop.test/cart: disallow: /cart, line 2
	// failed: http://shop.test/missing: Not Found
}

// A site whose robots.txt could not be read for a while is asked again at the end.
func ExampleRequeue() {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Page("/", "open again")

	c := colly.NewCollector()
	robots, err := collyrobots.New(collyrobots.Options{Base: web.Transport(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer robots.Close()
	if err := robots.Attach(c); err != nil {
		fmt.Println(err)
		return
	}
	_ = c.Visit("http://shop.test/")
	n, err := etiquette.Requeue(context.Background(), c, report.RobotsUnreachable)
	fmt.Println(n, "asked again,", err)
	// Output: 0 asked again, <nil>
}

// After Attach, SetContext takes the place of c.Context = ctx.
func ExampleSetContext() {
	c := colly.NewCollector()
	robots, err := collyrobots.Attach(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer robots.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := etiquette.SetContext(c, ctx); err != nil {
		fmt.Println(err)
		return
	}
	cancel()
	err = c.Visit("http://shop.test/")
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}
