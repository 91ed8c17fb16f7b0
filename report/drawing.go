package report

import (
	"fmt"
	"strings"
	"time"
)

// The drawing of a host's requests, in its own units. Each request is a bar, whose height is the gap kept before it against what was promised: it must
// reach the line. A bar ends at twice the promise. Under the bars are marks for robots.txt, behind them
// the times in which the host was left alone.
const (
	drawWidth = 600
	drawLine  = 24 // the promise
	drawBase  = 46 // no gap at all
	drawFoot  = 56 // the end of the marks for robots.txt
	drawFlag  = 6  // the length of a mark at the top for what was broken, so that it is seen among many
)

// drawing is the strip of one host.
type drawing struct {
	Kept, Broken, Free, Robots string // paths
	Held                       []heldSpan
	Width                      int    // of a bar, in pixels
	From, To                   string // what the ends stand for
	Of                         string // what is drawn
}

// heldSpan is a time in which the host was left alone.
type heldSpan struct {
	Kind     string // "block", "parked" or "stop"
	X, Width string
}

// draw draws the latest requests of a host that had so many of them. It is nil if there are none.
func draw(marks []mark, requests int, holds []Hold, t *table, now time.Time) *drawing {
	if len(marks) == 0 {
		return nil
	}
	first, last := marks[0].at, marks[0].at
	for _, m := range marks {
		first, last = min(first, m.at), max(last, m.at)
	}
	most := last + (last-first)/3
	if last == first {
		most = t.instant(now)
	}
	for _, h := range holds { // one that goes on longer than the requests, so that it is seen and they are too
		last = max(last, min(t.instant(holdEnd(h, now)), most))
	}
	x := func(at int64) float64 {
		if last == first {
			return 1
		}
		return 1 + (drawWidth-2)*float64(at-first)/float64(last-first)
	}
	d := &drawing{Of: several(requests, "request"), From: clock(t.wall(first), now), To: clock(t.wall(last), now)}
	if len(marks) < requests {
		d.Of = "the latest " + number(len(marks)) + " of " + d.Of
	}
	switch {
	case len(marks) <= 40:
		d.Width = 5
	case len(marks) <= 150:
		d.Width = 2
	default:
		d.Width = 1
	}
	d.bars(marks, x)
	for _, h := range holds {
		from, to := x(max(t.instant(h.From), first)), x(min(max(t.instant(holdEnd(h, now)), first), last))
		if to > from {
			d.Held = append(d.Held, heldSpan{holdKind(h.Reason), fmt.Sprintf("%.1f", from), fmt.Sprintf("%.1f", max(to-from, 1))})
		}
	}
	return d
}

// holdEnd is when a hold ended, or now.
func holdEnd(h Hold, now time.Time) time.Time {
	if h.Until.IsZero() || h.Until.After(now) {
		return now
	}
	return h.Until
}

func holdKind(r Reason) string {
	switch r {
	case RateLimited:
		return "block"
	case Stopped:
		return "stop"
	}
	return "parked"
}

// column is what falls on one place of the drawing: of several requests, the one that kept least of its promise.
type column struct {
	ratio        float32
	page, robots bool
}

func (d *drawing) bars(marks []mark, x func(int64) float64) {
	columns := make([]column, drawWidth)
	for _, m := range marks {
		c := &columns[int(x(m.at))]
		switch {
		case m.robots:
			c.robots = true
			if m.ratio < 0 || m.ratio >= 1 {
				continue // only one that came too soon has a bar
			}
			fallthrough
		case !c.page || m.ratio >= 0 && (c.ratio < 0 || m.ratio < c.ratio):
			c.page, c.ratio = true, m.ratio
		}
	}
	var kept, broken, free, robots strings.Builder
	for at, c := range columns {
		if c.robots {
			fmt.Fprintf(&robots, "M%d %dV%d", at, drawBase+2, drawFoot)
		}
		if !c.page {
			continue
		}
		height := float64(min(c.ratio, 2)) * (drawBase - drawLine)
		switch {
		case c.ratio < 0:
			fmt.Fprintf(&free, "M%d %dV%d", at, drawBase, drawBase-6)
		case c.ratio < 1:
			fmt.Fprintf(&broken, "M%d %dV%.1fM%d %dv%d", at, drawBase, drawBase-max(height, 2), at, 0, drawFlag)
		default:
			fmt.Fprintf(&kept, "M%d %dV%.1f", at, drawBase, drawBase-height)
		}
	}
	d.Kept, d.Broken, d.Free, d.Robots = kept.String(), broken.String(), free.String(), robots.String()
}
