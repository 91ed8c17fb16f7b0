// Package check judges the task of lesson 1.
package check

import (
	"slices"
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// Crawl fails unless crawl asks each host for its robots.txt, keeps to it, and tells what it left out.
func Crawl(t *testing.T, crawl func(start string) (left []string, err error)) {
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		web.Host("library.test").Robots("# Readers are welcome.\nUser-agent: *\nDisallow: /desk/\n\nDisallow: /loans\n").
			Page("/", testweb.Links("/desk/", "/books", "/loans?reader=7", "http://archive.library.test/desk/")).
			Page("/*", testweb.Links("/books/1"))
		web.Host("archive.library.test").Robots("User-agent: *\nDisallow: /boxes\n").Page("/*", testweb.Links("/boxes/9", "/desk/2"))

		left, err := crawl("http://library.test/")
		if err != nil {
			t.Errorf("Crawl returned the error %v, want none: the first page may be visited", err)
		}
		for _, host := range []string{"library.test", "archive.library.test"} {
			log := web.LogOf(host)
			switch at := slices.Index(log, "GET http://"+host+"/robots.txt"); {
			case at < 0 && len(log) > 0:
				t.Errorf("%s was asked for %d pages and never for its robots.txt. It has one of its own, and it must be read first", host, len(log))
			case at > 0:
				t.Errorf("%s was asked for a page before its robots.txt had been read: %q", host, log)
			}
		}
		for line, rule := range map[string]string{
			"GET http://library.test/desk/":           "line 3 of its robots.txt",
			"GET http://library.test/loans?reader=7":  "line 5 of its robots.txt: a blank line does not end a group",
			"GET http://archive.library.test/boxes/9": "line 2 of its robots.txt",
		} {
			if web.Count(line) > 0 {
				t.Errorf("%q was sent, though it is disallowed by %s", line, rule)
			}
		}
		for _, line := range []string{
			"GET http://library.test/books", "GET http://library.test/books/1", "GET http://archive.library.test/desk/", "GET http://archive.library.test/desk/2",
		} {
			if got := web.Count(line); got != 1 {
				t.Errorf("%q was sent %d times, want once: it is allowed, and the data is wanted", line, got)
			}
		}
		exam.SameSet(t, "what Crawl says it left out", left, []string{
			"http://library.test/desk/ (line 3: disallow: /desk/)",
			"http://library.test/loans?reader=7 (line 5: disallow: /loans)",
			"http://archive.library.test/boxes/9 (line 2: disallow: /boxes)",
		})
	})
}
