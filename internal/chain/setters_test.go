package chain

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

type userKey struct{}

// A setter is something that a program may call on its collector, before or after Attach.
type setter struct {
	name string
	set  func(c *colly.Collector, web *testweb.Web, proxy *url.URL)
	// What it replaces. Only a plain clone, which runs no callback, and only with both devices gone or a transport that ignores contexts,
	// is a stated limit.
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
	{name: "SetClient(with timeout)", transport: true, set: func(c *colly.Collector, web *testweb.Web, _ *url.URL) {
		c.SetClient(&http.Client{Transport: web.Transport(), Timeout: time.Second})
	}},
	{name: "SetProxyFunc", set: func(c *colly.Collector, _ *testweb.Web, proxy *url.URL) {
		c.SetProxyFunc(func(*http.Request) (*url.URL, error) { return proxy, nil })
	}},
	{name: "SetProxy", set: func(c *colly.Collector, _ *testweb.Web, proxy *url.URL) { _ = c.SetProxy(proxy.String()) }},
	{name: "Context =", context: true, set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) {
		c.Context = context.WithValue(context.Background(), userKey{}, 1)
	}},
	{name: "Context = child", context: true, set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) {
		ctx, cancel := context.WithCancel(c.Context)
		_ = cancel // the child of a context that has ended needs no release
		c.Context = ctx
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
	{name: "Limit", set: func(c *colly.Collector, _ *testweb.Web, _ *url.URL) { _ = c.Limit(&colly.LimitRule{DomainGlob: "*"}) }},
	{name: "Init", context: true, transport: true, set: func(c *colly.Collector, web *testweb.Web, _ *url.URL) {
		c.Init()
		c.WithTransport(web.Transport()) // so that a hit could be seen
	}},
}

// stamped is a layer that stamps what passes it, so that a hit without the stamp came past the chain.
func stamped() *testLayer {
	l := refuser()
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		h.SetHeader("X-Chain", "passed")
		return next(h)
	}
	return l
}

func TestSettersInAnyOrderEitherHoldOrSendNothing(t *testing.T) { synctest.Test(t, trySetters) }

func trySetters(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Page("/open", "open").Page("/private", "no").Answer("/go", testweb.Answer{Redirect: "/private"})
	proxy, err := web.Proxy()
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	schemes, timeouts := []string{"http", "https"}, []time.Duration{10 * time.Second, 0}
	if raceEnabled { // the whole table runs without the race detector
		schemes, timeouts = schemes[:1], timeouts[:1]
	}
	for _, scheme := range schemes {
		for _, timeout := range timeouts {
			for _, first := range setters {
				for _, second := range setters {
					for attachAt := range 3 { // before both, between, after both
						for _, who := range []string{"collector", "clone", "Clone"} {
							name := fmt.Sprintf("%s/%s/%s+%s/attach %d/%s", scheme, timeout, first.name, second.name, attachAt, who)
							run := setterRun{web: web, proxy: proxy.URL(), scheme: scheme, timeout: timeout, attachAt: attachAt, who: who, set: []setter{first, second}}
							if msg := run.check(); msg != "" {
								t.Errorf("%s: %s", name, msg)
							}
						}
					}
				}
			}
		}
	}
}

type setterRun struct {
	web      *testweb.Web
	proxy    *url.URL
	scheme   string
	timeout  time.Duration
	attachAt int
	who      string
	set      []setter
}

func (run setterRun) check() string {
	run.web.Reset()
	l := stamped()
	c := colly.NewCollector()
	c.SetRequestTimeout(run.timeout)
	var attachErr error
	for i := range 3 {
		if i == run.attachAt {
			_, attachErr = Attach(c, Config{Base: run.web.Transport()}, l)
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
		var err error
		if target, err = Clone(c); err != nil { // it says that the collector is not attached any more
			target, run.who = c.Clone(), "clone"
		}
	}
	target.AllowURLRevisit = true
	var outcomes []string
	for _, path := range []string{"/open", "/private", "/go", "/open"} {
		err := target.Visit(run.scheme + "://shop.test" + path)
		outcomes = append(outcomes, fmt.Sprint(err))
	}
	openHits, limit := 0, run.limit(attachErr)
	for _, hit := range run.web.Hits() {
		switch {
		case hit.URI == "/robots.txt":
			if !run.robotsLimit() {
				return "Colly's own robots.txt request was sent"
			}
		case hit.Header.Get("X-Chain") == "" && !limit:
			return fmt.Sprintf("%s reached the server past the chain; Visits gave %q, Attach %v", hit.URI, outcomes, attachErr)
		case hit.URI == "/private" && !limit:
			return "the server saw /private"
		case hit.URI == "/open":
			openHits++
		}
	}
	switch {
	case openHits > 0 && attachErr != nil && !limit:
		return "Attach failed and the collector still sends"
	case openHits == 0 && outcomes[0] == "<nil>" && len(l.told()) == 0 && !limit:
		return fmt.Sprintf("nothing was sent and nothing said why: Visits gave %q, Attach %v", outcomes, attachErr)
	case openHits == 1 && !limit:
		return fmt.Sprintf("the second visit of /open was lost: Visits gave %q, told %v", outcomes, l.told())
	}
	return ""
}

// after is what was set after Attach.
func (run setterRun) after(what func(setter) bool) bool {
	return slices.ContainsFunc(run.set[run.attachAt:], what)
}

// limit reports the stated limits, which are a plain clone's alone: it runs no callback, so both devices may be gone without anybody's notice.
// After an Attach that failed every clone is a plain one.
func (run setterRun) limit(attachErr error) bool {
	if run.who == "collector" || run.who == "Clone" && attachErr == nil {
		return false
	}
	initialised := run.after(func(s setter) bool { return s.name == "Init" })
	ctx := run.after(func(s setter) bool { return s.context })
	transport := run.after(func(s setter) bool { return s.transport })
	return ctx && transport || initialised || run.after(func(s setter) bool { return s.ignoresContext })
}

// robotsLimit: Colly's own check turned on again together with a replaced client fetches its robots.txt, and that alone.
func (run setterRun) robotsLimit() bool {
	replaced := func(s setter) bool { return s.transport }
	return run.after(func(s setter) bool { return s.name == "IgnoreRobotsTxt = false" }) && run.after(replaced)
}

func TestTheSetterTableHasEveryPublicSetterOfColly(t *testing.T) {
	covered := []string{"SetClient", "SetProxy", "SetProxyFunc", "SetRequestTimeout", "SetCookieJar", "SetRedirectHandler", "WithTransport", "Init", "Limit"}
	harmless := []string{"SetCookies", "SetDebugger", "SetStorage", "DisableCookies", "Limits", "Appengine"}
	for _, name := range exportedSetters() {
		if !slices.Contains(covered, name) && !slices.Contains(harmless, name) {
			t.Errorf("Collector.%s is in neither list: does the chain survive it?", name)
		}
	}
}
