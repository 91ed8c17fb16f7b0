package etiquette_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// The core ethical guidelines of seed 000, as far as a program can keep them, each kept by the one line or by a line of the policy.

func TestSeed000Guideline1EveryRequestNamesTheBotAndAContact(t *testing.T) {
	setUp := func(web *testweb.Web) {
		disallowing(web, "shop.test").Page("/*", "x").Answer("/old", testweb.Answer{Redirect: "/new"}).
			Answer("/hidden", testweb.Answer{Redirect: "http://other.test/x"})
		web.Host("other.test").Page("/*", "x")
	}
	politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
		c := colly.NewCollector(colly.UserAgent("Mozilla/5.0 (X11) Firefox/140.0"), colly.Headers(map[string]string{"From": "nobody@nowhere.org"}))
		line.attach(c)
		c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", "curl/8.5.0") })
		visit(t, c, "http://shop.test/a", "http://shop.test/old", "http://shop.test/hidden")
		for name, err := range map[string]error{
			"Head":          c.Head("http://shop.test/head"),
			"Post":          c.Post("http://shop.test/post", map[string]string{"a": "b"}),
			"PostMultipart": c.PostMultipart("http://shop.test/multi", map[string][]byte{"a": []byte("b")}),
			"Request":       c.Request("GET", "http://shop.test/request", nil, nil, http.Header{"User-Agent": {"Go-http-client/1.1"}}),
			"a clone":       c.Clone().Visit("http://shop.test/clone"),
		} {
			if err != nil {
				t.Errorf("%s = %v", name, err)
			}
		}
		client := &http.Client{Transport: line.guard.Transport(nil)}
		resp, err := client.Get("http://shop.test/plain")
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if got := len(web.Hits()); got != 13 { // two robots.txt, two redirects and their two targets, and seven more
			t.Errorf("%d requests, want 13: %q", got, web.Log())
		}
		wantEveryRuleKept(t, web.Hits(), nil)
	})
	for _, nameless := range []string{
		"colly - https://github.com/gocolly/colly", "MyDataBot/1.0", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "Googlebot/2.1 (+http://www.google.com/bot.html)",
	} {
		plainly(t, func(web *testweb.Web) { web.Host("shop.test").Page("/*", "x") }, func(t *testing.T, web *testweb.Web) {
			c := colly.NewCollector()
			_, err := etiquette.Attach(c, nameless)
			var invalid *identity.InvalidError
			if !errors.As(err, &invalid) {
				t.Errorf("Attach as %q = %v, want an *identity.InvalidError", nameless, err)
			}
			if err := c.Visit("http://shop.test/"); err == nil || len(web.Hits()) != 0 {
				t.Errorf("as %q: Visit = %v, and the server saw %q, want nothing", nameless, err, web.Log())
			}
		})
	}
}

// Where a site only serves browsers, the other practices are kept even more strictly.
func TestSeed000Guideline1WhoLooksLikeABrowserIsStricter(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("old.test").Robots("User-agent: DeclaredBot\nDisallow: /trap\n").Page("/*", "x")
		g := newGuard(t, web, func(p *etiquette.Policy) {
			p.Identity.BrowserLike = map[string]string{"old.test": "it serves browsers alone"}
		})
		c := guarded(t, g, colly.UserAgent("Mozilla/5.0 (X11) Firefox/140.0"))
		const browser = "Mozilla/5.0 (X11) Firefox/141.0"
		c.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", browser) })
		visit(t, c, "http://old.test/1", "http://old.test/2", "http://old.test/3", "http://old.test/trap/1")
		pages := pagesOf(web, "old.test")
		if len(pages) != 3 {
			t.Errorf("%q, want three pages and no trap: the declared name still counts for robots.txt", web.Log())
		}
		for _, h := range pages {
			if h.Header.Get("User-Agent") != browser || h.Header.Get("From") != "bot@somewhere.org" {
				t.Errorf("%s came from %q, %q, want the browser's name and our address", h, h.Header.Get("User-Agent"), h.Header.Get("From"))
			}
		}
		wantGaps(t, web, "old.test", 2*time.Second)
	})
}

