package identity

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestASingleHostMayAskForAFormOfItsOwn(t *testing.T) {
	web := memory(t)
	for _, h := range []string{"a.test", "sec.test", "shop.test"} {
		web.Host(h).Page("/", "")
	}
	web.Host("a.test").Answer("/away", testweb.Answer{Redirect: "http://shop.test/"})
	for _, mode := range []Mode{Overwrite, Refuse} {
		web.Reset()
		c, id := attached(t, web, Options{UserAgent: good, Mode: mode, TokenOptional: []string{"SEC.test"},
			PerHost: map[string]string{"A.test": "AcmeBot/1.2 (c@acme.dev)", "sec.test": "Acme Research crawl@acme.dev"}})
		for _, u := range []string{"http://a.test/", "http://sec.test/", "http://shop.test/"} {
			if err := c.Visit(u); err != nil {
				t.Errorf("Visit(%s) = %v, want nil", u, err)
			}
		}
		c.AllowURLRevisit = true
		if err := c.Visit("http://a.test/away"); err != nil {
			t.Errorf("Visit(a.test/away) = %v, want nil", err)
		}
		a, sec := "AcmeBot/1.2 (c@acme.dev)|c@acme.dev", "Acme Research crawl@acme.dev|c@acme.dev"
		wantNames(t, web, a, sec, goodNames, a, goodNames)
		if got, want := id.Overwritten(), int64(0); got != want {
			t.Errorf("Overwritten() = %d, want %d", got, want)
		}
	}
}

func TestABrowserLikeHostGetsTheProgramsHeaderAndTheRestStays(t *testing.T) {
	for _, mode := range []Mode{Overwrite, Refuse} {
		web := memory(t)
		web.Host("old.test").Page("/*", "").Robots("")
		web.Host("shop.test").Page("/*", "")
		c, id := attached(t, web, Options{UserAgent: good, Mode: mode, BrowserLike: map[string]string{"old.test": "answers 403 to others"}})
		robots := &robotsLayer{}
		if _, err := chain.Attach(c, chain.Config{}, robots); err != nil {
			t.Fatal(err)
		}
		agent := chrome
		c.OnRequest(func(r *colly.Request) {
			if r.URL.Host == "old.test" {
				r.Headers.Set("User-Agent", agent)
			}
		})
		_ = c.Visit("http://old.test/a")
		agent = ""
		_ = c.Visit("http://old.test/b")
		_ = c.Visit("http://shop.test/")
		wantNames(t, web, chrome+"|c@acme.dev", chrome+"|c@acme.dev", goodNames, goodNames)
		if got, want := strings.Join(robots.tokens, " "), "AcmeBot AcmeBot AcmeBot"; got != want {
			t.Errorf("tokens %q, want %q", got, want)
		}
		for _, h := range web.Hits() {
			u, _ := http.NewRequest("GET", h.URL(), nil)
			reason, like := id.BrowserLike(u.URL)
			if want := h.Host == "old.test"; like != want || (reason != "") != want {
				t.Errorf("%s: BrowserLike %v (%q), want %v", h.Host, like, reason, want)
			}
		}
	}
}
