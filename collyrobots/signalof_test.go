package collyrobots

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestSignalsOfAPageAreThoseOfAllThreePlaces(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").
			Robots(lines("User-agent: *", "Content-Usage: /a train-ai=n", "Content-Signal: search=yes", "License: https://shop.test/l.xml", "Visit-time: 0000-2359")).
			Answer("/a", testweb.Answer{
				Header: http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"foobot: noarchive, otherbot: nosnippet"}, "Content-Usage": {"train-ai=y"}},
				Body:   `<head><meta name="FooBot" content="nofollow"></head><body><meta name="robots" content="none">`,
			})
		c := newCollector(t, newRobots(t, web, Options{}))
		var s Signals
		c.OnResponse(func(r *colly.Response) { s = SignalsOf(r) })
		visit(t, c, nil, "http://shop.test/a")
		if got, want := verdicts(s), "follow=deny archive=deny search=allow ai-train=deny"; got != want {
			t.Errorf("the page says %q, want %q", got, want)
		}
		_, src := s.Verdict(AITrain)
		if len(src) != 2 || src[0].Where != "http://shop.test/robots.txt" || src[0].Line != 2 || src[1].Where != "header" {
			t.Errorf("sources of ai-train = %+v, want line 2 of robots.txt and the header", src)
		}
		if len(s.Licenses) != 1 || s.Hours.String() != "00:00-23:59" {
			t.Errorf("licences %q, hours %s", s.Licenses, s.Hours)
		}
		if len(s.Raw) != 7 { // two records, licence, hours; two fields; one meta
			t.Errorf("%d texts kept, want 7: %+v", len(s.Raw), s.Raw)
		}
	})
}

// The product token is that by which the rules were found: the option's, even where the User-Agent says another.
func TestSignalsAreReadForTheTokenThatCounts(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("").Answer("/", testweb.Answer{Header: field("X-Robots-Tag", "foobot: noarchive, barbot: nosnippet, gptbot: noai")})
		for _, tt := range []struct {
			o    Options
			want string
		}{
			{Options{}, "archive=deny"},
			{Options{ProductToken: "BarBot"}, "snippet=deny"},
			{Options{AlsoObey: []string{"BarBot"}}, "snippet=deny archive=deny"},
			{Options{Purpose: PurposeAITrain}, "archive=deny ai-input=deny ai-train=deny"},
		} {
			c := newCollector(t, newRobots(t, web, tt.o))
			for name, c := range map[string]*colly.Collector{"the collector": c, "a plain clone": c.Clone()} {
				var got string
				c.OnResponse(func(r *colly.Response) { got = verdicts(SignalsOf(r)) })
				visit(t, c, nil, "http://shop.test/")
				if got != tt.want {
					t.Errorf("%s with ProductToken %q, AlsoObey %q: %q, want %q", name, tt.o.ProductToken, tt.o.AlsoObey, got, tt.want)
				}
			}
		}
	})
}

// A redirect's page is judged by the origin that it came from.
func TestSignalsAfterARedirectAreThoseOfTheTarget(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nContent-Signal: search=no\n").Answer("/", testweb.Answer{Redirect: "http://wiki.test/w"})
		web.Host("wiki.test").Robots("User-agent: *\nContent-Usage: /w train-ai=n\n").Page("/w", "x")
		c := newCollector(t, newRobots(t, web, Options{}))
		var got string
		c.OnResponse(func(r *colly.Response) { got = verdicts(SignalsOf(r)) })
		visit(t, c, nil, "http://shop.test/")
		if want := "ai-train=deny"; got != want {
			t.Errorf("the page says %q, want %q", got, want)
		}
	})
}

// What counts is the Host that is sent, not the address that is dialled.
func TestSignalsAreThoseOfTheHostThatIsSent(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nContent-Usage: train-ai=n\n").Page("/", "x")
		c := newCollector(t, newRobots(t, web, Options{}))
		var got string
		c.OnResponse(func(r *colly.Response) { got = verdicts(SignalsOf(r)) })
		if err := c.Request("GET", "http://front.test/", nil, nil, http.Header{"Host": {"shop.test"}}); err != nil {
			t.Fatal(err)
		}
		if want := "ai-train=deny"; got != want {
			t.Errorf("the page of shop.test, dialled as front.test, says %q, want %q", got, want)
		}
	})
}

