package etiquette_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// RFC 9309, section by section, end to end: a real Collector, a real http.Server, and the server's own log as the judge.

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

const userAgent = "Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.test/bot.html)"

// sentence is one sentence of the standard: a robots.txt, and what may and may not be fetched under it.
type sentence struct {
	name    string
	robots  string
	allowed []string
	refused []string
}

var rfc9309 = []sentence{
	{"2.1 rules are grouped by user-agent, and each rule stands on its own line",
		"User-Agent: ExampleBot\nDisallow: /a\nDisallow: /b\n", []string{"/c"}, []string{"/a", "/b"}},
	{"2.2 a group may be without rules, and then allows everything",
		"User-Agent: *\nDisallow: /\n\nUser-Agent: ExampleBot\n", []string{"/", "/a"}, nil},
	{"2.2.1 the product token is a substring of the User-Agent that is sent",
		"User-Agent: ExampleBot\nDisallow: /\n", nil, []string{"/a"}},
	{"2.2.1 the match of the product token is not case-sensitive",
		"user-agent: EXAMPLEBOT\nDisallow: /\n", nil, []string{"/a"}},
	{"2.2.1 another crawler's group is not ours, even if its name begins alike",
		"User-Agent: Example\nDisallow: /a\n\nUser-Agent: ExampleBotNews\nDisallow: /b\n", []string{"/a", "/b"}, nil},
	{"2.2.1 groups that name the same token are combined into one",
		"User-Agent: ExampleBot\nDisallow: /a\n\nUser-Agent: ExampleBot\nDisallow: /b\n", []string{"/c"}, []string{"/a", "/b"}},
	{"2.2.1 a group that names the crawler takes the place of the group of *",
		"User-Agent: *\nDisallow: /a\n\nUser-Agent: ExampleBot\nDisallow: /b\n", []string{"/a"}, []string{"/b"}},
	{"2.2.1 without a named group the group of * is obeyed",
		"User-Agent: *\nDisallow: /a\n\nUser-Agent: OtherBot\nDisallow: /b\n", []string{"/b"}, []string{"/a"}},
	{"2.2.1 without a named group and without a group of * no rules apply",
		"User-Agent: OtherBot\nDisallow: /\n", []string{"/", "/a"}, nil},
	{"2.2.1 several user-agent lines share the rules below them",
		"User-Agent: OtherBot\nUser-Agent: ExampleBot\nDisallow: /a\n", []string{"/b"}, []string{"/a"}},
	{"2.2.2 the match begins at the first octet of the path",
		"User-Agent: *\nDisallow: /a\n", []string{"/b/a"}, []string{"/a", "/abc", "/a/b"}},
	{"2.2.2 paths are case-sensitive",
		"User-Agent: *\nDisallow: /Private\n", []string{"/private"}, []string{"/Private"}},
	{"2.2.2 the most specific match decides: the one with the most octets",
		"User-Agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n", []string{"/example/page/x"}, []string{"/example/page/disallowed.gif"}},
	{"2.2.2 the order of the rules does not matter",
		"User-Agent: *\nDisallow: /shop\nAllow: /shop/public\n", []string{"/shop/public/a"}, []string{"/shop/a"}},
	{"2.2.2 if an allow and a disallow rule are equivalent, allow decides",
		"User-Agent: *\nDisallow: /page\nAllow: /page\n", []string{"/page"}, nil},
	{"2.2.2 without a match the URI is allowed",
		"User-Agent: *\nDisallow: /a\n", []string{"/other"}, nil},
	{"2.2.2 /robots.txt is implicitly allowed",
		"User-Agent: *\nDisallow: /\n", []string{"/robots.txt"}, []string{"/a"}},
	{"2.2.2 escapes of unreserved octets are compared decoded",
		"User-Agent: *\nDisallow: /%7Ejoe\nDisallow: /b/%62%61%7A\n", []string{"/joe"}, []string{"/~joe", "/b/baz"}},
	{"2.2.2 octets outside US-ASCII are compared percent-encoded",
		"User-Agent: *\nDisallow: /f\u00f6o\n", []string{"/foo"}, []string{"/f%C3%B6o", "/f%c3%b6o"}},
	{"2.2.2 an escaped slash is no slash",
		"User-Agent: *\nDisallow: /a%2Fb\n", []string{"/a/b"}, []string{"/a%2fb"}},
	{"2.2.2 the query is part of what is matched, in its own order",
		"User-Agent: *\nDisallow: /p?z=\n", []string{"/p?a=2&z=1", "/p"}, []string{"/p?z=1&a=2"}},
	{"2.2.3 # begins a comment",
		"User-Agent: * # everybody\nDisallow: /a # not this\n# Disallow: /b\n", []string{"/b"}, []string{"/a"}},
	{"2.2.3 * stands for any octets, none too",
		"User-Agent: *\nDisallow: /a/*/c\n", []string{"/a/c"}, []string{"/a/b/c", "/a//c", "/a/b/x/c/d"}},
	{"2.2.3 $ marks the end",
		"User-Agent: *\nDisallow: /*.pdf$\n", []string{"/x.pdf?v=1", "/x.pdf.html"}, []string{"/x.pdf"}},
	{"2.2.3 a special character is matched literally where it is escaped",
		"User-Agent: *\nDisallow: /path/file-with-a-%2A.html\n", []string{"/path/file-with-a-x.html"}, []string{"/path/file-with-a-*.html"}},
	{"2.2.4 other records are none of the rules and do not end a group",
		"User-Agent: ExampleBot\nCrawl-delay: 0\nSitemap: https://x.test/s.xml\nUser-Agent: OtherBot\nDisallow: /a\n", []string{"/b"}, []string{"/a"}},
	{"2.2 an empty value disallows nothing",
		"User-Agent: *\nDisallow:\n", []string{"/", "/a"}, nil},
	{"2.3.1.5 lines that cannot be read are passed over, the rest counts",
		"Disallow: /early\n<html>\nUser-Agent: *\nnonsense\nCrawl-delay: abc\nDisallow: /a\n", []string{"/early", "/b"}, []string{"/a"}},
	{"2.3 the file is UTF-8, with or without a byte order mark, with any line ends",
		"\xef\xbb\xbfUser-Agent: *\rDisallow: /a\r\nDisallow: /b\n", []string{"/c"}, []string{"/a", "/b"}},
}

