package etiquette_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/throttle"
)

func TestLintNamesWhatIsImpolite(t *testing.T) {
	for _, x := range []struct {
		name   string
		policy etiquette.Policy
		want   []string // beginnings, in order
	}{
		{"nothing said", etiquette.Policy{}, nil},
		{"an interval of a second", etiquette.Policy{Pace: []throttle.LimitRule{{Delay: time.Second, Parallelism: 2}}}, nil},
		{"an interval under a second", etiquette.Policy{Pace: []throttle.LimitRule{{}, {Delay: 999 * time.Millisecond}}}, []string{"Policy.Pace[1].Delay: 999ms is less than 1s"}},
		{"no interval", etiquette.Policy{Pace: []throttle.LimitRule{{Delay: throttle.NoDelay}}}, []string{"Policy.Pace[0].Delay: no gap"}},
		{"parallelism over 2", etiquette.Policy{Pace: []throttle.LimitRule{{Parallelism: 3}}}, []string{"Policy.Pace[0].Parallelism: 3 requests at once"}},
		{"robots age under an hour", etiquette.Policy{Robots: collyrobots.Options{MaxAge: 59 * time.Minute}}, []string{"Policy.Robots.MaxAge: 59m0s"}},
		{"a permit without a reason", etiquette.Policy{Permit: []collyrobots.Permit{{Host: "a.test", Reason: "by mail"}, {Host: "b.test", Reason: " "}}},
			[]string{"Policy.Permit[1].Reason: it is empty: say who allowed b.test"}},
		{"a permit that has ended", etiquette.Policy{Permit: []collyrobots.Permit{{Host: "a.test", Reason: "by mail", Until: time.Now().Add(-time.Hour)}}},
			[]string{"Policy.Permit[0].Until: "}},
	} {
		got := x.policy.Lint()
		ok := len(got) == len(x.want)
		for i := range min(len(got), len(x.want)) {
			ok = ok && strings.HasPrefix(got[i], x.want[i])
		}
		if !ok {
			t.Errorf("%s: Lint() = %q, want %q", x.name, got, x.want)
		}
	}
}

func TestNewLogsWhatIsImpolite(t *testing.T) {
	var log bytes.Buffer
	p := etiquette.Policy{UserAgent: agent, Logger: slog.New(slog.NewTextHandler(&log, nil)), Pace: []throttle.LimitRule{{Parallelism: 8}}}
	g, err := etiquette.New(p)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if got := strings.Count(log.String(), "Policy.Pace[0].Parallelism"); got != 1 {
		t.Errorf("the log has the warning %d times, want once: %s", got, &log)
	}
}
