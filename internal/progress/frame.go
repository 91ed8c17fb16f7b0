package progress

import (
	"fmt"
	"strings"
	"time"
)

// Frame is how the crawl stands at one moment.
type Frame struct {
	Now               time.Time
	UnderWay, Waiting int       // requests, over all hosts; those that are queued wait
	Sent, Skipped     int       // so far
	Broken            int       // promises that were broken
	Done              time.Time // about when the last of those that wait will start; zero: not known
	Rows              []Row     // of the hosts that matter most
	Hosts             int       // that are busy, Rows included
}

// Row is one host.
type Row struct {
	Host              string
	UnderWay, Waiting int
	Next              time.Time // when the next request may start; not later than Frame.Now: now, or after what is under way
	Held              bool      // it is left alone, and Next says nothing
	Why               string    // why it waits
	Done              time.Time // as in Frame
}

// head is the frame in one line.
func (f *Frame) head() string {
	parts := []string{number(f.UnderWay) + " under way", number(f.Waiting) + " wait", number(f.Sent) + " sent", number(f.Skipped) + " skipped"}
	if f.Broken > 0 {
		parts = append(parts, number(f.Broken)+" PROMISES BROKEN")
	}
	if f.Waiting > 0 && !f.Done.IsZero() {
		parts = append(parts, "done about "+clock(f.Done, f.Now))
	}
	return "etiquette: " + strings.Join(parts, ", ")
}

// Line is the frame where lines follow each other, in a log say.
func (f *Frame) Line() string {
	if len(f.Rows) == 0 {
		return f.head()
	}
	r := &f.Rows[0]
	line := f.head() + "; " + escape(r.Host) + ": "
	if r.Waiting > 0 {
		line += number(r.Waiting) + " wait, next " + r.next(f.Now) + ", "
	}
	line += escape(r.Why)
	switch more := f.Hosts - 1; {
	case more == 1:
		line += "; and 1 more host"
	case more > 1:
		line += "; and " + number(more) + " more hosts"
	}
	return line
}

// Lines are the frame for a terminal, each shorter than width and at most height of them.
func (f *Frame) Lines(width, height int) []string {
	lines := []string{f.head()}
	rows := f.Rows
	if room := height - 3; len(rows) > room { // the head, the names of the columns, "and more"
		rows = rows[:max(room, 0)]
	}
	if len(rows) > 0 {
		lines = append(lines, f.columns(rows)...)
	}
	switch more := f.Hosts - len(rows); {
	case more == 1:
		lines = append(lines, "  and 1 more host")
	case more > 1:
		lines = append(lines, "  and "+number(more)+" more hosts")
	}
	for i := range lines {
		lines[i] = cut(lines[i], width-1) // a full line would wrap
	}
	return lines[:min(len(lines), max(height, 1))]
}

// mostName is how much of a host's name is shown.
const mostName = 32

// columns is a table of hosts. What is longest, and may be cut, stands last.
func (f *Frame) columns(rows []Row) []string {
	name := len("HOST")
	for i := range rows {
		name = max(name, columnsOf(shortName(rows[i].Host)))
	}
	format := func(host, waiting, next, done, why string) string {
		pad := strings.Repeat(" ", max(name-columnsOf(host), 0))
		return strings.TrimRight(fmt.Sprintf("  %s%s %7s  %-9s  %-10s  %s", host, pad, waiting, next, done, why), " ")
	}
	lines := []string{format("HOST", "WAIT", "NEXT", "DONE", "WHY")}
	for i := range rows {
		r := &rows[i]
		done := ""
		if !r.Done.IsZero() {
			done = clock(r.Done, f.Now)
		}
		lines = append(lines, format(shortName(r.Host), number(r.Waiting), r.next(f.Now), done, escape(r.Why)))
	}
	return lines
}

// shortName keeps the end of a long name, which says whose it is.
func shortName(host string) string {
	host = escape(host)
	c := []rune(host)
	if len(c) <= mostName {
		return host
	}
	return "…" + string(c[len(c)-mostName+1:])
}

// next is when the next request may start.
func (r *Row) next(now time.Time) string {
	switch {
	case r.Held:
		return "held"
	case r.Waiting == 0:
		return ""
	case !r.Next.After(now) && r.UnderWay > 0:
		return "after"
	case !r.Next.After(now):
		return "now"
	}
	return "in " + until(r.Next.Sub(now))
}
