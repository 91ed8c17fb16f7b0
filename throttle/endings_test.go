package throttle

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// endingPaths are the ways in which a request can end.
var endingPaths = []string{"/charset", "/gzip", "/redirect", "/cut", "/reset", "/empty", "/429", "/abort", "/abort-headers", "/nested", "/panic", "/ok"}

// endings crawls every path n times, and then with an ended context, and looks that no turn is left.
func endings(t *testing.T, web *testweb.Web, n int, settle func(), further ...string) {
	a := web.Host("a.test").Page("/*", "<p>x</p>")
	a.Answer("/charset", testweb.Answer{Body: "x", Header: http.Header{"Content-Type": {"text/html; charset=nonsense"}}})
	a.Answer("/gzip", testweb.Answer{Body: "no gzip", Header: http.Header{"Content-Encoding": {"gzip"}}})
	a.Answer("/redirect", testweb.Answer{Redirect: "http://elsewhere.test/"})
	a.Answer("/cut", testweb.Answer{Body: "x", HalfBody: true})
	a.Answer("/hang", testweb.Answer{Body: "x", HangBody: true})
	a.Answer("/silent", testweb.Answer{HangHeaders: true})
	a.Answer("/reset", testweb.Answer{Reset: true})
	a.Answer("/empty", testweb.Answer{Status: 204})
	a.Answer("/429", testweb.Answer{Status: 429})

	ctx, cancel := context.WithCancel(t.Context())
	c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: NoDelay}}}, colly.AllowedDomains("a.test"), colly.StdlibContext(ctx),
		colly.AllowURLRevisit(), colly.DetectCharset())
	c.OnRequestHeaders(func(r *colly.Request) {
		if r.URL.Path == "/abort" {
			r.Abort()
		}
	})
	c.OnResponseHeaders(func(r *colly.Response) {
		switch r.Request.URL.Path {
		case "/abort-headers":
			r.Request.Abort()
		case "/nested":
			_ = r.Request.Visit("/inner")
		case "/panic":
			panic("handler")
		}
		if r.StatusCode == 429 {
			_ = th.Unpark("a.test", "the test does not wait")
		}
	})
	paths := append(further, endingPaths...)
	for i := range n {
		for _, p := range paths {
			func() {
				defer func() { _ = recover() }()
				_ = c.Visit(fmt.Sprintf("http://a.test%s?%d", p, i))
			}()
		}
	}
	settle()
	wantIdle(t, th)
	cancel()
	for _, p := range paths {
		_ = c.Visit("http://a.test" + p)
	}
	wantIdle(t, th)
	if got := web.Count("GET http://a.test/ok?0"); got != 1 {
		t.Errorf("/ok?0 was asked %d times, want once", got)
	}
}

func TestNoEndingLeaksATurn(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		endings(t, web, 10, synctest.Wait, "/hang", "/silent")
	})
}
