// Package check judges the task of lesson 7.
package check

import (
	"net/http"
	"syscall"
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

var want = []string{"Teas of the world", "Green tea", "Black tea"}

// Titles fails unless titles fetches each page once, and finds the same in a second run, in a third one without a network, and anew in another folder.
func Titles(t *testing.T, titles func(dir string) ([]string, error)) {
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		wiki := web.Host("wiki.test").Robots("User-agent: *\nDisallow: /talk/\n").
			Page("/", "<h1>Teas of the world</h1>"+testweb.Links("/green", "/black", "/talk/1")).
			Page("/green", "<h1>Green tea</h1>"+testweb.Links("/")).Page("/black", "<h1>Black tea</h1>").Page("/talk/1", "<h1>Coffee is better</h1>")
		dir, other := t.TempDir(), t.TempDir()

		run(t, "the first call", dir, titles)
		if got := len(exam.Pages(web, "wiki.test")); got != len(want) || web.Count("GET http://wiki.test/talk/1") > 0 {
			t.Errorf("the first call: the server saw %q, want its robots.txt and the three pages that this allows", web.Log())
		}

		web.Reset()
		run(t, "the second call", dir, titles)
		if pages := exam.Pages(web, "wiki.test"); len(pages) > 0 {
			t.Errorf("the second call fetched %q again, want no page: all are in the folder", pages)
		}

		web.Reset()
		run(t, "a call with an empty folder", other, titles)
		if got := len(exam.Pages(web, "wiki.test")); got != len(want) {
			t.Errorf("a call with an empty folder: the server saw %q, want that it fetches the three pages", web.Log())
		}

		wiki.DialError(syscall.ENETUNREACH)
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		run(t, "a call without a network", dir, titles)
	})
}

func run(t *testing.T, which, dir string, titles func(dir string) ([]string, error)) {
	t.Helper()
	got, err := titles(dir)
	if err != nil {
		t.Errorf("%s: Titles returned the error %v, want none", which, err)
	}
	exam.SameSet(t, which+": the titles", got, want)
}
