package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// pages is a urlset of URLs; one may be followed by "@" and its date.
func pages(urls ...string) string { return sitemapText("urlset", "url", urls) }

// index is a sitemapindex of them.
func index(urls ...string) string { return sitemapText("sitemapindex", "sitemap", urls) }

func sitemapText(root, element string, urls []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<?xml version=\"1.0\"?>\n<%s>", root)
	for _, u := range urls {
		loc, date, _ := strings.Cut(u, "@")
		fmt.Fprintf(&b, "<%s><loc>%s</loc>", element, loc)
		if date != "" {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", date)
		}
		fmt.Fprintf(&b, "</%s>", element)
	}
	return b.String() + "</" + root + ">"
}

// sitemapEntries is what an iteration gives: URLs, a "!" before those that may not be fetched, and errors.
func sitemapEntries(ctx context.Context, r *Robots, site string, o SitemapOptions) (urls []string, errs []error) {
	for e, err := range r.SitemapEntries(ctx, site, o) {
		switch {
		case err != nil:
			errs = append(errs, err)
		case e.Decision.Allowed:
			urls = append(urls, e.URL)
		default:
			urls = append(urls, "!"+e.URL)
		}
	}
	return urls, errs
}

func wantEntries(t *testing.T, r *Robots, site string, o SitemapOptions, errs int, want ...string) []error {
	t.Helper()
	got, failed := sitemapEntries(t.Context(), r, site, o)
	if !slices.Equal(got, want) || len(failed) != errs {
		t.Errorf("the sitemaps of %s name %q, errors %v, want %q and %d errors", site, got, failed, want, errs)
	}
	return failed
}

func TestSitemapsOfASite(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/a.xml\nUser-agent: OtherBot\nDisallow: /\nsitemap: /b.xml\nSitemap: https://cdn.test/c.xml\n" +
			"Sitemap: http://shop.test/a.xml\nSitemap: ftp://shop.test/d.xml\nSitemap: http://\nSitemap: http://u:p@shop.test/e.xml\n")
		web.Host("none.test").Robots("User-agent: *\nDisallow:\n")
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		r := newRobots(t, web, Options{})
		for site, want := range map[string][]string{
			"http://shop.test": {"http://shop.test/a.xml", "http://shop.test/b.xml", "https://cdn.test/c.xml"}, "http://shop.test/some/page?x": {"http://shop.test/a.xml", "http://shop.test/b.xml", "https://cdn.test/c.xml"},
			"http://none.test": nil, "http://gone.test/": nil,
		} {
			if got, err := r.Sitemaps(t.Context(), site); !slices.Equal(got, want) || err != nil {
				t.Errorf("Sitemaps(%s) = %q, %v, want %q", site, got, err, want)
			}
		}
		if _, err := r.Sitemaps(t.Context(), "http://down.test"); !errors.Is(err, ErrUnreachable) {
			t.Errorf("Sitemaps of a site whose robots.txt is unreachable: %v, want %v", err, ErrUnreachable)
		}
		if errs := wantEntries(t, r, "http://down.test", SitemapOptions{}, 1); !errors.Is(errs[0], ErrUnreachable) {
			t.Errorf("its entries: %v, want %v", errs, ErrUnreachable)
		}
		for _, site := range []string{"", "shop.test", "ftp://shop.test", "http://"} {
			if got, err := r.Sitemaps(t.Context(), site); err == nil {
				t.Errorf("Sitemaps(%q) = %q, want an error", site, got)
			}
		}
	})
}

