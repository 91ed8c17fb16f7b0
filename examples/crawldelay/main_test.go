package main

import (
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestEachHostIsAskedAtItsOwnPaceOnlyWithTheTwoLines(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()

	setUp(web)
	if err := plain(); err != nil {
		t.Fatal(err)
	}
	if got := len(web.Log()); got != len(hosts)*pages {
		t.Errorf("plain Colly sent %d requests, want %d", got, len(hosts)*pages)
	}
	if got := smallest(web, "patient.test"); got >= time.Second {
		t.Errorf("plain Colly kept %v for patient.test, want less than the second that it asks for", got)
	}
	if got := smallest(web, "busy.test"); got >= 2*time.Second {
		t.Errorf("plain Colly waited %v after a 429, want that it does not wait", got)
	}

	setUp(web)
	web.Reset()
	if err := polite(); err != nil {
		t.Fatal(err)
	}
	for _, h := range hosts {
		if got, want := len(web.HitsOf(h.name)), pages+1; got != want {
			t.Errorf("%s got %d requests, want %d: its robots.txt and its pages", h.name, got, want)
		}
	}
	if got := smallest(web, "patient.test"); got < time.Second {
		t.Errorf("the smallest gap of patient.test is %v, want its second", got)
	}
	if got := smallest(web, "free.test"); got < delay {
		t.Errorf("the smallest gap of free.test is %v, want %v", got, delay)
	}
	hits := pagesOf(web, "busy.test")
	if got := hits[2].Time.Sub(hits[1].Time); got < 2*time.Second {
		t.Errorf("after the 429 the next request came in %v, want its Retry-After of 2 s", got)
	}
}

func TestTheDrawingHasALinePerHost(t *testing.T) {
	start := time.Now()
	at := func(ms int, host, uri string) testweb.Hit {
		return testweb.Hit{Time: start.Add(time.Duration(ms) * time.Millisecond), Host: host, URI: uri}
	}
	got := timeline([]testweb.Hit{at(0, "busy.test", "/robots.txt"), at(310, "busy.test", "/1"), at(520, "busy.test", "/2"), at(580, "busy.test", "/3")}, start)
	if want := "r..x.2"; got != want {
		t.Errorf("timeline = %q, want %q", got, want)
	}
	if got, want := scale([]testweb.Hit{at(1200, "a", "/")}, start), "0         1"; got != want {
		t.Errorf("scale = %q, want %q", got, want)
	}
}

func pagesOf(web *testweb.Web, host string) (out []testweb.Hit) {
	for _, hit := range web.HitsOf(host) {
		if !strings.HasSuffix(hit.URI, "/robots.txt") {
			out = append(out, hit)
		}
	}
	return out
}

// smallest is the smallest gap between two pages of a host.
func smallest(web *testweb.Web, host string) time.Duration {
	least := time.Hour
	for _, gap := range testweb.Gaps(pagesOf(web, host)) {
		least = min(least, gap)
	}
	return least
}
