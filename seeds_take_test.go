package etiquette_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// film is a large file. It counts what was really sent of it.
type film struct {
	declares bool
	sent     atomic.Int64
}

const filmBytes = 256 << 20

func (f *film) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "video/mp4")
	if f.declares {
		w.Header().Set("Content-Length", fmt.Sprint(filmBytes))
	}
	chunk := strings.Repeat("x", 64<<10)
	for range filmBytes / len(chunk) {
		n, err := io.WriteString(w, chunk)
		f.sent.Add(int64(n))
		if err != nil {
			return // who asked for it has gone
		}
	}
}

func TestSeed000Guideline4ImagesAndFilmsAreNotTransferred(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		declared, streamed := &film{declares: true}, &film{}
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /trap\n").
			Page("/", article("shop", "/item", "/photo.jpg", "/declared.mp4", "/streamed.mp4", "/again")).
			Page("/again", article("again", "/photo.jpg?size=2", "/declared.mp4", "/streamed.mp4")).Page("/item", article("item")).
			Answer("/photo.jpg", testweb.Answer{Header: http.Header{"Content-Type": {"image/jpeg"}}, Body: "a picture"}).
			Handle("/declared.mp4", declared.ServeHTTP).Handle("/streamed.mp4", streamed.ServeHTTP)
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) {
			p.OnSkip, p.Take = told.onSkip, []etiquette.Take{{Types: []string{"text/html", "application/xhtml+xml"}, Bytes: 1 << 20}}
		})
		c := guarded(t, g, colly.AllowURLRevisit())
		var titles []string
		c.OnHTML("h1", func(e *colly.HTMLElement) { titles = append(titles, e.Text) })
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
		visit(t, c, "http://shop.test/")

		if diff := cmp.Diff([]string{"shop", "item", "again"}, titles); diff != "" {
			t.Errorf("titles (-want +got):\n%s", diff)
		}
		for name, f := range map[string]*film{"declared": declared, "streamed": streamed} {
			if sent := f.sent.Load(); sent > filmBytes/100 {
				t.Errorf("%s.mp4: %d bytes were sent before the transfer was broken off, want less than a hundredth of %d", name, sent, filmBytes)
			}
			if got := web.Count("GET http://shop.test/" + name + ".mp4"); got != 1 {
				t.Errorf("%s.mp4 was asked for %d times, want once", name, got)
			}
		}
		unwanted := 0
		for _, r := range told.reasons() {
			if r == report.Unwanted {
				unwanted++
			}
		}
		if unwanted != 6 {
			t.Errorf("%d skips are unwanted, want two pictures and two films twice: %v", unwanted, told.all())
		}
		wantGaps(t, web, "shop.test", time.Second)
	})
}

// What a sitemap dates before the last crawl is not fetched again. What it does not date, or cannot be read, is: a page that changed must not be missed.
func TestSeed000Guideline4ASitemapsLastmodKeepsUnchangedPagesFromBeingFetchedAgain(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		last := time.Now().Add(-24 * time.Hour)
		entry := func(path string, modified string) string {
			return "<url><loc>http://shop.test" + path + "</loc><lastmod>" + modified + "</lastmod></url>"
		}
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\nSitemap: http://shop.test/sitemap.xml\n").Page("/*", "x").
			Answer("/sitemap.xml", testweb.Answer{Header: http.Header{"Content-Type": {"application/xml"}}, Body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
				entry("/old", last.Add(-48*time.Hour).UTC().Format(time.RFC3339)) + entry("/new", last.Add(time.Hour).UTC().Format(time.RFC3339)) +
				entry("/undated", "") + entry("/odd", "the day before yesterday") + entry("/private/new", last.Add(time.Hour).UTC().Format(time.RFC3339)) + `</urlset>`})
		g := newGuard(t, web)
		c := guarded(t, g)
		for e, err := range g.Robots.SitemapEntries(t.Context(), "http://shop.test/", collyrobots.SitemapOptions{Since: last}) {
			if err != nil {
				t.Error(err)
				continue
			}
			_ = c.Visit(e.URL)
		}
		want := []string{"GET http://shop.test/robots.txt", "GET http://shop.test/sitemap.xml", "GET http://shop.test/new", "GET http://shop.test/undated", "GET http://shop.test/odd"}
		if diff := cmp.Diff(want, web.Log()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		wantGaps(t, web, "shop.test", time.Second)
	})
}

// What did not change is not sent again: robots.txt is asked for with the validators that it came with.
func TestSeed000Guideline4RobotsIsAskedForConditionally(t *testing.T) {
	setUp := func(web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x").Handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"v1"`)
			if r.Header.Get("If-None-Match") == `"v1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, "User-agent: *\nDisallow: /trap\n")
		})
	}
	politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
		c := colly.NewCollector(colly.AllowURLRevisit())
		line.attach(c)
		for day := range 5 {
			visit(t, c, fmt.Sprintf("http://shop.test/%d", day), "http://shop.test/trap/1") // a skip: the rules are known
			time.Sleep(25 * time.Hour)
		}
		conditional := 0
		for _, h := range web.Hits() {
			if h.URI == "/robots.txt" && h.Header.Get("If-None-Match") == `"v1"` {
				conditional++
			}
		}
		if fetches := web.Count("GET http://shop.test/robots.txt"); fetches != 5 || conditional != 4 {
			t.Errorf("robots.txt was asked for %d times, %d of them by its ETag, want 5 and 4", fetches, conditional)
		}
		wantEveryRuleKept(t, web.Hits(), nil)
	})
}
