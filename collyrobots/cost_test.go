package collyrobots

import (
	"net/http"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// catcher hands a hop to a test.
type catcher struct{ with func(h *chain.Hop) }

func (c *catcher) Kind() chain.Kind                    { return chain.Throttle }
func (c *catcher) Skipped(*colly.Request, report.Skip) {}
func (c *catcher) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if !h.IsRobots() {
		c.with(h)
	}
	return next(h)
}

// withHop calls f with a hop on its way to url, allowed by a robots.txt of some size.
func withHop(tb testing.TB, url string, f func(r *Robots, h *chain.Hop, a chain.Admission)) {
	tb.Helper()
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Robots(ordinaryFile(100).body).Page("/*", "x")
	r, err := New(Options{Base: web.Transport(), Logger: silent})
	if err != nil {
		tb.Fatal(err)
	}
	c := colly.NewCollector(colly.UserAgent(testAgent))
	if err := r.Attach(c); err != nil {
		tb.Fatal(err)
	}
	catch := &catcher{func(h *chain.Hop) {
		f(r, h, chain.Admission{Chain: h.Chain(), URL: h.URL(), Dialled: h.Dialled(), Method: "GET", Header: h.Header()})
	}}
	if _, err := chain.Attach(c, chain.Config{}, catch); err != nil {
		tb.Fatal(err)
	}
	if err := c.Visit(url); err != nil {
		tb.Fatal(err)
	}
}

func passOn(*chain.Hop) (*http.Response, error) { return nil, nil }

func TestTheAllowedPathAllocatesNothing(t *testing.T) {
	for url, want := range map[string]float64{
		"http://shop.test/a/b/c":     0,
		"http://shop.test/a/b/c?d=1": 2, // the path with its query, at admission and on the wire
	} {
		withHop(t, url, func(r *Robots, h *chain.Hop, a chain.Admission) {
			got := testing.AllocsPerRun(200, func() {
				if err := (layer{r}).Admit(a); err != nil {
					t.Fatal(err)
				}
				if _, err := (layer{r}).Handle(h, passOn); err != nil {
					t.Fatal(err)
				}
			})
			if got > want {
				t.Errorf("Admit and Handle of %s allocate %v times, want at most %v", url, got, want)
			}
			if got := testing.AllocsPerRun(200, func() { _, _ = (layer{r}).Recheck(h) }); got > want/2 {
				t.Errorf("Recheck of %s allocates %v times", url, got)
			}
		})
	}
}

func BenchmarkAllowed(b *testing.B) {
	withHop(b, "http://shop.test/a/b/c", func(r *Robots, h *chain.Hop, a chain.Admission) {
		b.Run("Admit", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = layer{r}.Admit(a)
			}
		})
		b.Run("Handle", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = (layer{r}).Handle(h, passOn)
			}
		})
	})
}
