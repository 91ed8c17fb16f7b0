package collyrobots

import (
	"strconv"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// describe fills in what memory knows of a host's robots.txt: of its two origins on the default ports, the one that was asked last.
func (r *Robots) describe(h *report.Host) {
	var best *site
	for _, s := range r.cache.ofHost(h.Host) {
		if s.state.Load() != nil && (best == nil || s.used.Load() > best.used.Load()) {
			best = s
		}
	}
	if best == nil {
		return
	}
	st := best.state.Load()
	switch sd := st.at(time.Now(), &r.options); {
	case sd == rulesHold:
		h.RobotsClass, h.RobotsFetchedAt = string(ClassRules), st.copy.FetchedAt
	case st.failure != nil:
		h.RobotsClass, h.RobotsFetchedAt = string(st.failure.Class), st.failure.At
		if sd == allAllowed {
			h.WithoutRules = st.failure.Cause
		}
	}
	r.unruled.mu.Lock()
	if u, ok := r.unruled.m[best.origin.String()]; ok {
		h.WithoutRules = u.Why
	}
	r.unruled.mu.Unlock()
	if rt := best.route.Load(); rt != nil && st.copy != nil {
		if rules := st.copy.known(rt.crawler.token); rules != nil {
			h.Signals = append(h.Signals, signalLines(r.signalsIn(st, best.origin, rt.crawler.token, homePage))...)
		}
	}
}

// mostSignalLines bounds what a report shows of one host.
const mostSignalLines = 10

// signalLines is what a robots.txt says of uses, a line each, as it is written there.
func signalLines(s Signals) []string {
	var lines []string
	for i, raw := range s.Raw {
		if i == mostSignalLines {
			return append(lines, strconv.Itoa(len(s.Raw)-i)+" more")
		}
		lines = append(lines, "robots.txt line "+strconv.Itoa(raw.Line)+": "+raw.Raw)
	}
	return lines
}
