package collyrobots

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// inBubble runs a test with a web in memory and a clock that only moves when everybody waits.
func inBubble(t *testing.T, test func(t *testing.T, web *testweb.Web)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		test(t, web)
	})
}

// newRobots makes a Robots on the web that is closed with the test.
func newRobots(t *testing.T, web *testweb.Web, o Options) *Robots {
	t.Helper()
	if o.Base == nil {
		o.Base = web.Transport()
	}
	if o.Logger == nil {
		o.Logger = silent
	}
	r, err := New(o)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return r
}

var silent = slog.New(slog.DiscardHandler)

const testAgent = "FooBot/1.0 (+https://foo.example/bot)"

// newCollector makes a collector that r watches.
func newCollector(t *testing.T, r *Robots, options ...colly.CollectorOption) *colly.Collector {
	t.Helper()
	c := colly.NewCollector(append([]colly.CollectorOption{colly.UserAgent(testAgent), colly.AllowURLRevisit()}, options...)...)
	if err := r.Attach(c); err != nil {
		t.Fatalf("Attach = %v", err)
	}
	return c
}

func wantLog(t *testing.T, web *testweb.Web, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(web.Log(), want); diff != "" {
		t.Fatalf("the server saw (-got +want):\n%s", diff)
	}
}

func wantErr(t *testing.T, call string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("%s = %v, want %v", call, got, want)
	}
}

// visit visits each URL and wants the outcome.
func visit(t *testing.T, c *colly.Collector, want error, urls ...string) {
	t.Helper()
	for _, u := range urls {
		wantErr(t, "Visit("+u+")", c.Visit(u), want)
	}
}

// skips collects what OnSkip is told.
type skips struct {
	mu  sync.Mutex
	all []toldSkip
}

type toldSkip struct {
	request *colly.Request
	skip    report.Skip
}

func (s *skips) add(r *colly.Request, skip report.Skip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, toldSkip{r, skip})
}

// lines is "METHOD URL reason" for each.
func (s *skips) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []string{}
	for _, t := range s.all {
		out = append(out, t.skip.Method+" "+t.skip.URL+" "+string(t.skip.Reason))
	}
	return out
}

// logLines is a logger and what it wrote, without times.
func logLines() (*slog.Logger, func(part string) []string) {
	b := &syncBuffer{}
	h := slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	return slog.New(h), func(part string) []string {
		var found []string
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, part) {
				found = append(found, strings.TrimSpace(line))
			}
		}
		return found
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// after lets time pass.
func after(d time.Duration) {
	time.Sleep(d) // the bubble's clock
	synctest.Wait()
}