func TestRFC9309SentenceBySentence(t *testing.T) {
	for _, s := range rfc9309 {
		t.Run(s.name, func(t *testing.T) {
			web, err := testweb.NewLoopback()
			if err != nil {
				t.Fatal(err)
			}
			defer web.Close()
			web.Host("site.test").Robots(s.robots).Page("/*", "a page")
			c := scraper(t, web, collyrobots.Options{})
			for _, path := range s.allowed {
				if err := c.Visit("http://site.test" + path); err != nil {
					t.Errorf("Visit(%s) = %v, want nil", path, err)
				}
			}
			for _, path := range s.refused {
				err := c.Visit("http://site.test" + path)
				if err != nil && !errors.Is(err, collyrobots.ErrDisallowed) {
					t.Errorf("Visit(%s) = %v, want a skip or ErrDisallowed", path, err)
				}
			}
			want := 1 + len(s.allowed) // robots.txt itself
			if got := len(web.Hits()); got != want {
				t.Errorf("server saw %q, want %d requests", web.Log(), want)
			}
			for _, path := range s.refused {
				if web.Count("GET http://site.test"+path) > 0 {
					t.Errorf("server saw %s, which is disallowed", path)
				}
			}
		})
	}
}

// scraper is a Collector on the web with the one line.
func scraper(t *testing.T, web *testweb.Web, o collyrobots.Options) *colly.Collector {
	t.Helper()
	c := colly.NewCollector(colly.UserAgent(userAgent), colly.AllowURLRevisit())
	o.Base = web.Transport()
	r, err := collyrobots.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Attach(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// outcome is one row of what an answer to robots.txt means: how often robots.txt and the page were asked for after each visit.
type outcome struct {
	name   string
	answer testweb.Answer
	steps  []step
}

// step is a visit of /page after a time, and how many requests the server has seen by then.
type step struct {
	after         time.Duration
	robots, pages int
	reason        report.Reason // of the refusal, if there is one
}

const rules = "User-agent: *\nDisallow: /private\n"

func TestWhatAnAnswerToRobotsMeans(t *testing.T) {
	day := 24 * time.Hour
	unreachable := report.RobotsUnreachable
	rows := []outcome{
		{"200: rules, for 24 hours", testweb.Answer{Body: rules},
			[]step{{0, 1, 1, ""}, {day - 6*time.Hour, 1, 2, ""}, {6*time.Hour + time.Second, 2, 3, ""}}},
		{"203: rules", testweb.Answer{Status: 203, Body: rules}, []step{{0, 1, 1, ""}, {time.Minute, 1, 2, ""}}},
		{"204: no rules, all allowed", testweb.Answer{Status: 204}, []step{{0, 1, 1, ""}}},
		{"empty: all allowed", testweb.Answer{}, []step{{0, 1, 1, ""}}},
		{"Cache-Control may shorten it", testweb.Answer{Body: rules, Header: http.Header{"Cache-Control": {"max-age=7200"}}},
			[]step{{0, 1, 1, ""}, {90 * time.Minute, 1, 2, ""}, {31 * time.Minute, 2, 3, ""}}},
		{"but not below an hour", testweb.Answer{Body: rules, Header: http.Header{"Cache-Control": {"max-age=60"}}},
			[]step{{0, 1, 1, ""}, {40 * time.Minute, 1, 2, ""}, {21 * time.Minute, 2, 3, ""}}},
		{"no-store counts as absent", testweb.Answer{Body: rules, Header: http.Header{"Cache-Control": {"no-store"}}},
			[]step{{0, 1, 1, ""}, {18 * time.Hour, 1, 2, ""}}},
		{"404: unavailable, allowed, asked again after an hour", testweb.Answer{Status: 404},
			[]step{{0, 1, 1, ""}, {59 * time.Minute, 1, 2, ""}, {2 * time.Minute, 2, 3, ""}}},
		{"401: unavailable, allowed", testweb.Answer{Status: 401}, []step{{0, 1, 1, ""}}},
		{"403: unavailable, allowed", testweb.Answer{Status: 403}, []step{{0, 1, 1, ""}}},
		{"408: unreachable", testweb.Answer{Status: 408}, []step{{0, 1, 0, unreachable}}},
		{"421: unreachable", testweb.Answer{Status: 421}, []step{{0, 1, 0, unreachable}}},
		{"425: unreachable", testweb.Answer{Status: 425}, []step{{0, 1, 0, unreachable}}},
		{"429: unreachable, Retry-After is kept to", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"600"}}},
			[]step{{0, 1, 0, unreachable}, {9 * time.Minute, 1, 0, ""}, {61 * time.Second, 2, 0, unreachable}}},
		{"503: unreachable, asked again after a minute, then two", testweb.Answer{Status: 503},
			[]step{{0, 1, 0, unreachable}, {59 * time.Second, 1, 0, ""}, {2 * time.Second, 2, 0, unreachable}, {time.Minute, 2, 0, ""},
				{61 * time.Second, 3, 0, unreachable}}},
		{"500 with rules in the body: still unreachable", testweb.Answer{Status: 500, Body: "User-agent: *\nDisallow:\n"}, []step{{0, 1, 0, unreachable}}},
		{"304 that nobody asked for: unreachable", testweb.Answer{Status: 304}, []step{{0, 1, 0, unreachable}}},
		{"a body that is cut short: unreachable, after a second try", testweb.Answer{Body: rules, HalfBody: true}, []step{{0, 2, 0, unreachable}}},
		{"a reset: unreachable, after a second try", testweb.Answer{Reset: true}, []step{{0, 2, 0, unreachable}}},
		{"a redirect without a usable Location: unavailable", testweb.Answer{Status: 302}, []step{{0, 1, 1, ""}}},
		{"a redirect to itself: unreachable", testweb.Answer{Redirect: "/robots.txt"}, []step{{0, 1, 0, unreachable}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := testweb.NewMemory()
				defer web.Close()
				web.Host("site.test").Answer("/robots.txt", row.answer).Page("/page", "x")
				c := scraper(t, web, collyrobots.Options{})
				for i, s := range row.steps {
					time.Sleep(s.after)
					err := c.Visit("http://site.test/page")
					synctest.Wait() // a refresh in the background
					skip, refused := etiquette.Refused(err)
					if err != nil && (!refused || skip.Reason != s.reason) || err == nil && s.reason != "" {
						t.Errorf("visit %d = %v, want reason %q", i+1, err, s.reason)
					}
					robots, pages := web.Count("GET http://site.test/robots.txt"), web.Count("GET http://site.test/page")
					if robots != s.robots || pages != s.pages {
						t.Errorf("after visit %d the server saw robots.txt %d times and the page %d times, want %d and %d", i+1, robots, pages, s.robots, s.pages)
					}
				}
			})
		})
	}
}

