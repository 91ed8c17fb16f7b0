// Package task is the task of lesson 12. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/12-practice/task
package task

import (
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// New makes a function that says whether the crawler with a User-Agent may fetch a URL, and with which Crawl-delay (zero: its robots.txt asks for none). It asks
// for robots.txt under that User-Agent, looks for the group of its product token, and knows what status codes mean. Each robots.txt is asked for once
// and used for 24 hours; one that cannot be read is asked for again after a while, but not at each call. The page itself is not fetched. Any number of
// goroutines may call the function.
//
// As it stands, it does the first half of the first sentence, for everybody.
func New(agent string) func(rawURL string) (allowed bool, delay time.Duration) {
	return func(rawURL string) (allowed bool, delay time.Duration) {
		u, err := url.Parse(rawURL)
		if err != nil {
			return false, 0
		}
		resp, err := http.Get("http://" + u.Hostname() + "/robots.txt")
		if err != nil {
			return true, 0
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return true, 0
		}
		return collyrobots.Compile(body, "*").Match(rawURL).Allowed, 0
	}
}
