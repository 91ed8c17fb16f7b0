package throttle

import (
	"slices"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// gaps is what was really kept between requests to a host, measured when they are sent. Its shard's mutex guards it.
type gaps struct {
	sentAt, pageAt int64 // of the latest request, and of the latest that was no robots.txt
	smallest       time.Duration
	count          uint32
	short          uint32
	latest         [32]float32 // seconds
}

// promise is what has to lie between two requests, as it was when the later one got its turn.
type promise struct {
	interval   time.Duration // between pages
	crawlDelay time.Duration // between any
	source     report.Source // where the interval comes from
}

// sent notes a request and reports whether the gap before it was shorter than promised.
func (g *gaps) sent(now int64, robots bool, p promise) (short bool) {
	if g.sentAt > 0 && p.crawlDelay > 0 {
		short = time.Duration(now-g.sentAt) < p.crawlDelay
	}
	if !robots && g.pageAt > 0 {
		gap := time.Duration(now - g.pageAt)
		if g.count == 0 || gap < g.smallest {
			g.smallest = gap
		}
		g.latest[g.count%uint32(len(g.latest))] = float32(gap.Seconds())
		g.count++
		short = short || gap < p.interval
	}
	g.sentAt = now
	if !robots {
		g.pageAt = now
	}
	if short {
		g.short++
	}
	return short
}

// moved notes that the request of the given instant was handed over later than that.
func (g *gaps) moved(from, to int64) {
	if g.sentAt == from {
		g.sentAt = to
	}
	if g.pageAt == from {
		g.pageAt = to
	}
}

// median is that of the latest gaps.
func (g *gaps) median() time.Duration {
	n := min(int(g.count), len(g.latest))
	if n == 0 {
		return 0
	}
	sorted := slices.Clone(g.latest[:n])
	slices.Sort(sorted)
	m := float64(sorted[n/2])
	if n%2 == 0 {
		m = (m + float64(sorted[n/2-1])) / 2
	}
	return time.Duration(m * float64(time.Second)).Round(time.Microsecond)
}
