package etiquette_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

type valueKey struct{}

// setter is something that a program may call on its collector, before the one line or after it.
type setter struct {
	name string
	set  func(c *colly.Collector, web *testweb.Web, proxy *url.URL)
	// What it replaces. Only for a plain clone, which runs no callback, is that a stated limit.
	context, transport, ignoresContext bool
}

var setters = []setter{
	{name: "nothing", set: func(*colly.Collector, *testweb.Web, *url.URL) {}},
	{name: "WithTransport", transport: true, set: func(c *colly.Collector, web *testweb.Web, _ *url.URL) { c.WithTransport(web.Transport()) }},
	{name: "WithTransport(ignores contexts)", transport: true, ignoresContext: true, set: func(c *colly.Collector, web *testweb.Web, _ *url.URL) {
		t := web.Transport()
		c.WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) { return t.RoundTrip(r.WithContext(context.Background())) }))
	}},
	{name: "SetClient", transport: true, set: func(c *colly.Collector, web *testweb.Web, _ *url.URL) {
		c.SetClient(&http.Client{Transport: web.Transport()})
	}},
	{name: "SetProxyFunc", set: func(c *colly.Collector, _ *testweb.Web, proxy *url.URL) {
		c.SetProxyFunc(func(*http.Request) (*url.URL, error) { return proxy, nil })
	}},
	{name: "SetProxy", set: func(c *colly.Collector, _ *testweb.Web, proxy *url.URL) { _ = c.SetProxy(proxy.String()) }},
	{name: "Context =", context: true, set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) {
		c.Context = context.WithValue(context.Background(), valueKey{}, 1)
	}},
	{name: "SetRequestTimeout", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) { c.SetRequestTimeout(5 * time.Second) }},
	{name: "SetCookieJar", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) {
		jar, _ := cookiejar.New(nil)
		c.SetCookieJar(jar)
	}},
	{name: "SetRedirectHandler", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) {
		c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return nil })
	}},
	{name: "IgnoreRobotsTxt = false", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) { c.IgnoreRobotsTxt = false }},
	{name: "IgnoreRobotsTxt = true", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) { c.IgnoreRobotsTxt = true }},
	{name: "Limit", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) { _ = c.Limit(&colly.LimitRule{DomainGlob: "*"}) }},
	{name: "UserAgent =", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) { c.UserAgent = "Mozilla/5.0 (X11) Firefox/140.0" }},
	{name: "Headers =", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) {
		c.Headers = &http.Header{"User-Agent": {"Mozilla/5.0 (X11) Firefox/140.0"}, "From": {"nobody@somewhere.org"}}
	}},
	{name: "AllowURLRevisit", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) { c.AllowURLRevisit = true }},
	{name: "CheckHead", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) { c.CheckHead = true }},
	{name: "Init", context: true, transport: true, set: func(c *colly.Collector, web *testweb.Web, _ *url.URL) {
		c.Init()
		c.WithTransport(web.Transport()) // so that a hit could be seen
	}},
}

func TestSettersInAnyOrderEitherKeepEveryRuleOrSendNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("shop.test").Robots("User-agent: DeclaredBot\nDisallow: /private\n").Page("/open", "open").Page("/also", "open").Page("/private", "no").
			Answer("/go", testweb.Answer{Redirect: "/private?from=go"})
		proxy, err := web.Proxy()
		if err != nil {
			t.Fatal(err)
		}
		defer proxy.Close()
		for _, first := range setters {
			for i, second := range setters {
				if raceEnabled && i > 0 { // the whole table runs without the race detector
					break
				}
				for attachAt := range 3 { // before both, between, after both
					for _, who := range []string{"collector", "clone", "Clone"} {
						run := setterRun{web: web, proxy: proxy.URL(), attachAt: attachAt, who: who, set: []setter{first, second}}
						if msg := run.check(t); msg != "" {
							t.Errorf("%s, %s, Attach as number %d, %s: %s", first.name, second.name, attachAt+1, who, msg)
						}
					}
				}
			}
		}
	})
}