func TestRobotsRedirectsAreFollowedAndCountForTheFirstOrigin(t *testing.T) {
	for hops, allowed := range map[int]bool{1: false, 5: false, 6: true} {
		t.Run(fmt.Sprint(hops, " hops"), func(t *testing.T) {
			web, err := testweb.NewLoopback()
			if err != nil {
				t.Fatal(err)
			}
			defer web.Close()
			web.Host("site.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://other.test/1"}).Page("/private", "x")
			other := web.Host("other.test")
			for i := 1; i < hops; i++ {
				other.Answer(fmt.Sprint("/", i), testweb.Answer{Redirect: fmt.Sprint("/", i+1)})
			}
			other.Page(fmt.Sprint("/", hops), rules)
			c := scraper(t, web, collyrobots.Options{})
			err = c.Visit("http://site.test/private")
			if got := err == nil; got != allowed {
				t.Errorf("Visit after %d redirects of robots.txt = %v, want allowed %v", hops, err, allowed)
			}
			if got := web.Count("GET http://site.test/private") > 0; got != allowed {
				t.Errorf("the page was fetched: %v, want %v", got, allowed)
			}
		})
	}
}

func TestA304RenewsAndIsAskedForByValidator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("site.test").Handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"1"`)
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, rules)
		}).Page("/page", "x").Page("/private", "x")
		c := scraper(t, web, collyrobots.Options{})
		for range 4 {
			_ = c.Visit("http://site.test/page")
			_ = c.Visit("http://site.test/private")
			synctest.Wait()
			time.Sleep(25 * time.Hour)
		}
		if got := web.Count("GET http://site.test/robots.txt"); got != 4 {
			t.Errorf("robots.txt was asked for %d times in 4 days, want 4", got)
		}
		if got := web.Count("GET http://site.test/private"); got != 0 {
			t.Errorf("/private was fetched %d times, want never: a 304 keeps the rules", got)
		}
	})
}

func TestRobotsRequestsCarryNoCookiesAndNoOwnHeaders(t *testing.T) {
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("site.test").Robots(rules).Page("/*", "x")
	c := scraper(t, web, collyrobots.Options{})
	c.Headers = &http.Header{"X-Api-Key": {"secret"}, "Authorization": {"Bearer secret"}}
	if err := c.SetCookies("http://site.test/", []*http.Cookie{{Name: "sid", Value: "1"}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Visit("http://site.test/page"); err != nil {
		t.Fatal(err)
	}
	hit := web.Hits()[0]
	if hit.URI != "/robots.txt" || hit.Header.Get("User-Agent") != userAgent {
		t.Fatalf("first request %s with User-Agent %q, want robots.txt with the crawler's", hit.URI, hit.Header.Get("User-Agent"))
	}
	for _, name := range []string{"X-Api-Key", "Authorization", "Cookie"} {
		if got := hit.Header.Get(name); got != "" {
			t.Errorf("robots.txt was asked with %s %q, want none", name, got)
		}
	}
}

func TestOnlyTheFirst500KiBCountAndNoHalfLine(t *testing.T) {
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	head := "User-agent: *\nDisallow: /in\n"
	// The limit falls into the last line: "Disallow: /" must not be what is left of it.
	pad := strings.Repeat("#", 512_000-len(head)-len("\nDisallow: /")) + "\n"
	web.Host("site.test").Robots(head+pad+"Disallow: /outside\nDisallow: /\n").Page("/*", "x")
	c := scraper(t, web, collyrobots.Options{})
	if err := c.Visit("http://site.test/page"); err != nil {
		t.Errorf("Visit = %v, want nil: the line that the limit cuts does not count", err)
	}
	if err := c.Visit("http://site.test/in"); err != nil {
		t.Errorf("Visit of a disallowed page that is known = %v, want a skip", err)
	}
	if got := web.Count("GET http://site.test/in"); got != 0 {
		t.Errorf("/in was fetched %d times, want never", got)
	}
}
