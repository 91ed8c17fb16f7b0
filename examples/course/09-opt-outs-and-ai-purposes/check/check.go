// Package check judges the task of lesson 9.
package check

import (
	"net/http"
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

const open = "User-agent: *\nAllow: /\n"

// pages are what is to be collected: one page on each host.
var pages = []struct {
	url, robots string
	answer      testweb.Answer
	fetched     bool // it may be
	used        bool // it may be
	why         string
}{
	{"http://free.test/1", open, answer("", ""), true, true, "nobody denies anything"},
	{"http://closed.test/1", "User-agent: *\nDisallow: /\n", answer("", ""), false, false, "robots.txt disallows it for everybody"},
	{"http://gpt.test/1", open + "\nUser-agent: GPTBot\nDisallow: /\n", answer("", ""), false, false, "the group for GPTBot is about crawlers that collect for models, as this one does"},
	{"http://common.test/1", "User-agent: CCBot\nDisallow: /1\n", answer("", ""), false, false, "the group for CCBot is about crawlers that collect for models, as this one does"},
	{"http://google.test/1", "User-agent: Googlebot\nDisallow: /\n", answer("", ""), true, true, "the group for Googlebot is about search"},
	{"http://signal.test/1", "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n", answer("", ""), false, false, "its Content-Signal says ai-train=no"},
	{"http://usage.test/1", "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n", answer("", ""), false, false, "its Content-Usage says train-ai=n"},
	{"http://search.test/1", "User-agent: *\nContent-Signal: search=no\nAllow: /\n", answer("", ""), true, true, "it denies search, and this is none"},
	{"http://header.test/1", open, answer("X-Robots-Tag", "noai"), true, false, "its header says noai"},
	{"http://mining.test/1", open, answer("Tdm-Reservation", "1"), true, false, "its header reserves text and data mining"},
	{"http://meta.test/1", open, testweb.Answer{Body: `<html><head><meta name="robots" content="noai"></head></html>`}, true, false, "its HTML says noai"},
	{"http://noindex.test/1", open, answer("X-Robots-Tag", "noindex"), true, true, "noindex is about search, and this is none"},
}

// answer is a page with one field in its header, or with none.
func answer(field, value string) testweb.Answer {
	a := testweb.Answer{Body: "<html>a page</html>", Header: http.Header{"Content-Type": {"text/html"}}}
	if field != "" {
		a.Header.Set(field, value)
	}
	return a
}

// Collect fails for each page that collect fetches or returns against its owner's wish, or leaves out without one.
func Collect(t *testing.T, collect func(urls []string) (pages []string, err error)) {
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		var urls []string
		for _, p := range pages {
			host := p.url[len("http://") : len(p.url)-len("/1")]
			web.Host(host).Robots(p.robots).Answer("/1", p.answer)
			urls = append(urls, p.url)
		}
		got, err := collect(urls)
		if err != nil {
			t.Errorf("Collect returned the error %v, want none", err)
		}
		returned := make(map[string]int)
		for _, u := range got {
			returned[u]++
		}
		for _, p := range pages {
			if fetched := web.Count("GET "+p.url) > 0; fetched != p.fetched {
				t.Errorf("%s: fetched is %t, want %t: %s", p.url, fetched, p.fetched, p.why)
			}
			if want := map[bool]int{true: 1}[p.used]; returned[p.url] != want {
				t.Errorf("%s: Collect returned it %d times, want %d: %s", p.url, returned[p.url], want, p.why)
			}
			delete(returned, p.url)
		}
		if len(returned) > 0 {
			t.Errorf("Collect returned %v, which nobody asked for", returned)
		}
	})
}
