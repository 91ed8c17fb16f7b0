package collyrobots_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// shop is a little web, so that the examples run without a network.
func shop() *testweb.Web {
	web := testweb.NewMemory()
	web.Host("shop.test").
		Robots("User-agent: *\nDisallow: /cart\nAllow: /cart/help\nCrawl-delay: 5\n").
		Page("/", testweb.Links("/cart", "/cart/help")).
		Page("/cart", "cart").
		Page("/cart/help", "help")
	web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: http.StatusServiceUnavailable})
	return web
}

// One line makes a collector obey robots.txt.
func ExampleAttach() {
	c := colly.NewCollector(colly.UserAgent("FooBot/1.0 (+https://foo.example/bot)"))
	robots, err := collyrobots.Attach(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer robots.Close()
	fmt.Println(robots.Report().Total(), "skipped so far")
	// Output: 0 skipped so far
}

// Every skip is told, with the line and the rule.
func ExampleNew() {
	web := shop()
	defer web.Close()
	robots, err := collyrobots.New(collyrobots.Options{
		ProductToken: "FooBot",
		Base:         web.Transport(),
		OnSkip: func(_ *colly.Request, s report.Skip) {
			fmt.Printf("skipped %s: line %d, %s\n", s.URL, s.Line, s.Rule)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer robots.Close()

	c := colly.NewCollector(colly.UserAgent("FooBot/1.0 (+https://foo.example/bot)"))
	if err := robots.Attach(c); err != nil {
		fmt.Println(err)
		return
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	c.OnResponse(func(r *colly.Response) { fmt.Println("fetched", r.Request.URL) })
	if err := c.Visit("http://shop.test/"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// fetched http://shop.test/
	// skipped http://shop.test/cart: line 2, disallow: /cart
	// fetched http://shop.test/cart/help
}

// May I, with which delay, and why?
func ExampleRobots_Check() {
	web := shop()
	defer web.Close()
	robots, err := collyrobots.New(collyrobots.Options{ProductToken: "FooBot", Base: web.Transport()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer robots.Close()
	for _, url := range []string{"http://shop.test/cart", "http://shop.test/cart/help", "http://down.test/", "http://unknown.test/"} {
		d, err := robots.Check(context.Background(), url)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %s %v %v %q\n", url, d.Class, d.Allowed, d.CrawlDelay, d.Rule)
	}
	// Output:
	// http://shop.test/cart rules false 5s "disallow: /cart"
	// http://shop.test/cart/help rules true 5s "allow: /cart/help"
	// http://down.test/ unreachable false 0s ""
	// http://unknown.test/ unavailable true 0s ""
}

// A plain http.Client obeys too.
func ExampleRobots_Transport() {
	web := shop()
	defer web.Close()
	robots, err := collyrobots.New(collyrobots.Options{ProductToken: "FooBot"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer robots.Close()
	client := &http.Client{Transport: robots.Transport(web.Transport()), Timeout: 10 * time.Second}

	_, err = client.Get("http://shop.test/cart")
	var refused *collyrobots.RefusedError
	if errors.As(err, &refused) {
		fmt.Println(refused.Decision.Reason, refused.Decision.Line, errors.Is(err, collyrobots.ErrDisallowed))
	}
	// Output: robots_disallowed 2 true
}

// A store outlives the process: a scraper that is started each minute fetches robots.txt once a day.
func ExampleNewFileStore() {
	dir, err := os.MkdirTemp("", "robots")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := collyrobots.NewFileStore(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	web := shop()
	defer web.Close()
	for range 3 { // three processes, one after the other
		robots, err := collyrobots.New(collyrobots.Options{Store: store, ProductToken: "FooBot", Base: web.Transport()})
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, err := robots.Check(context.Background(), "http://shop.test/"); err != nil {
			fmt.Println(err)
		}
		_ = robots.Close()
	}
	fmt.Println(web.Log())
	// Output: [GET http://shop.test/robots.txt]
}

// The pure half, without any network.
func ExampleCompile() {
	rules := collyrobots.Compile([]byte("User-agent: *\nDisallow: /*.pdf$\n"), "FooBot")
	for _, url := range []string{"https://shop.example/a.pdf", "https://shop.example/a.pdf.html"} {
		m := rules.Match(url)
		fmt.Println(m.Allowed, m.Line, m.Rule)
	}
	// Output:
	// false 2 disallow: /*.pdf$
	// true 0
}