// inFlight is a handler that notes how many requests it has at once.
type inFlight struct {
	takes     time.Duration
	mu        sync.Mutex
	now, most int
}

func (f *inFlight) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.count(+1)
	defer f.count(-1)
	testweb.Answer{Delay: f.takes, Body: "x"}.ServeHTTP(w, r)
}

func (f *inFlight) count(n int) (most int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now += n
	f.most = max(f.most, f.now)
	return f.most
}

func TestSeed000Guideline2OneRequestASecondOneAtATimeAndBackOffAtOnce(t *testing.T) {
	site := &inFlight{takes: 700 * time.Millisecond}
	setUp := func(web *testweb.Web) {
		web.Host("slow.test").Robots("User-agent: *\nAllow: /\n").Handle("/*", site.ServeHTTP).
			Answer("/429", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"120"}}}).
			Answer("/503", testweb.Answer{Status: 503})
		web.Host("other.test").Page("/*", "x")
	}
	politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
		c := colly.NewCollector(colly.Async())
		line.attach(c)
		for i := range 20 {
			visit(t, c, fmt.Sprintf("http://slow.test/%d", i))
		}
		c.Wait()
		if got := len(pagesOf(web, "slow.test")); got != 20 || site.count(0) != 1 {
			t.Errorf("%d pages, %d at once, want 20 one at a time", got, site.count(0))
		}
		wantEveryRuleKept(t, web.Hits(), nil)
		for i, gap := range testweb.Gaps(pagesOf(web, "slow.test")) {
			if gap < 1700*time.Millisecond { // a second from the end of one to the start of the next
				t.Errorf("a gap of %s before page %d, want a second after an answer that took 700ms", gap, i+2)
			}
		}

		for no, least := range map[string]time.Duration{"429": 120 * time.Second, "503": 2 * time.Second} {
			web.Reset()
			visit(t, c, "http://slow.test/"+no)
			synctest.Wait()
			for i := range 5 {
				visit(t, c, fmt.Sprintf("http://slow.test/after-%s/%d", no, i), fmt.Sprintf("http://other.test/%s/%d", no, i))
			}
			c.Wait()
			hits := web.HitsOf("slow.test")
			if len(hits) != 6 || hits[0].URI != "/"+no {
				t.Fatalf("%s: requests %q, want it first and five more", no, web.LogOf("slow.test"))
			}
			if gap := hits[1].Time.Sub(hits[0].Time); gap < least {
				t.Errorf("%s: the next request came after %s, want %s", no, gap, least)
			}
			if others := pagesOf(web, "other.test"); len(others) != 5 || others[4].Time.Sub(hits[0].Time) > 6*time.Second {
				t.Errorf("%s: another host was held up: %q", no, others)
			}
		}
	})
}

func TestSeed000Guideline3APageThatIsInTheCacheIsNotFetchedAgain(t *testing.T) {
	plainly(t, func(web *testweb.Web) {
		disallowing(web, "docs.test").Page("/", article("docs", "/a", "/b", "/trap/x")).Page("/a", article("a")).Page("/b", article("b"))
	}, func(t *testing.T, web *testweb.Web) {
		dir := t.TempDir()
		var took time.Duration
		titles, sent := 0, 0
		for run := range 100 { // of a program that is being written
			c := colly.NewCollector(colly.CacheDir(dir))
			g, err := etiquette.Attach(c, agent)
			if err != nil {
				t.Fatal(err)
			}
			c.OnHTML("h1", func(*colly.HTMLElement) { titles++ })
			c.OnHTML("a[href='/a'], a[href='/b']", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
			start := time.Now()
			visit(t, c, "http://docs.test/")
			took = time.Since(start)
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			if run == 0 {
				sent = len(web.Hits())
				wantEveryRuleKept(t, web.Hits(), nil)
			}
		}
		if got := len(web.Hits()); got != sent || sent != 4 {
			t.Errorf("%d requests in a hundred runs, %d in the first, want robots.txt and three pages once: %q", got, sent, web.Log())
		}
		if titles != 300 || took != 0 {
			t.Errorf("%d titles, and the last run waited %s, want 300 and no wait for what is not sent", titles, took)
		}
	})
}
