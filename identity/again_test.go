package identity

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestACorrectedHeaderGoesOutAtOnce(t *testing.T) {
	for _, key := range []string{"User-Agent", "From"} {
		web := memory(t)
		web.Host("shop.test").Page("/*", "")
		c, id := attached(t, web, Options{UserAgent: good, Mode: Refuse})
		c.AllowURLRevisit = true
		wrong := true
		c.OnRequest(func(r *colly.Request) {
			if wrong {
				r.Headers.Set(key, "x@other.dev")
			}
		})
		for range 3 {
			wantRefused(t, c.Visit("http://shop.test/"), CodeMismatch)
		}
		web.Reset()
		wrong = false
		for _, do := range []func() error{
			func() error { return c.Visit("http://shop.test/") },
			func() error { return c.Head("http://shop.test/") },
		} {
			if err := do(); err != nil {
				t.Errorf("%s: with the right header = %v, want nil", key, err)
			}
		}
		wantNames(t, web, goodNames, goodNames)
		plain := &http.Client{Transport: id.Transport(web.Transport())}
		for _, ua := range []string{chrome, chrome, good, chrome, good} {
			r, _ := http.NewRequest("GET", "http://shop.test/p", nil)
			r.Header.Set("User-Agent", ua)
			resp, err := plain.Do(r)
			if (err == nil) != (ua == good) {
				t.Errorf("a plain client as %q = %v, want sent: %v", ua, err, ua == good)
			}
			if err == nil {
				resp.Body.Close()
			}
		}
	}
}

// Many scrapers ask again in OnError without a bound. Where the callback that sets a wrong header stays, that must come to an end, unsent.
func TestALoopWithAWrongHeaderEnds(t *testing.T) {
	for name, ask := range map[string]func(c *colly.Collector, r *colly.Request) error{
		"Retry": func(_ *colly.Collector, r *colly.Request) error { return r.Retry() },
		"Visit": func(c *colly.Collector, r *colly.Request) error { return c.Visit(r.URL.String()) },
		"Request": func(c *colly.Collector, r *colly.Request) error {
			return c.Request(r.Method, r.URL.String(), nil, nil, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := memory(t)
				web.Host("shop.test").Page("/*", "")
				c, _ := attached(t, web, Options{UserAgent: good, Mode: Refuse})
				c.AllowURLRevisit = true
				c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", chrome) })
				errors := 0
				c.OnError(func(r *colly.Response, _ error) {
					if errors++; errors < 1000 {
						_ = ask(c, r.Request)
					}
				})
				_ = c.Visit("http://shop.test/")
				if errors > 20 {
					t.Errorf("%d errors, want an end after a few", errors)
				}
				wantNames(t, web)
			})
		})
	}
}

func TestALoopThatCannotBeSkippedIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memory(t)
		web.Host("shop.test").Page("/*", "")
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		o := Options{UserAgent: good, Mode: Refuse, Base: web.Transport(), Refusals: RefusalsError}
		id := mustNew(t, o)
		c := colly.NewCollector(colly.StdlibContext(ctx))
		if err := id.Attach(c); err != nil {
			t.Fatal(err)
		}
		c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", chrome) })
		errors := 0
		c.OnError(func(r *colly.Response, _ error) {
			if errors++; errors < 1000 && ctx.Err() == nil {
				_ = r.Request.Retry()
			}
		})
		_ = c.Post("http://shop.test/login", map[string]string{"a": "b"})
		if errors > 150 {
			t.Errorf("%d errors in ten minutes, want no more than some hundred", errors)
		}
		wantNames(t, web)
	})
}

// What a browser-like host got is no mistake when net/http carries it over to the host that the redirect leads to, and that host gets the declared name.
func TestARedirectAwayFromABrowserLikeHostGoesOutUnderTheDeclaredName(t *testing.T) {
	for _, mode := range []Mode{Overwrite, Refuse} {
		web := memory(t)
		web.Host("old.test").Answer("/", testweb.Answer{Redirect: "http://shop.test/"})
		web.Host("shop.test").Answer("/", testweb.Answer{Redirect: "http://wiki.test/"})
		web.Host("wiki.test").Page("/", "")
		c, id := attached(t, web, Options{UserAgent: good, Mode: mode, BrowserLike: map[string]string{"old.test": "answers 403 to others"}})
		c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", chrome) })
		if err := c.Visit("http://old.test/"); err != nil {
			t.Errorf("mode %d: Visit = %v, want nil", mode, err)
		}
		wantNames(t, web, chrome+"|c@acme.dev", goodNames, goodNames)
		if got := id.Overwritten(); got != 0 {
			t.Errorf("mode %d: Overwritten() = %d, want 0", mode, got)
		}
	}
}

// A refusal that comes after a redirect costs the site a request each time, so it is not looked at again.
func TestARefusedRedirectIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memory(t)
		web.Host("shop.test").Answer("/", testweb.Answer{Redirect: "http://wiki.test/"})
		c, _ := attached(t, web, Options{UserAgent: good, Mode: Refuse})
		c.AllowURLRevisit = true
		c.SetRedirectHandler(func(r *http.Request, _ []*http.Request) error {
			r.Header.Set("User-Agent", chrome)
			return nil
		})
		c.OnError(func(r *colly.Response, _ error) { _ = r.Request.Retry() })
		for range 5 {
			_ = c.Visit("http://shop.test/")
		}
		wantNames(t, web, goodNames)
	})
}
