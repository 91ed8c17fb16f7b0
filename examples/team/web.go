package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// buildWeb makes four hosts, each of which asks for something else. mail is closed when the owner of the forum writes.
func buildWeb(web *testweb.Web) (mail <-chan struct{}) {
	// Some of it is not for us, one page of that is by its owner's leave, and some of what is linked is not wanted.
	shop := web.Host("shop.test").
		Robots("User-agent: *\nDisallow: /cart\nDisallow: /export/\n").
		Page("/", testweb.Links("/item/1", "/item/2", "/item/3", "/cart", "/poster.jpg", "/export/prices", "/export/orders")).
		Page("/cart", "your cart").
		Page("/export/prices", "all prices").
		Page("/export/orders", "all orders").
		Answer("/poster.jpg", testweb.Answer{Header: http.Header{"Content-Type": {"image/jpeg"}}, Body: strings.Repeat("x", 500_000)})
	// It has enough for now once, and says how long.
	busy := web.Host("busy.test").
		Robots("User-agent: *\nAllow: /\n").
		Page("/", testweb.Links("/item/1", "/item/2", "/item/3"))
	for i := 1; i <= 3; i++ {
		item := fmt.Sprintf("/item/%d", i)
		shop.Page(item, "<h1>item</h1>")
		busy.Page(item, "<h1>item</h1>")
	}
	busy.Answer("/item/2",
		testweb.Answer{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}},
		testweb.Answer{Header: http.Header{"Content-Type": {"text/html"}}, Body: "<h1>item</h1>"})

	// It asks for a pace of its own, and who trains on texts is asked to leave the essays alone.
	web.Host("news.test").
		Robots("User-agent: *\nCrawl-delay: 0.5\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /essays/\n").
		Page("/", testweb.Links("/today", "/essays/1", "/old")).
		Page("/today", testweb.Links("/", "/essays/2")).
		Page("/essays/*", "an essay").
		Answer("/old", testweb.Answer{Redirect: "/today?from=old"})

	// Its owner sees three of its pages taken, and writes.
	written := make(chan struct{})
	var taken atomic.Int32
	forum := web.Host("forum.test").Robots("User-agent: *\nAllow: /\n")
	threads := make([]string, 40)
	for i := range threads {
		threads[i] = fmt.Sprintf("/thread/%d", i)
	}
	forum.Page("/", testweb.Links(threads...)).Handle("/thread/*", func(w http.ResponseWriter, _ *http.Request) {
		if taken.Add(1) == 3 {
			close(written)
		}
		_, _ = io.WriteString(w, "<h1>a thread</h1>")
	})
	return written
}