func TestSignalsWithoutARobots(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Answer("/", testweb.Answer{
		Header: http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"foobot: noarchive", "otherbot: noindex"}}, Body: `<meta name=robots content=noai>`,
	})
	c := colly.NewCollector(colly.UserAgent(testAgent))
	c.WithTransport(web.Transport())
	var got string
	c.OnResponse(func(r *colly.Response) { got = verdicts(SignalsOf(r)) })
	visit(t, c, nil, "http://shop.test/")
	if want := "archive=deny ai-input=deny ai-train=deny"; got != want {
		t.Errorf("on a collector that nothing is attached to the page says %q, want %q", got, want)
	}
	for _, page := range []*colly.Response{nil, {}, {Request: &colly.Request{}}, {Request: &colly.Request{URL: &url.URL{}}}} {
		if s := SignalsOf(page); s.saysAnything() {
			t.Errorf("SignalsOf(%+v) = %+v", page, s)
		}
	}
}

func TestOnlyHTMLHasAHead(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		const page = `<html><head><script/><meta name="robots" content="noindex"/></head>`
		for contentType, want := range map[string]string{
			"text/html; charset=utf-8": "", "TEXT/HTML": "", "application/xhtml+xml": "index=deny search=deny", "text/plain": "", "application/json": "",
		} {
			web.Host("shop.test").Robots("").Answer("/", testweb.Answer{Header: field("Content-Type", contentType), Body: page})
			c := newCollector(t, newRobots(t, web, Options{}))
			var got string
			c.OnResponse(func(r *colly.Response) { got = verdicts(SignalsOf(r)) })
			visit(t, c, nil, "http://shop.test/")
			if got != want {
				t.Errorf("as %s the page says %q, want %q", contentType, got, want)
			}
		}
	})
}

// A copy that ran out between fetch and call still says what it said.
func TestSignalsOfACopyThatRanOut(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nContent-Usage: train-ai=n\n").Page("/", "x")
		c := newCollector(t, newRobots(t, web, Options{}))
		var page *colly.Response
		c.OnResponse(func(r *colly.Response) { page = r })
		visit(t, c, nil, "http://shop.test/")
		after(48 * time.Hour)
		if got, want := verdicts(SignalsOf(page)), "ai-train=deny"; got != want {
			t.Errorf("two days later the page says %q, want %q", got, want)
		}
	})
}

func TestSignalsOfAURLAreAskedForAndKnownOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /shut\nContent-Usage: train-ai=n\n")
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		r := newRobots(t, web, Options{ProductToken: "FooBot"})
		for u, want := range map[string]string{
			"http://shop.test/a": "ai-train=deny", "http://shop.test/shut": "", "http://shop.test/robots.txt": "", "http://down.test/": "",
		} {
			s, err := r.Signals(t.Context(), u)
			if got := verdicts(s); err != nil || got != want {
				t.Errorf("Signals(%s) = %q, %v, want %q", u, got, err, want)
			}
		}
		for _, u := range []string{"", "mailto:a@b", "http://", "http://[::1", "/a"} {
			if s, err := r.Signals(t.Context(), u); err == nil {
				t.Errorf("Signals(%q) = %+v, want an error", u, s)
			}
		}
		if got := web.Count("GET http://shop.test/robots.txt"); got != 1 {
			t.Errorf("robots.txt was asked for %d times, want once", got)
		}
		all := r.SiteSignals()
		if len(all) != 1 || all[0].Origin != "http://shop.test" || verdicts(all[0].Home) != "ai-train=deny" {
			t.Errorf("SiteSignals = %+v, want those of shop.test alone", all)
		}
	})
}

func TestTheFieldOfCollyIsWhereItWas(t *testing.T) {
	if collectorField() < 0 {
		t.Fatal("colly.Request has no field collector: SignalsOf finds no Robots")
	}
	c := colly.NewCollector(colly.IgnoreRobotsTxt())
	c.OnRequest(func(r *colly.Request) {
		if got, _ := robotsOf(r); got != nil {
			t.Errorf("robotsOf a collector without one = %v", got)
		}
		r.Abort()
	})
	visit(t, c, nil, "http://shop.test/")
}
