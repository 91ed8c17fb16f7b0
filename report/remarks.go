package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// remark is something about a host that a person should see.
type remark struct {
	Kind string // "bad": a promise was broken; "held": it is or was left alone; "note": the rest
	Text string
}

// remarks are what is to be said of a host, the worst first. A host that is well has none.
func (h *Host) remarks(now time.Time) []remark {
	var out []remark
	add := func(kind, format string, args ...any) {
		out = append(out, remark{kind, shorten(clean(fmt.Sprintf(format, args...)), 300)})
	}
	if h.Broken > 0 {
		add("bad", "%s broken", several(h.Broken, "promise"))
	}
	if h.Held.Reason != "" {
		add("held", "%s", h.Held.sentence(now))
	}
	past := func(n int, is bool, format string) {
		if n > 1 || n == 1 && !is { // the one in force is said already
			add("held", format, times(n))
		}
	}
	blocked, stopped := h.Held.Reason == RateLimited, h.Held.Reason == Stopped
	past(h.Blocks, blocked, "blocked %s by 429 or 503")
	past(h.Stops, stopped, "stopped %s")
	past(h.Parkings, h.Held.Reason != "" && !blocked && !stopped, "parked %s")
	if h.RobotsClass == "unreachable" {
		add("held", "robots.txt unreachable")
	}
	if h.WithoutRules != "" {
		add("note", "crawled without rules: %s", h.WithoutRules)
	}
	if h.Waiting > 0 && !h.ETA.IsZero() {
		add("note", "%s wait, the last starts about %s", several(h.Waiting, "request"), clock(h.ETA, now))
	} else if h.Waiting > 0 {
		add("note", "%s wait", several(h.Waiting, "request"))
	}
	if h.BrowserLike {
		add("note", "gets a User-Agent like a browser's")
	}
	for _, s := range h.Signals {
		add("note", "signal: %s", s)
	}
	for _, s := range h.Notes {
		add("note", "%s", s)
	}
	return out
}

// sentence says what holds the host back, since when and until when.
func (h *Hold) sentence(now time.Time) string {
	text := h.what()
	if !h.From.IsZero() {
		text += " since " + clock(h.From, now)
	}
	if h.Until.IsZero() {
		text += ", until it is lifted"
	} else {
		text += ", until " + clock(h.Until, now)
	}
	return text + h.why()
}

// history says when the host was held back.
func (h *Hold) history(now time.Time) string {
	text := clock(h.From, now)
	if !h.Until.IsZero() {
		text += " to " + clock(h.Until, now)
	}
	return text + ": " + h.what() + h.why()
}

func (h *Hold) what() string {
	switch h.Reason {
	case RateLimited:
		return "blocked"
	case Stopped:
		return "stopped"
	}
	return "parked (" + string(h.Reason) + ")"
}

func (h *Hold) why() string {
	text := ""
	if h.Status > 0 {
		text += ", for a " + strconv.Itoa(h.Status)
	}
	if h.Detail != "" {
		text += ": " + h.Detail
	}
	return text
}

// robots is the class of the host's robots.txt and its age.
func (h *Host) robots(now time.Time) string {
	if h.RobotsClass == "" {
		return ""
	}
	if h.RobotsFetchedAt.IsZero() {
		return clean(h.RobotsClass)
	}
	return clean(h.RobotsClass) + ", " + span(now.Sub(h.RobotsFetchedAt)) + " old"
}

// promised is the interval and where it comes from.
func (h *Host) promised() string {
	if h.Interval <= 0 {
		return ""
	}
	if h.Source == "" {
		return span(h.Interval)
	}
	return span(h.Interval) + " " + h.Source.plain()
}

// gap is a gap that was kept; empty if none was measured.
func (h *Host) gap(d time.Duration) string {
	if h.Gaps == 0 {
		return ""
	}
	return span(d)
}

// worstFirst sorts by what a person should look at first.
func worstFirst(hosts []Host) {
	slices.SortFunc(hosts, func(a, b Host) int {
		return cmp.Or(
			cmp.Compare(b.Broken, a.Broken),
			cmp.Compare(b.trouble(), a.trouble()),
			cmp.Compare(b.Blocks+b.Stops+b.Parkings, a.Blocks+a.Stops+a.Parkings),
			cmp.Compare(b.Requests, a.Requests),
			cmp.Compare(b.Skipped, a.Skipped),
			cmp.Compare(a.Host, b.Host))
	})
}

// trouble counts the kinds of trouble that a host has, the graver ones double.
func (h *Host) trouble() int {
	n := 0
	if h.Held.Reason != "" {
		n += 4
	}
	if h.RobotsClass == "unreachable" {
		n += 2
	}
	if h.Blocks+h.Stops+h.Parkings > 0 {
		n += 2
	}
	if h.WithoutRules != "" {
		n++
	}
	return n
}
