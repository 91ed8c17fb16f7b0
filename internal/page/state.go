package page

import (
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// state is how a host stands, in a word. Of several that hold, the last of these counts but for quiet.
type state string

const (
	quiet   state = "quiet"   // nothing is under way and nothing waits
	waiting state = "waiting" // requests wait for their turn
	active  state = "active"  // a request is under way
	blocked state = "blocked" // a 429 or 503 earned it
	parked  state = "parked"  // it is left alone for another reason
	stopped state = "stopped" // a person stopped it
)

// states are all of them, in the order in which they are offered.
var states = []state{active, waiting, blocked, parked, stopped, quiet}

func stateOf(h *report.Host) state {
	switch {
	case h.Held.Reason == report.Stopped:
		return stopped
	case h.Held.Reason == report.RateLimited:
		return blocked
	case h.Held.Reason != "":
		return parked
	case h.InFlight > 0:
		return active
	case h.Waiting > 0:
		return waiting
	}
	return quiet
}

// holds reports whether a host in this state is not asked until something has passed.
func (s state) holds() bool { return s == blocked || s == parked || s == stopped }

// whyHeld is why for what holds a host back now.
func whyHeld(h *report.Host) string {
	hold := h.Held
	if n := len(h.Holds); n > 0 && hold.Status == 0 && h.Holds[n-1].Reason == hold.Reason {
		hold.Status = h.Holds[n-1].Status // who says what holds now may not know which answer led to it
	}
	return why(&hold)
}

// why says what holds a host back, in a few words. Until when is told beside it.
func why(h *report.Hold) string {
	switch h.Reason {
	case "":
		return ""
	case report.RateLimited:
		if h.Status > 0 {
			return "it answered " + number(h.Status)
		}
		return "it answered 429 or 503"
	case report.Stopped:
		return short(h.Detail, 200)
	case report.CrawlDelayTooLong:
		return "its crawl delay is longer than this crawl accepts"
	case report.AccessDenied:
		return "it keeps saying no"
	case report.Budget:
		return "the crawl has sent all that it may"
	}
	return short(string(h.Reason)+" "+h.Detail, 200)
}

// pace is the interval that a host gets, and where it comes from.
type pace struct {
	Interval string
	Source   string
}

func paceOf(h *report.Host) pace {
	p := pace{Interval: span(h.Interval)}
	switch {
	case h.Interval <= 0 && h.Source == "":
		return pace{}
	case h.Interval <= 0:
		p.Interval = "no gap"
	}
	switch h.Source {
	case report.FromCrawlDelay:
		p.Source = "Crawl-delay"
	case report.FromRule:
		p.Source = "rule"
	case report.FromDefault:
		p.Source = "default"
	case report.FromBlock:
		p.Source = "block"
	}
	return p
}

// robotsOf is the class of a host's robots.txt, in words.
func robotsOf(h *report.Host) string {
	switch {
	case h.RobotsClass == "":
		return "not known"
	case h.RobotsClass == "rules" && h.WithoutRules != "":
		return "no rules"
	}
	return short(h.RobotsClass, 40)
}

// nextStart is when the host may be asked next. The zero time: now, or for one that is held back not by itself.
func nextStart(h *report.Host) time.Time {
	if h.Held.Reason != "" {
		return h.Held.Until
	}
	return h.NextStart
}
