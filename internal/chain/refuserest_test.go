package chain

import (
	"io"
	"net/http"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// cutter refuses the rest of each body at its first read. It keeps what it is told in a testLayer, without being a Holder as that is.
type cutter struct{ tells testLayer }

func (l *cutter) Kind() Kind                              { return Guard }
func (l *cutter) Skipped(r *colly.Request, s report.Skip) { l.tells.Skipped(r, s) }
func (l *cutter) Handle(h *Hop, next Handler) (*http.Response, error) {
	resp, err := next(h)
	if err == nil {
		resp.Body = &cut{resp.Body, func() error {
			return h.RefuseRest(l, &testRefusal{report.Skip{Reason: report.Unwanted, URL: h.URL().String()}})
		}}
	}
	return resp, err
}

type cut struct {
	io.ReadCloser
	refuse func() error
}

func (c *cut) Read([]byte) (int, error) {
	_ = c.Close()
	return 0, c.refuse()
}

func TestTheRestOfABodyThatIsRefusedIsToldOnceAndRemembered(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x").Answer("/go", testweb.Answer{Redirect: "/there"})
	l := &cutter{}
	c := attached(t, web, l)
	c.AllowURLRevisit = true
	wantRefusal(t, c.Visit("http://shop.test/a"), report.Unwanted)
	wantRefusal(t, c.Visit("http://shop.test/go"), report.Unwanted)
	for range 2 {
		if err := c.Visit("http://shop.test/a"); err != nil {
			t.Errorf("Visit of what was refused = %v, want a skip", err)
		}
	}
	wantHits(t, web, "GET http://shop.test/a", "GET http://shop.test/go", "GET http://shop.test/there")
	got := l.tells.told()
	if len(got) != 4 || !got[0].request || got[1].skip.Referrer != "http://shop.test/go" {
		t.Errorf("told %+v, want each refusal and each skip once, with its request, and the redirect's referrer", got)
	}
	client := &http.Client{Transport: Transport(web.Transport(), Config{}, l)}
	resp, err := client.Get("http://shop.test/b")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(resp.Body)
	wantRefusal(t, err, report.Unwanted)
	if got := l.tells.told(); len(got) != 5 || got[4].request {
		t.Errorf("a plain client's: told %+v, want it once, without a request", got[4:])
	}
}

func TestOnErrorFindsTheRequestOfABodyThatIsRefused(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	c := attached(t, web, &cutter{})
	var failed []string
	c.OnError(func(r *colly.Response, err error) { failed = append(failed, r.Request.URL.Path) })
	_ = c.Visit("http://shop.test/a")
	if len(failed) != 1 || failed[0] != "/a" {
		t.Errorf("OnError was called for %q, want /a", failed)
	}
}
