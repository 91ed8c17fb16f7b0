package etiquette_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/proxy"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// Scrapers that say how requests travel: see scrapers_helpers_test.go.

func TestACacheDirFindsTheSameAndBreaksNoRule(t *testing.T) {
	setUp := func(web *testweb.Web) {
		disallowing(web, "docs.test").Page("/", article("docs", "/a", "/b", "/trap/x")).Page("/a", article("a", "/b")).Page("/b", article("b"))
	}
	// The program is started twice: the second time its pages come from the folder.
	runBothWays(t, setUp, nil, func(t *testing.T, attach func(*colly.Collector)) (titles []string) {
		dir := t.TempDir()
		for start := range 2 {
			c := colly.NewCollector(colly.CacheDir(dir))
			attach(c)
			c.OnHTML("h1", func(e *colly.HTMLElement) { titles = append(titles, fmt.Sprintf("%s, start %d", e.Text, start+1)) })
			c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
			if err := c.Visit("http://docs.test/"); err != nil {
				t.Errorf("Visit = %v", err)
			}
		}
		return titles
	})
}

// rotating is a program that rotates proxies. It notes the proxy that Colly says a page came through.
func rotating(web *testweb.Web, proxies []*testweb.Proxy) program {
	return func(t *testing.T, attach func(*colly.Collector)) (titles []string) {
		c := colly.NewCollector()
		attach(c)
		var urls []string
		for _, p := range proxies {
			urls = append(urls, p.URL().String())
		}
		rotate, err := proxy.RoundRobinProxySwitcher(urls...)
		if err != nil {
			t.Fatal(err)
		}
		c.SetProxyFunc(rotate)
		c.OnHTML("h1", func(e *colly.HTMLElement) { titles = append(titles, e.Text) })
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Errorf("Visit = %v", err)
		}
		return titles
	}
}

func TestAProxySwitcherFindsTheSameAndBreaksNoRule(t *testing.T) {
	setUp := func(web *testweb.Web) {
		disallowing(web, "shop.test").Page("/", article("shop", "/1", "/trap/cart", "/2", "/3")).
			Page("/1", article("1")).Page("/2", article("2")).Page("/3", article("3"))
	}
	twoProxies := func(t *testing.T, web *testweb.Web) []*testweb.Proxy {
		var out []*testweb.Proxy
		for range 2 {
			p, err := web.Proxy()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, p)
		}
		return out
	}
	wantAllThrough := func(t *testing.T, web *testweb.Web, proxies []*testweb.Proxy) {
		t.Helper()
		passed := 0
		for i, p := range proxies {
			n := len(p.Hits())
			if n == 0 {
				t.Errorf("proxy %d was never used", i+1)
			}
			passed += n
		}
		if got := len(web.Hits()); got != passed {
			t.Errorf("%d of %d requests went through a proxy", passed, got)
		}
	}

	var plain, polite []string
	loopback, err := testweb.NewLoopback() // without the one line SetProxyFunc makes a transport that only a real network answers
	if err != nil {
		t.Fatal(err)
	}
	defer loopback.Close()
	setUp(loopback)
	proxies := twoProxies(t, loopback)
	plain = rotating(loopback, proxies)(t, func(*colly.Collector) {})
	wantAllThrough(t, loopback, proxies)
	wantAllRulesBroken(t, loopback.Hits(), nil)

	politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
		proxies := twoProxies(t, web)
		polite = rotating(web, proxies)(t, line.attach)
		wantAllThrough(t, web, proxies)
		wantEveryRuleKept(t, web.Hits(), nil)
		line.wantTrapsTold()
	})
	wantSameData(t, plain, polite)
}

// counting is a transport of one's own, such as one that signs requests.
type counting struct {
	http.RoundTripper
	sent atomic.Int32
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	r = r.Clone(r.Context())
	r.Header.Set("X-Signature", "signed")
	return c.RoundTripper.RoundTrip(r)
}