func TestEntriesOfSitemapsAndIndexFiles(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		shop := web.Host("shop.test").
			Robots("Sitemap: http://shop.test/index.xml\nSitemap: http://shop.test/last.txt\nUser-agent: *\nDisallow: /shut\n").
			Page("/index.xml", index("http://shop.test/1.xml", "http://shop.test/2.xml.gz", "http://shop.test/index.xml", "http://shop.test/inner.xml")).
			Page("/1.xml", pages("http://shop.test/a", "http://shop.test/shut/b", "https://shop.test/c?x=1&amp;y=2")).
			Page("/2.xml.gz", gzipped(pages("http://shop.test/d@2026-01-02T03:04:05Z"))).
			Page("/inner.xml", index("http://shop.test/3.xml", "http://shop.test/1.xml")).
			Page("/last.txt", "http://shop.test/f\n")
		shop.Answer("/3.xml", testweb.Answer{Header: field("Content-Encoding", "gzip"), Body: gzipped(pages("http://shop.test/e#x"))})
		r := newRobots(t, web, Options{})
		wantEntries(t, r, "http://shop.test", SitemapOptions{}, 0,
			"http://shop.test/a", "!http://shop.test/shut/b", "https://shop.test/c?x=1&y=2", "http://shop.test/d", "http://shop.test/e", "http://shop.test/f")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/index.xml", "GET http://shop.test/1.xml", "GET https://shop.test/robots.txt",
			"GET http://shop.test/2.xml.gz", "GET http://shop.test/inner.xml", "GET http://shop.test/3.xml", "GET http://shop.test/last.txt")
		for e, err := range r.SitemapEntries(t.Context(), "http://shop.test", SitemapOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			if want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); e.URL == "http://shop.test/d" && (!e.LastModified.Equal(want) || e.Sitemap != "http://shop.test/2.xml.gz") {
				t.Errorf("%+v, want %v of /2.xml.gz", e, want)
			}
		}
	})
}

func TestSinceLeavesOutWhatIsCertainlyOld(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/index.xml").
			Page("/index.xml", index("http://shop.test/old.xml@2026-03-01", "http://shop.test/new.xml@2026-03-20", "http://shop.test/undated.xml", "http://shop.test/odd.xml@soon")).
			Page("/old.xml", pages("http://shop.test/0")).
			Page("/new.xml", pages("http://shop.test/1@2026-03-12", "http://shop.test/2@2026-03-14", "http://shop.test/3@2026-03-14T11:59:58Z", "http://shop.test/4@2026-03-14T12:00:00Z")).
			Page("/undated.xml", pages("http://shop.test/5", "http://shop.test/6@2026-03", "http://shop.test/7@2026-02")).
			Page("/odd.xml", pages("http://shop.test/8@last week"))
		r := newRobots(t, web, Options{})
		wantEntries(t, r, "http://shop.test", SitemapOptions{Since: time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)}, 0,
			"http://shop.test/2", "http://shop.test/4", "http://shop.test/5", "http://shop.test/6", "http://shop.test/8")
		if got := web.Count("GET http://shop.test/old.xml"); got != 0 {
			t.Errorf("a sitemap that the index calls old was fetched %d times", got)
		}
	})
}

