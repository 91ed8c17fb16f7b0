package etiquette_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// Scrapers that send something: see scrapers_helpers_test.go.

func TestALoginWithCookiesFindsTheSameAndBreaksNoRule(t *testing.T) {
	setUp := func(web *testweb.Web) {
		visits := 0
		shop := disallowing(web, "members.test").Handle("/login", func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost || r.PostFormValue("user") != "ann" || r.PostFormValue("password") != "secret" {
				http.Error(w, "who?", http.StatusForbidden)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "s1", Path: "/"})
			http.Redirect(w, r, "/account", http.StatusSeeOther)
		})
		members := func(title string, links ...string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if c, err := r.Cookie("session"); err != nil || c.Value != "s1" {
					http.Error(w, "log in first", http.StatusForbidden)
					return
				}
				visits++
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: fmt.Sprint(visits), Path: "/"})
				w.Header().Set("Content-Type", "text/html")
				seen := "nothing"
				if c, err := r.Cookie("seen"); err == nil {
					seen = c.Value
				}
				fmt.Fprint(w, article(title+", seen "+seen, links...))
			}
		}
		shop.Handle("/account", members("account", "/orders", "/trap/close-account"))
		shop.Handle("/orders", members("orders", "/orders/1"))
		shop.Handle("/orders/1", members("order 1"))
	}
	runBothWays(t, setUp, nil, func(t *testing.T, attach func(*colly.Collector)) (titles []string) {
		c := colly.NewCollector()
		attach(c)
		c.OnHTML("h1", func(e *colly.HTMLElement) { titles = append(titles, e.Text) })
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
		if err := c.Post("http://members.test/login", map[string]string{"user": "ann", "password": "secret"}); err != nil {
			t.Errorf("Post = %v", err)
		}
		var cookies []string // a jar has no order
		for _, cookie := range c.Cookies("http://members.test/") {
			cookies = append(cookies, "cookie "+cookie.String())
		}
		return append(titles, sorted(cookies)...)
	})
}

func TestPostedFormsFindTheSameAndBreakNoRule(t *testing.T) {
	picture := bytes.Repeat([]byte{0, 1, 2, 0xff}, 20_000)
	setUp := func(web *testweb.Web) {
		// Each says what it got.
		disallowing(web, "api.test").
			Handle("/search", func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "search %s %q page %q", r.Method, r.PostFormValue("q"), r.PostFormValue("page"))
			}).
			Handle("/upload", func(w http.ResponseWriter, r *http.Request) {
				if err := r.ParseMultipartForm(1 << 20); err != nil {
					http.Error(w, err.Error(), http.StatusBadRequest)
					return
				}
				fmt.Fprintf(w, "upload by %q, the picture is whole: %v", r.FormValue("name"), r.FormValue("picture") == string(picture))
			}).
			Handle("/query", func(w http.ResponseWriter, r *http.Request) {
				var q struct{ Tags []string }
				if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
					http.Error(w, err.Error(), http.StatusBadRequest)
					return
				}
				fmt.Fprintf(w, "query %s with %v", r.Header.Get("Content-Type"), q.Tags)
			}).
			Handle("/echo", func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				fmt.Fprintf(w, "%s %s", r.Method, body)
			}).
			Answer("/old-echo", testweb.Answer{Status: http.StatusTemporaryRedirect, Redirect: "/echo"}).
			Answer("/into-the-trap", testweb.Answer{Status: http.StatusPermanentRedirect, Redirect: "/trap/order"})
	}
	runBothWays(t, setUp, nil, func(t *testing.T, attach func(*colly.Collector)) (answers []string) {
		c := colly.NewCollector()
		attach(c)
		c.OnResponse(func(r *colly.Response) {
			if !strings.HasPrefix(r.Request.URL.Path, "/trap") {
				answers = append(answers, string(r.Body))
			}
		})
		const api = "http://api.test"
		for name, err := range map[string]error{
			"Post":          c.Post(api+"/search", map[string]string{"q": "blue chairs", "page": "2"}),
			"PostMultipart": c.PostMultipart(api+"/upload", map[string][]byte{"name": []byte("ann"), "picture": picture}),
			"Request": c.Request("POST", api+"/query", strings.NewReader(`{"Tags":["a","b"]}`), nil,
				http.Header{"Content-Type": {"application/json"}}),
			"PUT":                    c.Request("PUT", api+"/echo", strings.NewReader("put"), nil, nil),
			"PostRaw and a redirect": c.PostRaw(api+"/old-echo", []byte("posted once, sent twice")),
		} {
			if err != nil {
				t.Errorf("%s = %v", name, err)
			}
		}
		_ = c.Post(api+"/trap/vote", map[string]string{"stars": "5"})
		_ = c.PostRaw(api+"/into-the-trap", []byte("buy"))
		return sorted(answers)
	})
}

// A form that was not sent must not look like one that was.
func TestAFormThatRobotsDisallowsIsAnErrorAndNotASkip(t *testing.T) {
	politely(t, func(web *testweb.Web) { disallowing(web, "api.test").Page("/*", "x") }, func(t *testing.T, web *testweb.Web, line *oneLine) {
		c := colly.NewCollector()
		line.attach(c)
		visit(t, c, "http://api.test/") // the rules are known from here on
		visit(t, c, "http://api.test/trap/a")
		if err := c.Post("http://api.test/trap/b", map[string]string{"stars": "5"}); err == nil {
			t.Error("Post = nil, want an error")
		}
		wantEveryRuleKept(t, web.Hits(), nil)
	})
}