func TestAnOwnTransportFindsTheSameAndBreaksNoRuleAsBase(t *testing.T) {
	setUp := func(web *testweb.Web) {
		signed := func(title string, links ...string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Signature") != "signed" {
					http.Error(w, "not signed", http.StatusUnauthorized)
					return
				}
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, article(title, links...))
			}
		}
		disallowing(web, "api.test").Handle("/", signed("api", "/1", "/trap/2")).Handle("/1", signed("1", "/3")).Handle("/3", signed("3"))
	}
	crawl := func(t *testing.T, c *colly.Collector) (titles []string) {
		c.OnHTML("h1", func(e *colly.HTMLElement) { titles = append(titles, e.Text) })
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
		if err := c.Visit("http://api.test/"); err != nil {
			t.Errorf("Visit = %v", err)
		}
		return titles
	}

	var plain, polite []string
	plainly(t, setUp, func(t *testing.T, web *testweb.Web) {
		c := colly.NewCollector()
		c.WithTransport(&counting{RoundTripper: web.Transport()})
		plain = crawl(t, c)
		wantAllRulesBroken(t, web.Hits(), nil)
	})
	plainly(t, setUp, func(t *testing.T, web *testweb.Web) {
		own := &counting{RoundTripper: web.Transport()}
		c := colly.NewCollector()
		c.WithTransport(own)
		_, err := etiquette.Attach(c, agent)
		wantAdvice(t, err, "WithTransport was called before Attach: leave it out and put that transport into Policy.Base")
		if visitErr := c.Visit("http://api.test/"); visitErr == nil || !strings.Contains(visitErr.Error(), err.Error()) || len(web.Hits()) != 0 {
			t.Errorf("Visit after the error = %v, want it again, and nothing sent: %q", visitErr, web.Log())
		}

		// What the error says, done: it is left out, and stands in Policy.Base.
		c = colly.NewCollector()
		g, err := etiquette.New(etiquette.Policy{UserAgent: agent, Base: own})
		if err != nil {
			t.Fatal(err)
		}
		line := &oneLine{t: t, guard: g}
		defer line.close()
		line.attach(c)
		polite = crawl(t, c)
		wantEveryRuleKept(t, web.Hits(), nil)
		line.wantTrapsTold()
		if got, want := int(own.sent.Load()), len(web.Hits()); got != want {
			t.Errorf("%d of %d requests went through the own transport", got, want)
		}
	})
	wantSameData(t, plain, polite)
}

func wantAdvice(t *testing.T, err error, advice string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), advice) {
		t.Fatalf("Attach = %v, want an error that says %q", err, advice)
	}
}

// What was set before the one line is not lost in silence: the error says where it belongs, and there it works.
func TestWhatTheErrorOfTheOneLineSaysWorks(t *testing.T) {
	setUp := func(web *testweb.Web) { disallowing(web, "shop.test").Page("/*", article("shop")) }
	politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
		p, err := web.Proxy()
		if err != nil {
			t.Fatal(err)
		}
		c := colly.NewCollector()
		if err := c.SetProxy(p.URL().String()); err != nil {
			t.Fatal(err)
		}
		_, err = etiquette.Attach(c, agent)
		wantAdvice(t, err, "a proxy was set before Attach: move SetProxy or SetProxyFunc below Attach")

		c = colly.NewCollector()
		line.attach(c)
		if err := c.SetProxy(p.URL().String()); err != nil {
			t.Fatal(err)
		}
		visit(t, c, "http://shop.test/1", "http://shop.test/2")
		if got, want := len(p.Hits()), len(web.Hits()); got != want || got != 3 {
			t.Errorf("%d of %d requests went through the proxy, want all of robots.txt and two pages", got, want)
		}
		wantEveryRuleKept(t, web.Hits(), nil)
	})
	plainly(t, setUp, func(t *testing.T, web *testweb.Web) {
		own := &http.Client{Transport: &counting{RoundTripper: web.Transport()}}
		c := colly.NewCollector()
		c.SetClient(own)
		_, err := etiquette.Attach(c, agent)
		wantAdvice(t, err, "SetClient was called before Attach: put that client's Transport into Policy.Base")
		if err := c.Visit("http://shop.test/1"); err == nil || len(web.Hits()) != 0 {
			t.Errorf("Visit after the error = %v, want an error, and nothing sent: %q", err, web.Log())
		}

		line := &oneLine{t: t, guard: newGuard(t, web, func(p *etiquette.Policy) { p.Base = own.Transport })}
		c = colly.NewCollector()
		line.attach(c)
		visit(t, c, "http://shop.test/1", "http://shop.test/2")
		wantEveryRuleKept(t, web.Hits(), nil)
		if got := own.Transport.(*counting).sent.Load(); got != 3 {
			t.Errorf("%d requests went through the own transport, want 3", got)
		}
	})
}
