package etiquette_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
)

// The page beside the crawl, for a browser on this machine. With a token a host can be stopped there.
func ExampleGuard_Handler() {
	web := startWeb()
	defer web.Close()
	web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n").Page("/*", "hello")

	policy := etiquette.Policy{UserAgent: "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)"}
	policy.KillSwitch.TokenFile = "secret/tokens" // one a line, 32 bytes at least
	guard, err := etiquette.New(policy)
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	page := httptest.NewServer(guard.Handler()) // in a program: go http.ListenAndServe("127.0.0.1:8089", guard.Handler())
	defer page.Close()

	c := colly.NewCollector()
	if err := guard.Attach(c); err != nil {
		log.Fatal(err)
	}
	_ = c.Visit("http://shop.test/cart")

	answer, err := http.Get(page.URL + "/ask?url=http://shop.test/cart")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(strings.Contains(string(text), "No: disallowed by line 2: disallow: /cart"))
	// Output: true
}
