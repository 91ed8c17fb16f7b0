package throttle_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

// A queue that hands out a URL when its host may be asked, so that a slow host holds nobody up.
func ExampleFrontier_Run() {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Page("/*", "an offer")

	c := colly.NewCollector()
	t, err := throttle.New(throttle.Options{Base: web.Transport(), Logger: slog.New(slog.DiscardHandler),
		Rules: []throttle.LimitRule{{Delay: throttle.NoDelay}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	if err := t.Attach(c); err != nil {
		fmt.Println(err)
		return
	}
	f := throttle.NewFrontier(t, nil) // or any queue.Storage behind it
	defer f.Close()
	q, err := queue.New(8, f)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = q.AddURL("http://shop.test/1")
	_ = q.AddURL("http://shop.test/2")
	err = f.Run(context.Background(), c, 8) // in place of q.Run(c)
	fmt.Println(len(web.Hits()), "pages,", err)
	// Output: 2 pages, <nil>
}
