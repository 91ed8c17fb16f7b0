package page_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/throttle"
)

var screenshots = flag.String("screenshots", "", "a folder for pictures of the page; empty: none are taken")

const (
	agent = "DeclaredBot/1.0 (+https://bot.somewhere.org/about; mailto:bot@somewhere.org)"
	token = "0123456789abcdef0123456789abcdef"
)

// world is a crawl of a small web, and its page on a real server.
type world struct {
	t     testing.TB
	web   *testweb.Web
	guard *etiquette.Guard
	url   string // of the page, without a path
}

func newWorld(t testing.TB, change ...func(*etiquette.Policy)) *world {
	t.Helper()
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	p := etiquette.Policy{UserAgent: agent, Base: web.Transport(), Logger: slog.New(slog.DiscardHandler)}
	p.Pace = []throttle.LimitRule{{DomainGlob: "quick.test", Delay: throttle.NoDelay, Parallelism: 4}}
	p.KillSwitch.Token = token
	for _, f := range change {
		f(&p)
	}
	g, err := etiquette.New(p)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	t.Cleanup(func() { _ = g.Close() })
	s := httptest.NewServer(g.Handler())
	t.Cleanup(s.Close)
	return &world{t, web, g, s.URL}
}

// collector is a collector of the crawl.
func (w *world) collector(options ...colly.CollectorOption) *colly.Collector {
	w.t.Helper()
	c := colly.NewCollector(options...)
	if err := w.guard.Attach(c); err != nil {
		w.t.Fatalf("Attach = %v", err)
	}
	return c
}

// answer is what came of one call.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) has(t testing.TB, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(a.body, part) {
			t.Errorf("the page lacks %q:\n%s", part, a.body)
		}
	}
}

func (a answer) lacks(t testing.TB, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(a.body, part) {
			t.Errorf("the page has %q:\n%s", part, a.body)
		}
	}
}

// get asks the page; change may alter the request.
func (w *world) get(path string, change ...func(*http.Request)) answer {
	return w.do(http.MethodGet, path, nil, change...)
}

// post sends a form, as a browser does from the page itself.
func (w *world) post(path string, form url.Values, change ...func(*http.Request)) answer {
	return w.do(http.MethodPost, path, form, change...)
}

func (w *world) do(method, path string, form url.Values, change ...func(*http.Request)) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, w.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for _, f := range change {
		f(r)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: time.Minute}
	resp, err := client.Do(r)
	if err != nil {
		w.t.Fatalf("%s %s = %v", method, path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("%s %s = %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

// header sets a header of a call.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// asking calls the page by another name.
func asking(host string) func(*http.Request) {
	return func(r *http.Request) { r.Host = host }
}

// eventually waits for what other goroutines bring about.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 30s", what)
		}
	}
}

// crawlOfMany sets up hosts in each state, and leaves them so until the test ends. It returns once they are.
func (w *world) crawlOfMany() {
	t := w.t
	t.Helper()
	release := make(chan struct{})
	w.web.Host("library.test").Robots("User-agent: *\nDisallow: /loan\nCrawl-delay: 20\n").Page("/*", "a book")
	w.web.Host("shop.test").Robots(shopRobots).Page("/*", "goods").Handle("/slow", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	w.web.Host("busy.test").Robots("User-agent: *\nAllow: /\n").Answer("/*", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"240"}}})
	w.web.Host("monastery.test").Robots("User-agent: *\nCrawl-delay: 3600\n").Page("/*", "silence")
	w.web.Host("asked-us-to-stop.test").Page("/", "hello")
	w.web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})
	w.web.Host("museum.test").Page("/", "no robots.txt").Page("/hall", "of stones")
	w.web.Host("news.test").Robots("User-agent: *\nContent-Usage: train-ai=n\nAllow: /\nDisallow: /*?print=\n").Page("/*", "news")

	ctx, cancel := context.WithCancel(context.Background())
	c := w.collector(colly.Async(), colly.StdlibContext(ctx))
	done := make(chan struct{})
	t.Cleanup(func() {
		cancel()
		close(release)
		<-done
	})
	for _, u := range []string{
		"http://shop.test/slow", "http://busy.test/", "http://shop.test/cart?session=1", "http://shop.test/account", "http://monastery.test/", "http://monastery.test/a",
		"http://asked-us-to-stop.test/", "http://down.test/", "http://down.test/a", "http://museum.test/", "http://museum.test/hall", "http://news.test/",
		"http://news.test/a?print=1", "http://library.test/loan/7",
	} {
		_ = c.Visit(u)
	}
	eventually(t, "the first requests have arrived", func() bool {
		busy, _ := w.guard.Throttle.Snapshot("busy.test")
		return w.web.Count("GET http://shop.test/slow") == 1 && busy.Source == throttle.FromBlock
	})
	for i := range 4 {
		_ = c.Visit(fmt.Sprintf("http://shop.test/p/%d", i))
		_ = c.Visit(fmt.Sprintf("http://library.test/shelf/%d", i))
		_ = c.Visit(fmt.Sprintf("http://busy.test/%d", i))
	}
	go func() {
		c.Wait()
		close(done)
	}()
	eventually(t, "the hosts are in their states", func() bool {
		shop, _ := w.guard.Throttle.Snapshot("shop.test")
		library, _ := w.guard.Throttle.Snapshot("library.test")
		busy, _ := w.guard.Throttle.Snapshot("busy.test")
		return shop.InFlight == 1 && shop.Waiting == 4 && library.Waiting == 4 && busy.Waiting == 4 && w.guard.Report.Total() == 8 &&
			len(w.web.HitsOf("museum.test")) == 3 && len(w.web.HitsOf("asked-us-to-stop.test")) == 2 && len(w.web.HitsOf("news.test")) == 2
	})
	if _, err := w.guard.KillSwitch.Stop(killswitch.Rule{ID: "ks-mail", Host: "asked-us-to-stop.test", Reason: "the owner asked by mail", Ticket: "OPS-4411"}); err != nil {
		t.Fatal(err)
	}
}

const shopRobots = `# The shop's rules
User-agent: GPTBot
Disallow: /

User-agent: DeclaredBot
User-agent: OtherBot
Crawl-delay: 2
Disallow: /cart
Disallow: /account
Allow: /account/help

User-agent: *
Disallow: /search
Disallow: /cart

Sitemap: http://shop.test/sitemap.xml
`
