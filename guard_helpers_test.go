package etiquette_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// agent is a User-Agent that nothing is wrong with.
const agent = "DeclaredBot/1.0 (+https://bot.somewhere.org/about; mailto:bot@somewhere.org)"

// told keeps what OnSkip was called with.
type told struct {
	mu    sync.Mutex
	skips []report.Skip
	known int // how many came with their request
}

func (t *told) onSkip(r *colly.Request, s report.Skip) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skips = append(t.skips, s)
	if r != nil {
		t.known++
	}
}

func (t *told) all() []report.Skip {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]report.Skip(nil), t.skips...)
}

// reasons are the reasons of all skips, in order.
func (t *told) reasons() []report.Reason {
	var out []report.Reason
	for _, s := range t.all() {
		out = append(out, s.Reason)
	}
	return out
}

// newGuard is a Guard on the web, closed with the test.
func newGuard(t testing.TB, web *testweb.Web, change ...func(*etiquette.Policy)) *etiquette.Guard {
	t.Helper()
	p := etiquette.Policy{UserAgent: agent, Base: web.Transport()}
	for _, f := range change {
		f(&p)
	}
	g, err := etiquette.New(p)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return g
}

// guarded is a collector with the Guard attached.
func guarded(t testing.TB, g *etiquette.Guard, options ...colly.CollectorOption) *colly.Collector {
	t.Helper()
	c := colly.NewCollector(options...)
	if err := g.Attach(c); err != nil {
		t.Fatalf("Attach = %v", err)
	}
	return c
}

func visit(t testing.TB, c *colly.Collector, urls ...string) {
	t.Helper()
	for _, u := range urls {
		if err := c.Visit(u); err != nil {
			t.Fatalf("Visit(%q) = %v", u, err)
		}
	}
}

// wantGaps is an error unless at least least lies between any two requests to the host.
func wantGaps(t testing.TB, web *testweb.Web, host string, least time.Duration) {
	t.Helper()
	for i, gap := range testweb.Gaps(web.HitsOf(host)) {
		if i > 0 && gap < least { // the first follows robots.txt
			t.Errorf("%s: a gap of %s before request %d, want at least %s: %q", host, gap, i+2, least, web.LogOf(host))
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (t *told) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skips, t.known = nil, 0
}
