package collyrobots

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

const groups = `User-agent: FooBot
Disallow: /foo
Crawl-delay: 3

User-agent: BarBot
Disallow: /bar

User-agent: GPTBot
Disallow: /art
Crawl-delay: 9

User-agent: *
Disallow: /star
`

func TestWhichTokenIsJudged(t *testing.T) {
	for _, test := range []struct {
		name, token, agent string
		want, path         string // the token, and what is disallowed for it
		warns              string
	}{
		{"that of the User-Agent", "", "FooBot/1.0 (+https://foo.example)", "FooBot", "/foo", ""},
		{"behind Mozilla", "", "Mozilla/5.0 (compatible; BarBot/2.1; +https://bar.example)", "BarBot", "/bar", ""},
		{"none has a group", "", "Other/1.0", "Other", "/star", ""},
		{"the configured one", "BarBot", "Mozilla/5.0 (compatible; barbot/1)", "BarBot", "/bar", ""},
		{"one that the User-Agent does not contain", "BarBot", "FooBot/1.0", "BarBot", "/bar", "not in the User-Agent"},
		{"a browser's", "", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36", "*", "/star", "a browser"},
		{"without a token", "", "4711", "*", "/star", "no product token"},
		{"empty", "", "", "*", "/star", "no product token"},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Robots(groups).Page("/*", "x")
				logger, lines := logLines()
				r := newRobots(t, web, Options{ProductToken: test.token, Logger: logger})
				c := newCollector(t, r)
				c.UserAgent = test.agent // set after Attach: it is read from each hop
				for _, path := range []string{"/foo", "/bar", "/art", "/star"} {
					_ = c.Visit("http://shop.test" + path)
					if got, want := web.Count("GET http://shop.test"+path) == 0, path == test.path; got != want {
						t.Errorf("%s was refused: %v, want %v", path, got, want)
					}
				}
				if d := check(t, r, "http://shop.test"+test.path); d.ProductToken != test.want || d.Allowed {
					t.Errorf("Check = %+v, want token %s, disallowed", d, test.want)
				}
				warned := lines("user_agent")
				if len(warned) != map[bool]int{true: 1}[test.warns != ""] || test.warns != "" && !strings.Contains(warned[0], test.warns) {
					t.Errorf("warnings %q, want one with %q", warned, test.warns)
				}
			})
		})
	}
}

func TestTwoNamesShareOneRobotsTxtAndEachIsJudgedByItsOwnRules(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(groups).Page("/*", "x")
		r := newRobots(t, web, Options{})
		foo, bar := newCollector(t, r), newCollector(t, r, colly.UserAgent("BarBot/1"))
		for _, path := range []string{"/foo", "/bar"} {
			_ = foo.Visit("http://shop.test" + path)
			_ = bar.Visit("http://shop.test" + path)
		}
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/foo", "GET http://shop.test/bar")
		for _, h := range web.Hits()[1:] {
			if want := map[string]string{"/foo": "BarBot/1", "/bar": testAgent}[h.URI]; h.Header.Get("User-Agent") != want {
				t.Errorf("%s was sent by %s", h.URI, h.Header.Get("User-Agent"))
			}
		}
	})
}

func TestAUserAgentThatALaterCallbackSetsIsTheOneThatCounts(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(groups).Page("/*", "x")
		c := newCollector(t, newRobots(t, web, Options{}))
		c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", "BarBot/2.0") })
		visit(t, c, nil, "http://shop.test/foo", "http://shop.test/foo")
		visit(t, c, ErrDisallowed, "http://shop.test/bar")
		_ = c.Visit("http://shop.test/bar")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/foo", "GET http://shop.test/foo")
	})
}

func TestAlsoObeyAddsTheGroupsThatDescribeOurPurpose(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(groups).Page("/*", "x")
		r := newRobots(t, web, Options{AlsoObey: []string{"GPTBot", "CCBot"}})
		c := newCollector(t, r)
		visit(t, c, ErrDisallowed, "http://shop.test/art")
		if d := check(t, r, "http://shop.test/"); !d.HasCrawlDelay || d.CrawlDelay.Seconds() != 9 {
			t.Errorf("Check = %+v, want the longest crawl delay, 9 s", d)
		}
	})
}