func TestASitemapOnAnotherHostMustBeNamed(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").
			Robots("Sitemap: http://cdn.test/shop/index.xml\nSitemap: http://shop.test/index.xml\nSitemap: http://shop.test/moved.xml\nSitemap: http://shop.test/away.xml\nSitemap: http://shut.test/s.xml\n").
			Page("/index.xml", index("http://evil.test/1.xml", "http://cdn.test/shop/2.xml", "http://shop.test/3.xml")).
			Page("/3.xml", pages("http://shop.test/3", "http://evil.test/4", "http://www.shop.test/5", "http://10.0.0.1/6", "/7", "mailto:a@b", "http://SHOP.test:8080/8")).
			Answer("/moved.xml", testweb.Answer{Redirect: "https://shop.test/moved2.xml"}).
			Page("/moved2.xml", pages("http://shop.test/9")).
			Answer("/away.xml", testweb.Answer{Redirect: "http://evil.test/away.xml"})
		web.Host("cdn.test").Robots("").
			Page("/shop/index.xml", index("http://cdn.test/shop/1.xml", "http://evil.test/2.xml")).
			Page("/shop/1.xml", pages("http://shop.test/1", "http://cdn.test/2"))
		web.Host("shut.test").Robots("User-agent: *\nDisallow: /\n").Page("/s.xml", pages("http://shop.test/10"))
		web.Host("evil.test").Page("/*", pages("http://shop.test/evil"))
		r := newRobots(t, web, Options{})
		errs := wantEntries(t, r, "http://shop.test", SitemapOptions{}, 6, "http://shop.test/1", "http://shop.test/3", "http://shop.test/7", "http://SHOP.test:8080/8", "http://shop.test/9")
		for _, h := range web.Hits() {
			if h.Host == "evil.test" || h.Host == "shut.test" && h.URI != "/robots.txt" || h.URI == "/shop/2.xml" {
				t.Errorf("%s was asked for", h)
			}
		}
		for i, want := range []string{
			"cdn.test/shop/index.xml: 1 of its entries", "cdn.test/shop/1.xml: 1 of its entries", "shop.test/index.xml: 2 of its entries", "shop.test/3.xml: 4 of its entries",
			"it leads to http://evil.test/away.xml", "disallow: /",
		} {
			if i < len(errs) && !strings.Contains(errs[i].Error(), want) {
				t.Errorf("error %d is %q, want one with %q", i, errs[i], want)
			}
		}
		var refused *RefusedError
		var about *SitemapError
		if last := errs[len(errs)-1]; !errors.As(last, &refused) || !errors.Is(last, ErrDisallowed) || !errors.As(last, &about) || about.URL != "http://shut.test/s.xml" {
			t.Errorf("the last error is %v, want a *RefusedError about shut.test in a *SitemapError", last)
		}
	})
}

func TestFurtherHostsOfASite(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/index.xml").Page("/index.xml", index("http://www.shop.test/1.xml"))
		web.Host("www.shop.test").Robots("User-agent: *\nDisallow: /b").Page("/1.xml", pages("http://www.shop.test/a", "http://www.shop.test/b", "http://shop.test/c", "http://evil.test/d"))
		r := newRobots(t, web, Options{})
		wantEntries(t, r, "http://shop.test", SitemapOptions{Hosts: []string{"WWW.shop.test."}}, 1, "http://www.shop.test/a", "!http://www.shop.test/b", "http://shop.test/c")
		wantEntries(t, r, "http://shop.test", SitemapOptions{Hosts: []string{"not a host"}}, 1)
	})
}

func TestSitemapsThatNobodyNames(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/named.xml\nSitemap: http://cdn.test/n.xml").
			Page("/sitemap.xml", pages("http://shop.test/1")).Page("/named.xml", pages("http://shop.test/2"))
		web.Host("cdn.test").Page("/n.xml", pages("http://shop.test/3"))
		r := newRobots(t, web, Options{})
		wantEntries(t, r, "http://shop.test", SitemapOptions{Sitemaps: []string{"/sitemap.xml", "http://cdn.test/n.xml", "http://cdn.test/other.xml", "::"}}, 2, "http://shop.test/1", "http://shop.test/3")
		if got := web.Count("GET http://shop.test/named.xml") + web.Count("GET http://cdn.test/other.xml"); got != 0 {
			t.Errorf("%d sitemaps were fetched that are not asked for or not named", got)
		}
		wantEntries(t, r, "http://shop.test", SitemapOptions{Sitemaps: []string{}}, 0)
	})
}

