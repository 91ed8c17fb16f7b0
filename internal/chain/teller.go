package chain

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// Teller is how a part tells a skip: it counts it, logs it once per URL and reason, and calls the user. A part embeds it and so is told of its skips.
// Its fields must not change once it is in use.
type Teller struct {
	OnSkip func(*colly.Request, report.Skip)
	Logger *slog.Logger   // nil: slog.Default, asked each time
	Report *report.Report // nil: none

	mu       sync.Mutex
	logged   map[loggedSkip]struct{}
	bypassed bool
}

type loggedSkip struct {
	url    string
	reason report.Reason
}

// maxLogged bounds what is remembered of the log; past it, a URL may be logged a second time.
const maxLogged = 10_000

// Skipped implements Layer. The user is called last and with no lock held.
func (t *Teller) Skipped(r *colly.Request, s report.Skip) {
	if t.Report != nil {
		t.Report.Record(s)
	}
	if t.first(s) {
		t.log(s)
	}
	if t.OnSkip != nil {
		t.OnSkip(r, s)
	}
}

// Log is the logger to use, never nil.
func (t *Teller) Log() *slog.Logger {
	if t.Logger != nil {
		return t.Logger
	}
	return slog.Default()
}

func (t *Teller) first(s report.Skip) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := loggedSkip{s.URL, s.Reason}
	if _, ok := t.logged[key]; ok {
		return false
	}
	if t.logged == nil || len(t.logged) >= maxLogged {
		t.logged = make(map[loggedSkip]struct{})
	}
	t.logged[key] = struct{}{}
	return true
}

func (t *Teller) log(s report.Skip) {
	attrs := []any{"url", report.RedactURL(s.URL), "host", s.Host, "reason", s.Reason}
	if s.Rule != "" {
		attrs = append(attrs, "rule", s.Rule, "line", s.Line)
	}
	if s.Detail != "" {
		attrs = append(attrs, "detail", s.Detail)
	}
	if s.Waited > 0 {
		attrs = append(attrs, "wait", s.Waited.Round(time.Millisecond))
	}
	if !s.RetryAt.IsZero() {
		attrs = append(attrs, "retry_at", s.RetryAt.Format(time.RFC3339))
	}
	if s.Referrer != "" {
		attrs = append(attrs, "referrer", report.RedactURL(s.Referrer))
	}
	t.Log().Log(context.Background(), t.level(s), "etiquette: skipped", attrs...)
}

// level is Info; but a stop, and the first request that missed the pack, are errors that somebody must see.
func (t *Teller) level(s report.Skip) slog.Level {
	switch s.Reason {
	case report.Stopped:
		return slog.LevelError
	case report.Bypassed:
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.bypassed {
			t.bypassed = true
			return slog.LevelError
		}
	}
	return slog.LevelInfo
}
