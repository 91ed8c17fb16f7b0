// Package check judges the task of lesson 3.
package check

import (
	"net/http"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

const file = "User-agent: *\nDisallow: /private\n"

var cases = []struct {
	what   string
	answer testweb.Answer
	want   collyrobots.Class
	why    string
}{
	{"is a file", testweb.Answer{Body: file}, collyrobots.ClassRules, "there is a file"},
	{"is an empty file", testweb.Answer{}, collyrobots.ClassRules, "there is a file, and it has no rules"},
	{"has moved to another host", testweb.Answer{Redirect: "http://elsewhere.test/robots.txt"}, collyrobots.ClassRules, "a redirect leads to a file"},
	{"is answered with 404", testweb.Answer{Status: 404}, collyrobots.ClassUnavailable, "the site says that there is none"},
	{"is answered with 410", testweb.Answer{Status: 410}, collyrobots.ClassUnavailable, "the site says that there is none any more"},
	{"is answered with 403", testweb.Answer{Status: 403}, collyrobots.ClassUnavailable, "RFC 9309, 2.3.1.3 counts all 4xx as unavailable"},
	{"is answered with 429", testweb.Answer{Status: 429}, collyrobots.ClassUnreachable, "the site says that we ask too much, not that it has no rules"},
	{"is answered with 408", testweb.Answer{Status: 408}, collyrobots.ClassUnreachable, "the site says that it took too long, not that it has no rules"},
	{"is answered with 500", testweb.Answer{Status: 500}, collyrobots.ClassUnreachable, "the site is ill: nobody knows what it wants"},
	{"is answered with 503", testweb.Answer{Status: 503}, collyrobots.ClassUnreachable, "the site is ill: nobody knows what it wants"},
	{"is not answered: the server hangs up", testweb.Answer{Reset: true}, collyrobots.ClassUnreachable, "nobody knows what the site wants"},
	{"is not answered at all", testweb.Answer{HangHeaders: true}, collyrobots.ClassUnreachable, "nobody knows what the site wants"},
	{"breaks off in the middle", testweb.Answer{Body: "User-agent: *\n", HalfBody: true}, collyrobots.ClassUnreachable, "what is missing may be the rule that matters"},
	{"redirects to itself for ever", testweb.Answer{Redirect: "/robots.txt"}, collyrobots.ClassUnreachable, "nobody ever sees the file"},
}

// Class fails for each answer that class takes for another thing than it is.
func Class(t *testing.T, class func(client *http.Client, origin string) collyrobots.Class) {
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			exam.Web(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Answer("/robots.txt", c.answer).Page("/*", "a page")
				web.Host("elsewhere.test").Robots(file)
				got := class(&http.Client{Transport: web.Transport(), Timeout: 10 * time.Second}, "http://shop.test")
				if got != c.want {
					t.Errorf("robots.txt %s: Class says %q, want %q: %s", c.what, got, c.want, c.why)
				}
				if web.Count("GET http://shop.test/robots.txt") == 0 {
					t.Errorf("robots.txt %s: Class never asked for it; shop.test saw %q", c.what, web.LogOf("shop.test"))
				}
			})
		})
	}
}