func TestASitemapDoesNotLeadIntoAPrivateNetwork(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		for _, target := range []string{"http://10.0.0.1/s.xml", "http://localhost/s.xml", "http://[::1]/s.xml"} {
			web.Host("10.0.0.1").Robots("").Page("/s.xml", pages())
			web.Host("shop.test").Robots("Sitemap: "+target+"\nSitemap: http://shop.test/r.xml").Answer("/r.xml", testweb.Answer{Redirect: target})
			r := newRobots(t, web, Options{})
			errs := wantEntries(t, r, "http://shop.test", SitemapOptions{}, 2)
			for _, err := range errs {
				var refusal report.Refusal
				if !errors.As(err, &refusal) || refusal.Skip().Reason != report.PrivateAddress && refusal.Skip().Reason != report.RobotsUnreachable {
					t.Errorf("%s: %v, want a refusal", target, err)
				}
			}
			for _, h := range web.Hits() {
				if h.Host != "shop.test" && h.URI != "/robots.txt" {
					t.Errorf("%s was asked for", h)
				}
			}
			web.Reset()
		}
		// A site that is private itself may.
		web.Host("10.0.0.2").Robots("Sitemap: http://10.0.0.1/s.xml")
		wantEntries(t, newRobots(t, web, Options{}), "http://10.0.0.2", SitemapOptions{}, 0)
	})
}

func TestSitemapsThatCannotBeHad(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: /404\nSitemap: /503\nSitemap: /html\nSitemap: /cut\nSitemap: /reset\nSitemap: /br\nSitemap: /round\nSitemap: /204\nSitemap: /nowhere\nSitemap: /ok\n").
			Answer("/503", testweb.Answer{Status: 503}).
			Page("/html", "<html><body>no</body></html>").
			Answer("/cut", testweb.Answer{Body: "<urlset><url><loc>http://shop.test/1</loc></url>", HalfBody: true}).
			Answer("/reset", testweb.Answer{Reset: true}).
			Answer("/br", testweb.Answer{Header: field("Content-Encoding", "br"), Body: "x"}).
			Answer("/round", testweb.Answer{Redirect: "/round"}).
			Answer("/204", testweb.Answer{Status: 204}).
			Answer("/nowhere", testweb.Answer{Status: 301}).
			Page("/ok", pages("http://shop.test/2"))
		r := newRobots(t, web, Options{})
		errs := wantEntries(t, r, "http://shop.test", SitemapOptions{}, 8, "http://shop.test/1", "http://shop.test/2")
		for i, want := range []string{"404", "503", "<html>", "EOF", "", "Content-Encoding", "5 redirects", "no Location"} {
			if i < len(errs) && !strings.Contains(errs[i].Error(), want) {
				t.Errorf("error %d is %q, want one with %q", i, errs[i], want)
			}
		}
		if got := web.Count("GET http://shop.test/round"); got != maxHops+1 {
			t.Errorf("a circle was asked for %d times, want %d", got, maxHops+1)
		}
	})
}

func TestIndexFilesThatLeadOn(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		shop := web.Host("shop.test").Robots("Sitemap: http://shop.test/0.xml")
		for i := range 10 {
			shop.Page(fmt.Sprintf("/%d.xml", i), index(fmt.Sprintf("http://shop.test/%d.xml", i+1), "http://shop.test/0.xml"))
		}
		r := newRobots(t, web, Options{})
		wantEntries(t, r, "http://shop.test", SitemapOptions{}, 1)
		if got, most := len(web.Hits()), 1+1+mostIndexDepth; got != most {
			t.Errorf("%d requests, want %d: robots.txt, the index that it names, and %d more", got, most, mostIndexDepth)
		}
	})
}

func TestWhatWaitsIsBounded(t *testing.T) {
	w := &sitemapsWalk{seen: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	for i := range mostSitemaps {
		if !w.push(pendingSitemap{url: fmt.Sprint(i)}) {
			t.Fatalf("sitemap %d is left out", i)
		}
	}
	if w.push(pendingSitemap{url: "one more"}) || !w.push(pendingSitemap{url: "7"}) {
		t.Error("one more is taken in, or one that is known is not")
	}
	w = &sitemapsWalk{seen: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	long := strings.Repeat("x", mostLocation-8)
	n := 0
	for w.push(pendingSitemap{url: fmt.Sprintf("%08d%s", n, long)}) {
		n++
	}
	if got := n * mostLocation; got > mostPendingText {
		t.Errorf("%d octets of URLs wait, want %d at most", got, mostPendingText)
	}
}

func TestBreakingOffFetchesNoFurtherSitemap(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/1.xml\nSitemap: http://shop.test/2.xml\nSitemap: http://shop.test/404.xml\n").
			Page("/1.xml", pages("http://shop.test/a", "http://shop.test/b", "http://evil.test/c")).Page("/2.xml", pages("http://shop.test/d"))
		r := newRobots(t, web, Options{})
		for range r.SitemapEntries(t.Context(), "http://shop.test", SitemapOptions{}) {
			break
		}
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/1.xml")
		for _, err := range r.SitemapEntries(t.Context(), "http://shop.test", SitemapOptions{}) {
			if err != nil {
				break
			}
		}
		for range r.SitemapEntries(t.Context(), "http://down.invalid", SitemapOptions{}) {
			break
		}
	})
}

func TestAnIterationEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/1.xml\nSitemap: http://shop.test/2.xml\n").
			Page("/1.xml", pages("http://shop.test/a")).Answer("/2.xml", testweb.Answer{HangHeaders: true})
		r := newRobots(t, web, Options{})
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, cause)
		defer cancel()
		start := time.Now()
		got, errs := sitemapEntries(ctx, r, "http://shop.test", SitemapOptions{})
		if len(got) != 1 || len(errs) != 1 || !errors.Is(errs[0], cause) || time.Since(start) != 10*time.Second {
			t.Errorf("%q, %v after %v, want one page and then the context's cause after 10s", got, errs, time.Since(start))
		}
	})
}

func TestASitemapMayTakeFiveMinutes(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/1.xml\n").
			Answer("/1.xml", testweb.Answer{Body: "<urlset><url><loc>http://shop.test/1</loc></url>" + strings.Repeat(" ", 10_000), Drip: testweb.Drip{Bytes: 10, Every: time.Second}})
		r := newRobots(t, web, Options{})
		start := time.Now()
		errs := wantEntries(t, r, "http://shop.test", SitemapOptions{}, 1, "http://shop.test/1")
		if took := time.Since(start); took != sitemapTime || !strings.Contains(errs[0].Error(), "5m0s") {
			t.Errorf("it took %v, errors %v, want %v", took, errs, sitemapTime)
		}
	})
}

// A request for a sitemap is one of the crawl's own: it has our name, keeps the pace, ends with a stop, and is told.
func TestSitemapsGoThroughTheChain(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nCrawl-delay: 7\nDisallow: /shut.xml\nSitemap: http://shop.test/1.xml\nSitemap: http://shop.test/2.xml\nSitemap: http://shop.test/shut.xml\n").
			Page("/1.xml", pages("http://shop.test/a", "http://shop.test/b")).Page("/2.xml", pages("http://shop.test/c")).Page("/a", "x").Page("/b", "x").Page("/c", "x")
		var told skips
		r := newRobots(t, web, Options{OnSkip: told.add})
		c := colly.NewCollector()
		id, err1 := identity.New(identity.Options{UserAgent: "AcmeBot/1.0 (+https://bot.acme.test/; mailto:bot@acme.test)", Logger: silent})
		th, err2 := throttle.New(throttle.Options{Logger: silent})
		sw, err3 := killswitch.New(killswitch.Options{Logger: silent})
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = errors.Join(id.Close(), th.Close(), sw.Close()) }()
		if err := errors.Join(r.Attach(c), id.Attach(c), th.Attach(c), sw.Attach(c)); err != nil {
			t.Fatal(err)
		}
		var errs []error
		for e, err := range r.SitemapEntries(t.Context(), "http://shop.test", SitemapOptions{}) {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if err := c.Visit(e.URL); err != nil {
				t.Errorf("Visit(%s) = %v", e.URL, err)
			}
		}
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/1.xml", "GET http://shop.test/a", "GET http://shop.test/b", "GET http://shop.test/2.xml", "GET http://shop.test/c")
		for i, gap := range testweb.Gaps(web.Hits()) {
			if gap < 7*time.Second && i > 0 || gap > 8*time.Second {
				t.Errorf("gap %d is %v, want the 7s that the site asks for", i, gap)
			}
		}
		for _, h := range web.Hits() {
			if got := h.Header.Get("User-Agent"); !strings.HasPrefix(got, "AcmeBot/1.0") || h.Header.Get("From") != "bot@acme.test" {
				t.Errorf("%s was sent as %q from %q", h, got, h.Header.Get("From"))
			}
		}
		if len(errs) != 1 || !errors.Is(errs[0], ErrDisallowed) || !slices.Equal(told.lines(), []string{"GET http://shop.test/shut.xml robots_disallowed"}) {
			t.Errorf("errors %v, told %q, want the disallowed sitemap in both", errs, told.lines())
		}
		web.Reset()
		if _, err := sw.Stop(killswitch.Rule{Host: "shop.test", Reason: "asked"}); err != nil {
			t.Fatal(err)
		}
		for _, err := range wantEntries(t, r, "http://shop.test", SitemapOptions{}, 3) {
			if !errors.Is(err, killswitch.ErrStopped) && !errors.Is(err, ErrDisallowed) { // the one that was refused before is, from memory
				t.Errorf("a sitemap of a stopped host: %v, want %v", err, killswitch.ErrStopped)
			}
		}
		wantLog(t, web)
	})
}

