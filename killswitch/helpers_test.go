package killswitch

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func newSwitch(t testing.TB, o Options) *Switch {
	t.Helper()
	if o.Logger == nil {
		o.Logger = quiet
	}
	s, err := New(o)
	if err != nil {
		t.Fatalf("New(%+v) = %v, want nil", o, err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func mustStop(t testing.TB, s *Switch, r Rule) string {
	t.Helper()
	id, err := s.Stop(r)
	if err != nil {
		t.Fatalf("Stop(%+v) = %v, want nil", r, err)
	}
	return id
}

func mustURL(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func stopped(t testing.TB, s *Switch, raw string) bool {
	t.Helper()
	_, is := s.Check(mustURL(t, raw))
	return is
}

func wantStopped(t testing.TB, s *Switch, want bool, raws ...string) {
	t.Helper()
	for _, raw := range raws {
		if got := stopped(t, s, raw); got != want {
			t.Errorf("Check(%s) = %v, want %v", raw, got, want)
		}
	}
}

func attached(t testing.TB, s *Switch) *colly.Collector {
	t.Helper()
	c := colly.NewCollector()
	if err := s.Attach(c); err != nil {
		t.Fatalf("Attach = %v, want nil", err)
	}
	return c
}

// fileOf is a stop file with a rule for each host.
func fileOf(generation int, hosts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"version": 1, "generation": %d, "rules": [`, generation)
	for i, h := range hosts {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n"+`  {"id": "ks-%s", "host": %q, "reason": "asked by mail"}`, h, h)
	}
	b.WriteString("\n]}\n")
	return b.String()
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rename puts text in the place of path, as editors and deploy tools do.
func rename(t testing.TB, path, text string) {
	t.Helper()
	writeFile(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func stopFilePath(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stop.json")
	writeFile(t, path, text)
	return path
}

func wantErrStopped(t testing.TB, what string, err error) {
	t.Helper()
	var e *Error
	if !errors.Is(err, ErrStopped) || !errors.As(err, &e) {
		t.Errorf("%s = %v, want a *killswitch.Error that matches ErrStopped", what, err)
	}
}

// told collects skips.
type told struct {
	mu    sync.Mutex
	skips []report.Skip
	known int // with their *colly.Request
}

func (l *told) OnSkip(r *colly.Request, s report.Skip) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.skips = append(l.skips, s)
	if r != nil {
		l.known++
	}
}

func (l *told) all() []report.Skip {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]report.Skip(nil), l.skips...)
}

func memoryWeb(t testing.TB) *testweb.Web {
	web := testweb.NewMemory()
	t.Cleanup(web.Close)
	return web
}
