package etiquette

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/progress"
	"github.com/collyetiquette/etiquette/throttle"
)

// Progress shows on w how the crawl goes until ctx ends, or the Guard or what it returns is closed. On a terminal it draws a line for each busy host in
// place, twice a second: how many requests wait, when the next may start, when the last will, and why they wait; those that take longest come first.
// Elsewhere, in a file, a pipe or on Windows, a line comes every five seconds, if there is anything new to say. At the end one line stays.
//
//	progress := guard.Progress(ctx, os.Stderr)
//	defer progress.Close()
//	log.SetOutput(progress) // log lines, slog's too, then stand above it
//
// What is written to it goes to w, whole lines above what is drawn. Close waits until the last line is written. With many hosts it is drawn less often,
// so that it never takes more than a fiftieth of one core.
func (g *Guard) Progress(ctx context.Context, w io.Writer) io.WriteCloser {
	p := progress.Start(ctx, w, progress.SizeOf(w), g.frame)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shown = append(slices.DeleteFunc(g.shown, (*progress.Progress).Ended), p)
	return p
}

func (g *Guard) closeProgress() {
	g.mu.Lock()
	all := g.shown
	g.shown = nil
	g.mu.Unlock()
	for _, p := range all {
		_ = p.Close() // it has nothing that could fail
	}
}

// frame is how the crawl stands now.
func (g *Guard) frame(most int) progress.Frame {
	stats, totals := g.Throttle.Stats(), g.Report.Totals()
	f := progress.Frame{
		Now: time.Now(), UnderWay: stats.InFlight, Waiting: stats.Waiting + stats.Queued,
		Sent: totals.Requests, Skipped: totals.Skipped, Broken: totals.Broken,
	}
	hosts, all := g.Throttle.Busy(most)
	f.Hosts = all
	for i := range hosts {
		row := rowOf(&hosts[i], f.Now)
		f.Rows = append(f.Rows, row)
		if row.Done.After(f.Done) {
			f.Done = row.Done
		}
	}
	return f
}

// rowOf is a host's line.
func rowOf(s *throttle.Snapshot, now time.Time) progress.Row {
	r := progress.Row{Host: s.Host, UnderWay: s.InFlight, Waiting: s.Waiting + s.Queued, Next: s.NextStart, Done: s.ETA}
	if s.Parked != "" {
		r.Held = true
		r.Why = "parked: " + strings.ReplaceAll(string(s.Parked), "_", " ")
		if s.Until.After(now) {
			r.Why += ", until " + s.Until.Format("2 Jan 15:04:05")
		}
		return r
	}
	var why []string
	switch {
	case r.Waiting == 0:
	case s.Source == throttle.FromBlock:
		why = append(why, "blocked by 429 or 503")
	case s.Interval <= 0:
		why = append(why, "no interval")
	case s.Source == throttle.FromCrawlDelay:
		why = append(why, "crawl delay "+s.Interval.String())
	default:
		why = append(why, "interval "+s.Interval.String())
	}
	if s.InFlight > 0 {
		why = append(why, strconv.Itoa(s.InFlight)+" under way")
	}
	r.Why = strings.Join(why, ", ")
	return r
}
