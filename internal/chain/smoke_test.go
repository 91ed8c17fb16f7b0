package chain

import (
	"testing"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
	"github.com/gocolly/colly/v2"
)

func TestARequestPassesTheChainAndARefusedOneIsNotSent(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Page("/", "<p>hello</p>").Page("/private", "no")
	l := refuser()
	c := attached(t, web, l)
	var body string
	c.OnResponse(func(r *colly.Response) { body = string(r.Body) })
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Fatalf("Visit(/) = %v, want nil", err)
	}
	if body != "<p>hello</p>" {
		t.Errorf("body = %q", body)
	}
	wantRefusal(t, c.Visit("http://shop.test/private"), report.RobotsDisallowed)
	wantHits(t, web, "GET http://shop.test/")
	if got := l.told(); len(got) != 1 || !got[0].request {
		t.Errorf("told %v, want once with its request", got)
	}
}
