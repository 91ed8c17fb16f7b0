package metrics_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/metrics"
)

const agent = "DeclaredBot/1.0 (+https://bot.somewhere.org/about; mailto:bot@somewhere.org)"

// guarded is a Guard on the web, a collector of it, and a registry with its metrics.
func guarded(t *testing.T, web *testweb.Web, change ...func(*etiquette.Policy)) (*etiquette.Guard, *colly.Collector, *prometheus.Registry) {
	t.Helper()
	p := etiquette.Policy{UserAgent: agent, Base: web.Transport(), Logger: slog.New(slog.DiscardHandler)}
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
	c := colly.NewCollector(colly.Async())
	if err := g.Attach(c); err != nil {
		t.Fatalf("Attach = %v", err)
	}
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(metrics.New(g)); err != nil {
		t.Fatalf("Register = %v", err)
	}
	return g, c, r
}

// series are the lines of a scrape.
type series map[string]float64

// scrape asks a registry as Prometheus does.
func scrape(t *testing.T, r *prometheus.Registry) (series, string) {
	t.Helper()
	w := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(w.Body)
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("the scrape = %d, %v: %s", w.Code, err, body)
	}
	out := make(series)
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Fatalf("the line %q has no value: %v", line, err)
		}
		out[line[:at]] = value
	}
	return out, string(body)
}

// want compares some series.
func (s series) want(t *testing.T, want series) {
	t.Helper()
	for name, n := range want {
		if got, ok := s[name]; !ok || got != n {
			t.Errorf("%s = %v (there: %t), want %v", name, got, ok, n)
		}
	}
}

// sum adds up all series of a metric.
func (s series) sum(name string) float64 {
	total := 0.0
	for line, n := range s {
		if line == name || strings.HasPrefix(line, name+"{") {
			total += n
		}
	}
	return total
}
