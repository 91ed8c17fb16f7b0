package etiquette_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"

	"github.com/collyetiquette/etiquette/report"
)

// records is a log that is kept as lines of JSON.
type records struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *records) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(b)
}

func (r *records) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (r *records) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

// skips are the lines that tell of a skip.
func (r *records) skips() (out []report.Skip) {
	for line := range strings.Lines(r.String()) {
		var s struct {
			Msg, URL, Rule string
			Reason         report.Reason
			Line           int
		}
		if err := json.Unmarshal([]byte(line), &s); err == nil && strings.Contains(s.Msg, "skipped") {
			out = append(out, report.Skip{URL: s.URL, Reason: s.Reason, Rule: s.Rule, Line: s.Line})
		}
	}
	return out
}
