package throttle

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// virtual runs f in a bubble with a web of its own: an hour takes no time.
func virtual(t *testing.T, f func(t *testing.T, web *testweb.Web)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		f(t, web)
	})
}

// paced is a collector on the web and its throttle.
func paced(t *testing.T, web *testweb.Web, o Options, opts ...colly.CollectorOption) (*colly.Collector, *Throttle) {
	t.Helper()
	o.Base = web.Transport()
	if o.Logger == nil {
		o.Logger = quiet()
	}
	th, err := New(o)
	if err != nil {
		t.Fatalf("New(%+v) = %v, want nil", o, err)
	}
	c := colly.NewCollector(opts...)
	if err := th.Attach(c); err != nil {
		t.Fatalf("Attach = %v, want nil", err)
	}
	return c, th
}

// visit visits each URL and waits for all.
func visit(t *testing.T, c *colly.Collector, urls ...string) {
	t.Helper()
	for _, u := range urls {
		if err := c.Visit(u); err != nil {
			t.Errorf("Visit(%s) = %v, want nil", u, err)
		}
	}
	c.Wait()
}

// wantAt compares the instants at which a host was hit, since start, with those wanted.
func wantAt(t *testing.T, web *testweb.Web, host string, start time.Time, want ...time.Duration) {
	t.Helper()
	var got []time.Duration
	for _, h := range web.HitsOf(host) {
		got = append(got, h.Time.Sub(start))
	}
	if len(got) != len(want) {
		t.Errorf("%s was hit at %v, want %v", host, got, want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s was hit at %v, want %v", host, got, want)
			return
		}
	}
}

func wantRefused(t *testing.T, err error, reason report.Reason) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Reason != reason {
		t.Fatalf("error = %v, want a *throttle.Error with reason %s", err, reason)
	}
	return e
}

// wantTold compares how many were told, and for which reason.
func wantTold(t *testing.T, told *skips, n int, reason report.Reason) {
	t.Helper()
	told.mu.Lock()
	defer told.mu.Unlock()
	if len(told.all) != n {
		t.Errorf("%d skips told, want %d: %+v", len(told.all), n, told.all)
	}
	for _, s := range told.all {
		if s.Reason != reason {
			t.Errorf("told %+v, want the reason %s", s, reason)
		}
	}
}

func wantIdle(t *testing.T, th *Throttle) {
	t.Helper()
	if s := th.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.ShortGaps != 0 {
		t.Errorf("Stats() = %+v, want nothing in flight, nothing waiting, no short gap", s)
	}
}

// logged collects log lines.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) lines(with string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, line := range strings.Split(l.text.String(), "\n") {
		if strings.Contains(line, with) {
			out = append(out, line)
		}
	}
	return out
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func seconds(ns ...float64) []time.Duration {
	var out []time.Duration
	for _, n := range ns {
		out = append(out, time.Duration(n*float64(time.Second)))
	}
	return out
}

// response is an answer with a status and headers.
func response(status int, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h}
}

// counter counts what several goroutines tell.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
}

func (c *counter) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}