func TestTheOriginIsThatOfTheHostThatIsSent(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		// One machine, 10.0.0.1, serves two names.
		web.Host("10.0.0.1").Handle("/*", func(w http.ResponseWriter, q *http.Request) { t.Errorf("asked without a name: %s", q.URL) })
		web.Host("shop.test").Robots(disallowPrivate).Page("/*", "x")
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		c.OnRequest(func(r *colly.Request) { r.Headers.Set("Host", "shop.test") })
		hdr := func() http.Header { return http.Header{"Host": {"shop.test"}} }
		if err := c.Request("GET", "http://10.0.0.1/a", nil, nil, hdr()); err != nil {
			t.Fatal(err)
		}
		wantErr(t, "known", c.Request("GET", "http://10.0.0.1/private", nil, nil, hdr()), nil)
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/a")
		for _, d := range web.Dials() {
			if d.Addr != "10.0.0.1:80" {
				t.Errorf("dialled %s, want the address of the page", d.Addr)
			}
		}
		if d := check(t, r, "http://shop.test/private"); d.Allowed || len(web.Hits()) != 2 {
			t.Errorf("Check = %+v, want the rules that are known under the name", d)
		}
	})
}

func TestEachSchemeAndPortHasItsOwn(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate).Page("/*", "x")
		web.Host("shop.test:8080").Robots("User-agent: *\nDisallow: /\n")
		c := newCollector(t, newRobots(t, web, Options{}))
		visit(t, c, nil, "http://shop.test/", "https://shop.test/", "http://SHOP.test:80/")
		visit(t, c, ErrDisallowed, "http://shop.test:8080/")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/", "GET https://shop.test/robots.txt", "GET https://shop.test/",
			"GET http://shop.test/", "GET http://shop.test:8080/robots.txt")
	})
}

func TestACrawlDelayThatNobodyKeepsIsWarnedOfOncePerHost(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(groups).Page("/*", "x")
		logger, lines := logLines()
		c := newCollector(t, newRobots(t, web, Options{Logger: logger}))
		visit(t, c, nil, "http://shop.test/", "http://shop.test/a", "https://shop.test/")
		if got := lines("crawl delay"); len(got) != 1 || !strings.Contains(got[0], "wait=3s") || !strings.Contains(got[0], "host=shop.test") || !strings.HasPrefix(got[0], "level=WARN") {
			t.Errorf("warnings %q, want one", got)
		}
	})
}

func TestUnruledNamesTheOriginsCrawledWithoutRules(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("none.test").Page("/", "x")
		web.Host("rules.test").Robots(disallowPrivate)
		web.Host("empty.test").Robots("")
		web.Host("page.test").Robots("\n <!doctype html><html>Not found</html>")
		web.Host("wrapped.test").Robots("<pre>\n" + disallowPrivate)
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		for i := range 6 {
			web.Host("far.test").Answer("/"+strings.Repeat("x", i+1), testweb.Answer{Redirect: "/" + strings.Repeat("x", i+2)})
		}
		web.Host("far.test").Answer("/robots.txt", testweb.Answer{Redirect: "/x"})
		r := newRobots(t, web, Options{})
		for _, h := range []string{"none", "rules", "empty", "page", "wrapped", "down", "far"} {
			check(t, r, "http://"+h+".test/")
		}
		got := map[string]string{}
		for _, u := range r.Unruled() {
			got[u.Origin] = u.Why
		}
		for origin, want := range map[string]string{"http://none.test": "404", "http://page.test": "HTML", "http://far.test": "redirects"} {
			if !strings.Contains(got[origin], want) {
				t.Errorf("Unruled says of %s %q, want %q", origin, got[origin], want)
			}
		}
		if len(got) != 3 {
			t.Errorf("Unruled = %v, want three", got)
		}
		web.Host("none.test").Robots(disallowPrivate)
		if err := r.Forget("http://none.test"); err != nil {
			t.Fatal(err)
		}
		check(t, r, "http://none.test/")
		if got := len(r.Unruled()); got != 2 {
			t.Errorf("%d origins after one has rules, want 2", got)
		}
	})
}

func TestRobotsTxtItselfIsAnOrdinaryPageThatIsAlwaysAllowed(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /\n")
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		body := ""
		c.OnResponse(func(r *colly.Response) { body = string(r.Body) })
		visit(t, c, nil, "http://shop.test/robots.txt")
		wantLog(t, web, "GET http://shop.test/robots.txt")
		if !strings.HasPrefix(body, "User-agent") {
			t.Errorf("body %q", body)
		}
		d, err := r.Check(context.Background(), "http://shop.test/robots.txt")
		if err != nil || !d.Allowed || d.Class != "" {
			t.Errorf("Check = %+v, %v", d, err)
		}
		visit(t, c, ErrDisallowed, "http://shop.test/robots.txt?x")
	})
}
