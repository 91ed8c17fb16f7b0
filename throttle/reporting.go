package throttle

import (
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// This file is where the throttle meets Options.Report: what is sent is measured there against what was promised, and what holds a host back is noted. It
// is told with no lock held.

// reportSent tells of a request that was handed over. It is called by whoever sends it.
func (t *Throttle) reportSent(tn *Turn) {
	r := t.teller.Report
	if r == nil {
		return
	}
	p := tn.promise
	r.Sent(report.Request{
		Host: tn.gate.host.name, Time: t.wall(tn.sentAt), Interval: p.interval, Source: p.source, CrawlDelay: p.crawlDelay,
		Robots: tn.robots, Secure: tn.url.Scheme == "https",
	})
}

// source says where the interval comes from. The caller holds the lock.
func (g *gate) source() report.Source {
	switch {
	case g.host.crawlDelay() > g.pace().delay:
		return report.FromCrawlDelay
	case g.pace().explicit:
		return report.FromRule
	}
	return report.FromDefault
}

// reportEnd tells how a request ended.
func (t *Throttle) reportEnd(tn *Turn, status int) {
	if r := t.teller.Report; r != nil {
		a := report.Answer{Host: tn.gate.host.name, Status: status}
		if tn.hop != nil {
			a.Bytes = tn.hop.BodyBytes()
		}
		r.Ended(a)
	}
}

// reportHold tells of a block, or that a host was parked.
func (t *Throttle) reportHold(e event, status int) {
	r := t.teller.Report
	if r == nil || e.what == "" {
		return
	}
	r.Hold(e.host, report.Hold{Reason: e.reason, Until: t.wall(e.until), Status: status})
}

// reportParked tells of a host whose crawl delay is too long, which no answer led to.
func (t *Throttle) reportParked(err error) {
	r := t.teller.Report
	if e, ok := err.(*Error); ok && r != nil && e.Reason == report.CrawlDelayTooLong {
		r.Hold(e.Host, report.Hold{Reason: e.Reason, Until: e.RetryAt})
	}
}

// reportLift tells that a person ended what held a host back.
func (t *Throttle) reportLift(host string) {
	if r := t.teller.Report; r != nil {
		r.Lift(host, report.RateLimited, report.AccessDenied, report.CrawlDelayTooLong)
	}
}

// describe fills in how a host stands now.
func (t *Throttle) describe(h *report.Host) {
	s, ok := t.Snapshot(h.Host)
	if !ok {
		return
	}
	h.Waiting, h.InFlight, h.NextStart = s.Waiting+s.Queued, s.InFlight, s.NextStart
	if h.Waiting > 0 {
		start := s.NextStart
		if start.IsZero() {
			start = time.Now()
		}
		h.ETA = start.Add(time.Duration(h.Waiting-1) * s.Interval)
	}
	if s.Source != FromBlock {
		h.Interval = s.Interval
		if s.Source == FromCrawlDelay {
			h.Source = report.FromCrawlDelay
		}
	}
	switch {
	case s.Parked != "":
		h.Held = report.Hold{Reason: s.Parked, Until: s.Until}
	case !s.Until.IsZero():
		h.Held = report.Hold{Reason: report.RateLimited, Until: s.Until}
	}
}
