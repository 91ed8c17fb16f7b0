package etiquette_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// The scrapers of these tests are programs as people write them. Each is run twice, on two equal webs: plain, and with the one line right after its
// NewCollector. It must find the same data both times; the web's log says whether a rule was broken. Every site links to pages below /trap, which
// hold no data and which its robots.txt disallows, so the plain run shows that the log can tell.

// program is a scraper. It calls attach right after each NewCollector, and returns what it found.
type program func(t *testing.T, attach func(*colly.Collector)) []string

// sites sets up the web that a program is for.
type sites func(web *testweb.Web)

// pace is the least time between two requests to a host whose robots.txt asks for more than the default, which is a second.
type pace map[string]time.Duration

// runBothWays runs the program plain and with the one line, and judges both.
func runBothWays(t *testing.T, setUp sites, asked pace, run program) {
	t.Helper()
	var plain, polite []string
	plainly(t, setUp, func(t *testing.T, web *testweb.Web) {
		plain = run(t, func(*colly.Collector) {})
		wantAllRulesBroken(t, web.Hits(), asked)
	})
	politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
		polite = run(t, line.attach)
		wantEveryRuleKept(t, web.Hits(), asked)
		line.wantTrapsTold()
	})
	wantSameData(t, plain, polite)
}

func wantSameData(t *testing.T, plain, polite []string) {
	t.Helper()
	if len(plain) == 0 {
		t.Error("the plain run found nothing: there is nothing to compare")
	}
	if diff := cmp.Diff(plain, polite); diff != "" {
		t.Errorf("data without and with the one line (-without +with):\n%s", diff)
	}
}

// plainly and politely are the two runs, each on a web of its own and in virtual time.
func plainly(t *testing.T, setUp sites, f func(t *testing.T, web *testweb.Web)) {
	t.Helper()
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		asDefault(t, web)
		setUp(web)
		f(t, web)
	})
}

func politely(t *testing.T, setUp sites, f func(t *testing.T, web *testweb.Web, line *oneLine)) {
	t.Helper()
	plainly(t, setUp, func(t *testing.T, web *testweb.Web) {
		line := &oneLine{t: t}
		defer line.close()
		f(t, web, line)
	})
}

// asDefault makes the web what net/http finds for the rest of the test: plain Colly and the one line both use that.
func asDefault(t *testing.T, web *testweb.Web) {
	real := http.DefaultTransport
	http.DefaultTransport = web.Transport()
	t.Cleanup(func() { http.DefaultTransport = real })
}

// oneLine is the line that is added to a program. Collectors that the program makes later share the Guard of the first.
type oneLine struct {
	t     *testing.T
	mu    sync.Mutex
	guard *etiquette.Guard
}

func (l *oneLine) attach(c *colly.Collector) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guard != nil {
		if err := l.guard.Attach(c); err != nil {
			l.t.Errorf("Guard.Attach = %v", err)
		}
		return
	}
	guard, err := etiquette.Attach(c, agent)
	if err != nil {
		l.t.Errorf("Attach = %v", err)
		return
	}
	l.guard = guard
}

func (l *oneLine) close() {
	if l.guard == nil {
		l.t.Error("the program attached nothing")
		return
	}
	if err := l.guard.Close(); err != nil {
		l.t.Errorf("Close = %v", err)
	}
	synctest.Wait()
}

// wantTrapsTold is an error unless the report has a skip for what robots.txt disallowed.
func (l *oneLine) wantTrapsTold() {
	l.t.Helper()
	for _, s := range l.guard.Report.Skips() {
		if s.Reason == report.RobotsDisallowed && s.Rule == "disallow: /trap" && strings.Contains(s.URL, "/trap/") {
			return
		}
	}
	l.t.Errorf("the report has no skip for /trap: %v", l.guard.Report.Skips())
}

// The rules that the log is judged by.
const (
	robotsFirst   = "robots.txt comes before the first page of an origin"
	neverDisallow = "a disallowed path is never asked for"
	keepSpacing   = "requests to a host are spaced"
	sayWho        = "every request says who asks"
)

// broken gives the first request that broke each rule.
func broken(hits []testweb.Hit, asked pace) map[string]string {
	out := make(map[string]string)
	breaks := func(rule, format string, args ...any) {
		if out[rule] == "" {
			out[rule] = fmt.Sprintf(format, args...)
		}
	}
	read := make(map[string]bool)            // origins whose robots.txt was asked for
	latest := make(map[string]time.Time)     // the latest request to a host
	latestPage := make(map[string]time.Time) // the latest that was no robots.txt
	for _, h := range hits {
		origin, _, _ := strings.Cut(strings.TrimPrefix(h.URL(), "http://"), "/")
		robots := h.URI == "/robots.txt"
		if robots {
			read[origin] = true
		}
		if !read[origin] {
			breaks(robotsFirst, "%s", h)
		}
		if strings.HasPrefix(h.URI, "/trap") {
			breaks(neverDisallow, "%s", h)
		}
		if h.Header.Get("User-Agent") != agent || h.Header.Get("From") != "bot@somewhere.org" {
			breaks(sayWho, "%s came from %q", h, h.Header.Get("User-Agent"))
		}
		// A crawl delay counts from robots.txt on, the default from page to page.
		if last, delay := latest[h.Host], asked[h.Host]; !last.IsZero() && h.Time.Sub(last) < delay {
			breaks(keepSpacing, "%s came %s after another, want %s", h, h.Time.Sub(last), delay)
		}
		if last := latestPage[h.Host]; !robots && !last.IsZero() && h.Time.Sub(last) < time.Second {
			breaks(keepSpacing, "%s came %s after another, want a second", h, h.Time.Sub(last))
		}
		latest[h.Host] = h.Time
		if !robots {
			latestPage[h.Host] = h.Time
		}
	}
	return out
}

func wantEveryRuleKept(t *testing.T, hits []testweb.Hit, asked pace) {
	t.Helper()
	if len(hits) == 0 {
		t.Error("nothing was sent: there is nothing to judge")
	}
	if got := broken(hits, asked); len(got) != 0 {
		t.Errorf("with the one line these rules were broken: %v\nrequests: %q", got, hits)
	}
}

// wantAllRulesBroken shows that the judge can tell.
func wantAllRulesBroken(t *testing.T, hits []testweb.Hit, asked pace) {
	t.Helper()
	got := broken(hits, asked)
	for _, rule := range []string{robotsFirst, neverDisallow, keepSpacing, sayWho} {
		if got[rule] == "" {
			t.Errorf("the plain run kept to %q: the test cannot tell\nrequests: %q", rule, hits)
		}
	}
}

// article is a page with a title, which is its data, and links.
func article(title string, links ...string) string {
	return testweb.Links(links...) + "<h1>" + title + "</h1>"
}

// disallowing is a host whose robots.txt disallows its traps.
func disallowing(web *testweb.Web, host string) *testweb.Host {
	return web.Host(host).Robots("User-agent: *\nDisallow: /trap\n").Page("/trap/*", testweb.Links("/"))
}

func sorted(data []string) []string {
	slices.Sort(data)
	return data
}