// What a site says of the use of its pages keeps nobody from its sitemaps; the pages are judged by it.
func TestAnOptOutDoesNotConcernSitemaps(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/1.xml\nUser-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\n").
			Page("/1.xml", pages("http://shop.test/a", "http://shop.test/open/b"))
		r := newRobots(t, web, Options{Purpose: PurposeAITrain})
		newCollector(t, r)
		wantEntries(t, r, "http://shop.test", SitemapOptions{}, 0, "!http://shop.test/a", "http://shop.test/open/b")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/1.xml")
	})
}

func TestSitemapsUseTheCollectorsProxy(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/1.xml").Page("/1.xml", pages("http://shop.test/a"))
		proxy, err := web.Proxy()
		if err != nil {
			t.Fatal(err)
		}
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		c.SetProxyFunc(http.ProxyURL(proxy.URL()))
		wantEntries(t, r, "http://shop.test", SitemapOptions{}, 0, "http://shop.test/a")
		if got, want := proxy.Log(), web.Log(); !slices.Equal(got, want) || len(got) != 2 {
			t.Errorf("the proxy saw %q, the web %q, want both alike", got, want)
		}
	})
}

func TestSitemapsInDisallowedDomains(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://cdn.test/1.xml").Page("/", "x")
		web.Host("cdn.test").Page("/1.xml", pages("http://shop.test/a"))
		r := newRobots(t, web, Options{})
		c := newCollector(t, r, colly.DisallowedDomains("cdn.test"))
		visit(t, c, nil, "http://shop.test/")
		wantEntries(t, r, "http://shop.test", SitemapOptions{}, 1)
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/")
	})
}

func TestSitemapsEndWithTheCollectorsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/1.xml").Answer("/1.xml", testweb.Answer{HangHeaders: true})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r := newRobots(t, web, Options{})
		c := newCollector(t, r, colly.StdlibContext(ctx))
		c.SetRequestTimeout(0)
		start := time.Now()
		errs := wantEntries(t, r, "http://shop.test", SitemapOptions{}, 1)
		if !errors.Is(errs[0], context.DeadlineExceeded) || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %v, want the end of the collector's context after 10s", errs, time.Since(start))
		}
	})
}

func TestABaseThatPanicsIsAnError(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("Sitemap: http://shop.test/1.xml")
		r := newRobots(t, web, Options{Base: panicsOn{web.Transport(), "/1.xml"}})
		wantEntries(t, r, "http://shop.test", SitemapOptions{}, 1)
	})
}

type panicsOn struct {
	base http.RoundTripper
	path string
}

func (p panicsOn) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == p.path {
		panic("no")
	}
	return p.base.RoundTrip(r)
}
