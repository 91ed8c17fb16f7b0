package identity

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/extensions"
	"github.com/google/go-cmp/cmp"
)

func TestManyRequestsAtOnceAllCarryTheIdentity(t *testing.T) {
	web := memory(t)
	web.Host("shop.test").Page("/*", "")
	web.Host("old.test").Page("/*", "")
	logger, lines := quiet()
	id := mustNew(t, Options{UserAgent: good, Base: web.Transport(), Logger: logger, BrowserLike: map[string]string{"old.test": "why"}})
	c := colly.NewCollector(colly.Async())
	if err := id.Attach(c); err != nil {
		t.Fatal(err)
	}
	extensions.RandomUserAgent(c)
	const each = 50
	for i := range each {
		_ = c.Visit(fmt.Sprint("http://shop.test/", i))
		_ = c.Visit(fmt.Sprint("http://old.test/", i))
	}
	c.Wait()
	for _, h := range web.HitsOf("shop.test") {
		if got := h.Header.Get("User-Agent"); got != good {
			t.Errorf("%s came as %q, want %q", h, got, good)
		}
	}
	if got, want := len(web.Hits()), 2*each; got != want {
		t.Errorf("%d hits, want %d", got, want)
	}
	if got, want := id.Overwritten(), int64(each); got != want {
		t.Errorf("Overwritten() = %d, want %d", got, want)
	}
	if got, want := strings.Count(lines.String(), "in place of another"), 1; got != want {
		t.Errorf("%d warnings, want %d", got, want)
	}
}

func TestTheRequestThatWasGivenIsNotChanged(t *testing.T) {
	web := memory(t)
	web.Host("shop.test").Page("/", "")
	client := &http.Client{Transport: mustNew(t, Options{UserAgent: good}).Transport(web.Transport())}
	shared := http.Header{"User-Agent": {chrome}, "user-agent": {chrome}, "from": {"x@other.dev"}}
	before := shared.Clone()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			req, _ := http.NewRequest("GET", "http://shop.test/", nil)
			req.Header = shared
			resp, err := client.Do(req)
			if err != nil {
				t.Errorf("Do = %v, want nil", err)
				return
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
	if diff := cmp.Diff(before, shared); diff != "" {
		t.Errorf("the header that was given changed (-before +after):\n%s", diff)
	}
	for _, h := range web.Hits() {
		if got := h.Header["User-Agent"]; len(got) != 1 || got[0] != good {
			t.Errorf("the server saw User-Agent %q, want %q alone", got, good)
		}
		if got := h.Header["From"]; len(got) != 1 || got[0] != "c@acme.dev" {
			t.Errorf("the server saw From %q, want c@acme.dev alone", got)
		}
	}
}
