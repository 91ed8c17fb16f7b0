package etiquette_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

// shown is a writer that keeps what is shown on it.
type shown struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shown) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSuffix(s.text.String(), "\n"), "\n")
}

func TestProgressSaysWhatWaitsAndWhy(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 10\n").Page("/*", "x")
		web.Host("busy.test").Page("/*", "x").Answer("/1", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"120"}}})
		g := newGuard(t, web, func(p *etiquette.Policy) { p.Logger = slog.New(slog.DiscardHandler) })
		c := guarded(t, g, colly.Async())
		var out shown
		progress := g.Progress(t.Context(), &out)
		for i := range 7 {
			visit(t, c, fmt.Sprintf("http://slow.test/%d", i))
		}
		time.Sleep(16 * time.Second) // slow.test was asked for robots.txt and one page
		wantLine(t, &out, "6 wait", "slow.test", "crawl delay 10s", fmt.Sprintf("%d sent", len(web.Hits())))
		c.Wait()
		wantLine(t, &out, "1 wait")

		for i := range 5 {
			visit(t, c, fmt.Sprintf("http://busy.test/%d", i))
			time.Sleep(1100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		wantLine(t, &out, "busy.test", "blocked by 429 or 503", "next in 1m")
		if err := g.Close(); err != nil { // ends those who wait, and the progress
			t.Errorf("Close = %v", err)
		}
		c.Wait()
		lines := out.lines()
		if got, want := lines[len(lines)-1], fmt.Sprintf("%d sent", len(web.Hits())); !strings.Contains(got, want) {
			t.Errorf("the last line is %q, want %q in it", got, want)
		}
		if err := progress.Close(); err != nil {
			t.Errorf("Close of what has ended = %v", err)
		}
	})
}

// wantLine is an error unless one of the lines has all parts.
func wantLine(t *testing.T, out *shown, parts ...string) {
	t.Helper()
	for _, line := range out.lines() {
		has := true
		for _, part := range parts {
			has = has && strings.Contains(line, part)
		}
		if has {
			return
		}
	}
	t.Errorf("no line has all of %q:\n%s", parts, strings.Join(out.lines(), "\n"))
}

func TestProgressCountsWhatAFrontierHolds(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		g := newGuard(t, web, func(p *etiquette.Policy) { p.Pace = []throttle.LimitRule{{Delay: time.Minute}} })
		f := queued(t, g, 50, "shop.test")
		c := guarded(t, g)
		var out shown
		p := g.Progress(t.Context(), &out)
		done := make(chan error, 1)
		go func() { done <- f.Run(t.Context(), c, 4) }()
		time.Sleep(30 * time.Second)
		wantLine(t, &out, "49 wait", "shop.test", "interval 1m0s", "next in")
		if err := f.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		<-done
		if err := p.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
}

func TestProgressSaysThatAHostIsParked(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("away.test").Answer("/*", testweb.Answer{Status: 503, Header: http.Header{"Retry-After": {"200000"}}})
		g := newGuard(t, web)
		c := guarded(t, g)
		_ = c.Visit("http://away.test/")
		f := queued(t, g, 3, "away.test")
		var out shown
		p := g.Progress(t.Context(), &out)
		time.Sleep(6 * time.Second)
		wantLine(t, &out, "away.test", "3 wait", "next held", "parked: rate limited, until")
		if err := f.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if err := p.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		synctest.Wait()
	})
}
