package collyrobots

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestAPermitIsForItsHostAndPathAndTime(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		now := time.Now()
		for _, host := range []string{"shop.test", "www.shop.test", "shop.test:8080", "xn--bcher-kva.test", "late.test"} {
			web.Host(host).Robots("User-agent: *\nDisallow: /\n").Page("/*", "x")
		}
		r := newRobots(t, web, Options{Permits: []Permit{
			{Host: "SHOP.test.", Path: "/export/*.csv$", Reason: "the owner, by mail"},
			{Host: "bücher.test", Reason: "all of it"},
			{Host: "late.test", Path: "/", Until: now.Add(time.Hour)},
			{Host: "late.test", Path: "/over", Until: now},
		}})
		c := newCollector(t, r)
		for url, allowed := range map[string]bool{
			"http://shop.test/export/a.csv":           true,
			"http://shop.test:8080/export/a.csv":      true,
			"http://shop.test/export/%61.csv":         true,
			"http://shop.test/export/a.csv?x=1":       false,
			"http://shop.test/export/a.json":          false,
			"http://shop.test/":                       false,
			"http://www.shop.test/export/a.csv":       false,
			"http://xn--bcher-kva.test/anything?at=1": true,
			"http://late.test/a":                      true,
		} {
			web.Reset()
			for range 2 { // the rules are fetched, then known
				err := c.Visit(url)
				sent := len(web.Hits()) > 0 && web.Hits()[len(web.Hits())-1].URI != "/robots.txt"
				if sent != allowed || allowed && err != nil {
					t.Errorf("%s: sent %v, Visit = %v, want sent: %v", url, sent, err, allowed)
				}
			}
			d, err := r.Check(context.Background(), url)
			if err != nil || d.Allowed != allowed || d.Permitted != allowed || d.Rule != "disallow: /" || allowed != (d.Reason == "") {
				t.Errorf("Check(%q) = %+v, %v, want allowed by permit: %v", url, d, err, allowed)
			}
		}
		time.Sleep(time.Hour)
		if err := c.Visit("http://late.test/b"); err != nil {
			t.Errorf("Visit after the permit's end = %v, want a skip", err)
		}
		if web.Count("GET http://late.test/b") != 0 {
			t.Error("a permit was used after its end")
		}
	})
}

func TestAPermitOverrulesRulesAndNothingElse(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503}).Page("/*", "x")
		web.Host("shut.test").Answer("/robots.txt", testweb.Answer{Status: 403}).Page("/*", "x")
		permits := []Permit{{Host: "down.test", Reason: "x"}, {Host: "shut.test", Reason: "x"}}
		r := newRobots(t, web, Options{ForbiddenDisallows: true, Permits: permits})
		c := newCollector(t, r)
		wantErr(t, "Visit of a host whose robots.txt is unreachable", c.Visit("http://down.test/a"), ErrUnreachable)
		if err := c.Visit("http://shut.test/a"); err != nil || web.Count("GET http://shut.test/a") != 1 {
			t.Errorf("Visit of a host whose robots.txt is forbidden = %v, the server saw %q, want the permit to count", err, web.Log())
		}
	})
}