type setterRun struct {
	web      *testweb.Web
	proxy    *url.URL
	attachAt int
	who      string
	set      []setter
}

// check makes one collector with the setters and the Guard in their order and returns what went wrong.
func (run *setterRun) check(t *testing.T) string {
	run.web.Reset()
	var told told
	g, err := etiquette.New(etiquette.Policy{UserAgent: agent, Base: run.web.Transport(), OnSkip: told.onSkip})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	c := colly.NewCollector()
	var attachErr error
	for i := range 3 {
		if i == run.attachAt {
			attachErr = g.Attach(c)
		}
		if i < 2 {
			run.set[i].set(c, run.web, run.proxy)
		}
	}
	target := c
	switch run.who {
	case "clone":
		target = c.Clone()
	case "Clone":
		if target, err = g.Clone(c); err != nil { // it says that the collector is not attached any more
			target, run.who = c.Clone(), "clone"
		}
	}
	var outcomes []string
	for _, path := range []string{"/open", "/private", "/go", "/also"} {
		outcomes = append(outcomes, fmt.Sprint(target.Visit("http://shop.test"+path)))
	}
	if run.isLimit(attachErr) {
		return ""
	}
	return run.verdict(outcomes, attachErr, told.all())
}

func (run *setterRun) verdict(outcomes []string, attachErr error, skips any) string {
	pages := 0
	for _, h := range run.web.Hits() {
		switch {
		case strings.HasPrefix(h.URI, "/private"):
			return fmt.Sprintf("the server saw %s; Visits gave %q", h.URI, outcomes)
		case h.Header.Get("User-Agent") != agent || h.Header.Get("From") != "bot@somewhere.org":
			if h.URI == "/robots.txt" && run.isRobotsLimit() {
				continue
			}
			return fmt.Sprintf("%s went out as %q; Visits gave %q, Attach %v", h.URI, h.Header.Get("User-Agent"), outcomes, attachErr)
		case h.URI == "/open" || h.URI == "/also":
			pages++
		}
	}
	for i, gap := range testweb.Gaps(run.web.Hits()) {
		if i > 0 && gap < time.Second {
			return fmt.Sprintf("a gap of %s: %q", gap, run.web.Log())
		}
	}
	switch {
	case pages > 0 && attachErr != nil:
		return fmt.Sprintf("Attach failed with %v and the collector still sends", attachErr)
	case pages == 0 && outcomes[0] == "<nil>" && fmt.Sprint(skips) == "[]":
		return fmt.Sprintf("nothing was sent and nothing said why: Visits gave %q, Attach %v", outcomes, attachErr)
	case pages == 1:
		return fmt.Sprintf("one of two pages was lost: Visits gave %q, skips %v", outcomes, skips)
	}
	return ""
}

// after reports whether a setter after Attach is of a kind.
func (run *setterRun) after(what func(setter) bool) bool {
	return slices.ContainsFunc(run.set[run.attachAt:], what)
}

// isLimit reports the stated limits, which are a plain clone's alone: it runs no callback, so both devices may be gone without anybody's notice. After an
// Attach that failed every clone is a plain one.
func (run *setterRun) isLimit(attachErr error) bool {
	if run.who == "collector" || run.who == "Clone" && attachErr == nil {
		return false
	}
	return run.after(func(s setter) bool { return s.context }) && run.after(func(s setter) bool { return s.transport }) ||
		run.after(func(s setter) bool { return s.ignoresContext })
}

// isRobotsLimit: Colly's own check turned on again together with a replaced client fetches its robots.txt, and that alone.
func (run *setterRun) isRobotsLimit() bool {
	return run.after(func(s setter) bool { return s.name == "IgnoreRobotsTxt = false" }) && run.after(func(s setter) bool { return s.transport })
}
