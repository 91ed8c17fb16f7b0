package throttle

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// event is what happened to a host, told when its lock is released.
type event struct {
	what    string // "blocked" or "parked"; empty: nothing
	host    string
	reason  report.Reason
	waiting int
	until   int64
}

func (t *Throttle) tellHold(e event, status int, now int64) {
	if e.what == "" {
		return
	}
	t.teller.Log().Warn("throttle: host "+e.what, "host", e.host, "reason", e.reason, "status", status,
		"wait", time.Duration(e.until-now).Round(time.Second), "until", t.wall(e.until).Round(time.Second).Format(time.RFC3339), "waiting", e.waiting)
}

// tellInterval says once per host how fast it is asked, why, and when the line will be empty. It is told when the first request has waited, since a
// host that is asked once has no interval. The caller holds the host's lock; the logger is called without.
func (t *Throttle) tellInterval(g *gate, now int64) {
	if g.host.marks&told != 0 {
		return
	}
	g.host.marks |= told
	_, from := interval(g.pace().delay, g.host.crawlDelay(), 0)
	d := g.interval()
	name, n := g.host.name, g.waiting
	eta := time.Duration(n) * (d + g.pace().random/2)
	g.shard.mu.Unlock()
	defer g.shard.mu.Lock()
	t.teller.Log().LogAttrs(context.Background(), slog.LevelInfo, "throttle: pace of a host",
		slog.String("host", name), slog.Duration("interval", d), slog.String("source", string(from)), slog.Int("waiting", n), slog.Duration("eta", eta))
}

// randomDelay is what a rule adds to one gap.
func (p *pace) randomDelay() time.Duration {
	if p.random <= 0 {
		return 0
	}
	return time.Duration(rand.Int64N(int64(p.random) + 1))
}