func TestAPermitKeepsTheCrawlDelay(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /\nCrawl-delay: 9\n").Page("/*", "x").
			Answer("/go", testweb.Answer{Redirect: "/export/b"})
		r := newRobots(t, web, Options{Permits: []Permit{{Host: "shop.test", Path: "/export/"}, {Host: "shop.test", Path: "/go"}}})
		c := newCollector(t, r)
		throttle := &fakeThrottle{}
		if _, err := chain.Attach(c, chain.Config{}, throttle); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/export/a", "/export/a", "/go"} {
			if err := c.Visit("http://shop.test" + path); err != nil {
				t.Errorf("Visit(%q) = %v", path, err)
			}
		}
		want := []time.Duration{0, 9 * time.Second, 9 * time.Second, 9 * time.Second, 9 * time.Second} // robots.txt first
		if fmt.Sprint(throttle.seen) != fmt.Sprint(want) {
			t.Errorf("crawl delays that the throttle is told: %v, want %v", throttle.seen, want)
		}
	})
}

func TestAPermitIsNeverUsedInSilence(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\n").Page("/*", "x")
		var log bytes.Buffer
		until := time.Now().Add(24 * time.Hour)
		r := newRobots(t, web, Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Permits: []Permit{
			{Host: "shop.test", Path: "/private/a", Reason: "the owner, by mail", Ticket: "OPS-7", Until: until},
			{Host: "other.test", Reason: "never used"},
		}})
		c := newCollector(t, r)
		for range 3 {
			for _, path := range []string{"/private/a", "/open"} {
				if err := c.Visit("http://shop.test" + path); err != nil {
					t.Fatal(err)
				}
			}
		}
		lines := strings.Count(log.String(), "by permit of the owner")
		if lines != 1 {
			t.Errorf("%d lines about the permit, want one: %s", lines, &log)
		}
		for _, want := range []string{"level=INFO", `url=http://shop.test/private/a`, `rule="disallow: /private"`, "line=2", `reason="the owner, by mail"`, "ticket=OPS-7"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log has no %s: %s", want, &log)
			}
		}
		uses := r.Permitted()
		if len(uses) != 2 || uses[0].Requests != 3 || uses[0].Host != "shop.test" || uses[0].First.IsZero() || uses[0].Last.Before(uses[0].First) ||
			uses[1].Requests != 0 || !uses[1].First.IsZero() {
			t.Errorf("Permitted() = %+v, want 3 uses of the first and none of the second", uses)
		}
		if n := r.Report().Counts()[report.Count{Reason: report.RobotsDisallowed, Rule: "disallow: /private"}]; n != 0 {
			t.Errorf("%d skips for what was permitted", n)
		}
	})
}

func TestAPermitThatComesToBeNeededDuringAWait(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x").Answer("/robots.txt",
			testweb.Answer{Body: "User-agent: *\nAllow: /\n"}, testweb.Answer{Body: "User-agent: *\nDisallow: /\n"})
		r := newRobots(t, web, Options{MaxAge: time.Hour, Permits: []Permit{{Host: "shop.test", Path: "/b", Reason: "x"}}})
		c := newCollector(t, r)
		if _, err := chain.Attach(c, chain.Config{}, &fakeThrottle{wait: 2 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		if err := c.Visit("http://shop.test/b"); err != nil {
			t.Errorf("Visit = %v, want the permit to count when the rules changed during the wait", err)
		}
		if err := c.Visit("http://shop.test/c"); err != nil || web.Count("GET http://shop.test/c") != 0 {
			t.Errorf("Visit of what is not permitted = %v, the server saw %q, want a skip", err, web.Log())
		}
		if got := r.Permitted()[0].Requests; got != 1 {
			t.Errorf("%d uses, want 1", got)
		}
	})
}

func TestAPermitThatMakesNoSenseIsAnError(t *testing.T) {
	for _, x := range []struct {
		permit Permit
		want   string
	}{
		{Permit{}, `Options.Permits[0].Host "" is no name`},
		{Permit{Host: "a b"}, `Options.Permits[0].Host "a b" is no name`},
		{Permit{Host: "shop.test:8080"}, `holds a port`},
		{Permit{Host: "[::1]:80"}, `holds a port`},
		{Permit{Host: "shop.test", Path: "export"}, `Options.Permits[0].Path "export" matches nothing: it must begin with "/" or "*"`},
	} {
		if _, err := New(Options{Permits: []Permit{x.permit}}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("New with %+v = %v, want %q", x.permit, err, x.want)
		}
	}
	for _, host := range []string{"::1", "[::1]", "127.0.0.1", "Shop.test."} {
		if _, err := New(Options{Permits: []Permit{{Host: host}}}); err != nil {
			t.Errorf("New with a permit for %q = %v", host, err)
		}
	}
}
