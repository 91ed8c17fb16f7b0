package chain

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// testLayer plays a layer: it refuses paths that hold its word, and what it refused is known at admission if admits is set.
type testLayer struct {
	kind   Kind
	word   string
	reason report.Reason
	admits bool
	until  time.Time
	lifted bool
	handle func(h *Hop, next Handler) (*http.Response, error)

	mu    sync.Mutex
	skips []told
	hops  []string
}

type told struct {
	request bool // the *colly.Request was known
	skip    report.Skip
}

type testRefusal struct{ skip report.Skip }

func (e *testRefusal) Error() string     { return "test: refused " + e.skip.URL }
func (e *testRefusal) Skip() report.Skip { return e.skip }

func (l *testLayer) Kind() Kind { return l.kind }

func (l *testLayer) refusal(url string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.word == "" || l.lifted || !strings.Contains(url, l.word) {
		return nil
	}
	return &testRefusal{report.Skip{Reason: l.reason, URL: url, RetryAt: l.until}}
}

func (l *testLayer) Handle(h *Hop, next Handler) (*http.Response, error) {
	l.mu.Lock()
	l.hops = append(l.hops, h.Method()+" "+h.URL().String())
	l.mu.Unlock()
	if err := l.refusal(h.URL().String()); err != nil {
		return h.Refuse(err)
	}
	if l.handle != nil {
		return l.handle(h, next)
	}
	return next(h)
}

func (l *testLayer) Admit(a Admission) error {
	if !l.admits {
		return nil
	}
	return l.refusal(a.URL.String())
}

func (l *testLayer) Holds(a Admission, _ report.Skip) bool { return l.refusal(a.URL.String()) != nil }

func (l *testLayer) Skipped(r *colly.Request, s report.Skip) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.skips = append(l.skips, told{r != nil, s})
}

func (l *testLayer) told() []told {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]told(nil), l.skips...)
}

// refuser is a robots layer that refuses what holds "private".
func refuser() *testLayer {
	return &testLayer{kind: Robots, word: "private", reason: report.RobotsDisallowed}
}

// attached is a collector on the web, with the layers in its chain.
func attached(t *testing.T, web *testweb.Web, layers ...Layer) *colly.Collector {
	t.Helper()
	c := colly.NewCollector()
	mustAttach(t, c, Config{Base: web.Transport()}, layers...)
	return c
}

func mustAttach(t *testing.T, c *colly.Collector, cfg Config, layers ...Layer) *Chain {
	t.Helper()
	ch, err := Attach(c, cfg, layers...)
	if err != nil {
		t.Fatalf("Attach = %v, want nil", err)
	}
	return ch
}

func wantHits(t *testing.T, web *testweb.Web, want ...string) {
	t.Helper()
	got := web.Log()
	if len(got) != len(want) {
		t.Fatalf("server saw %q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("server saw %q, want %q", got, want)
		}
	}
}

func wantRefusal(t *testing.T, err error, reason report.Reason) {
	t.Helper()
	var r report.Refusal
	if !errors.As(err, &r) || r.Skip().Reason != reason {
		t.Fatalf("Visit = %v, want a refusal with reason %s", err, reason)
	}
}

// exportedSetters are the methods of a Collector that may change how it is wired.
func exportedSetters() []string {
	var out []string
	typ := reflect.TypeFor[*colly.Collector]()
	for i := range typ.NumMethod() {
		name := typ.Method(i).Name
		if strings.HasPrefix(name, "Set") || strings.HasPrefix(name, "With") || strings.HasPrefix(name, "Limit") || name == "Init" || name == "Appengine" ||
			strings.HasPrefix(name, "Disable") {
			out = append(out, name)
		}
	}
	return out
}

func memoryWeb(t *testing.T) *testweb.Web {
	t.Helper()
	web := testweb.NewMemory()
	t.Cleanup(func() { web.Close() })
	return web
}

func funcPC(f any) uintptr { return reflect.ValueOf(f).Pointer() }

func errorsContain(err error, text string) bool { return strings.Contains(err.Error(), text) }
