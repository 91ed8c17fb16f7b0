package killswitch

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// SiteReport is what can be told to a site's owner about a rule: what was done, and when. Times are of this process, and of what StateDir kept of others.
type SiteReport struct {
	Rule   Rule   `json:"rule"`
	Source Source `json:"source"`
	// Received is when the rule was asked for or first read, Applied when it was in force.
	Received time.Time `json:"received"`
	Applied  time.Time `json:"applied"`
	// LastRequest is when the last request that was answered, or may have arrived, was sent to the hosts of the rule, LastByte when the last answer
	// from them ended. Zero: there was none. For a rule with a Path they are those of the whole host.
	LastRequest time.Time `json:"last_request,omitzero"`
	LastByte    time.Time `json:"last_byte,omitzero"`
	// Cancelled is the number of requests under way that were ended, Purged that of those taken out of a queue by FilterStorage, Refused that of
	// requests refused since.
	Cancelled int64 `json:"cancelled"`
	Purged    int64 `json:"purged"`
	Refused   int64 `json:"refused"`
	// Observed is what a rule with the action Observe would have refused.
	Observed int64 `json:"observed,omitempty"`
	// Lifted is when the rule went out of force. Zero: it has not.
	Lifted     time.Time `json:"lifted,omitzero"`
	LiftReason string    `json:"lift_reason,omitempty"`
}

// Report tells about a rule by its ID, for as long as it is in force and for some time afterwards.
func (s *Switch) Report(id string) (SiteReport, error) {
	s.use()
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.reported(id)
	if e == nil {
		return SiteReport{}, fmt.Errorf("%w: %q", errNoRule, id)
	}
	p := e.saved
	if e.lifted.IsZero() || !e.overSince.IsZero() {
		p = p.later(s.flights.times(e)[e])
	}
	return SiteReport{Rule: e.rule, Source: e.source, Received: e.received, Applied: e.applied, LastRequest: p.LastRequest, LastByte: p.LastByte,
		Cancelled: e.saved.Cancelled + e.cancelled.Load(), Purged: e.purged.Load(), Refused: e.refused.Load(), Observed: e.observed.Load(),
		Lifted: e.lifted, LiftReason: e.liftReason}, nil
}

// reported finds a rule, those in force first. The caller holds mu.
func (s *Switch) reported(id string) *entry {
	var over *entry
	for e := range s.entries() {
		if e.rule.ID != id {
			continue
		}
		if e.overSince.IsZero() {
			return e
		}
		over = e
	}
	if over != nil {
		return over
	}
	for i := len(s.past) - 1; i >= 0; i-- {
		if s.past[i].rule.ID == id {
			return s.past[i]
		}
	}
	return nil
}

// String is the report as text, to be sent as it is.
func (r SiteReport) String() string {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-13s %s\n", name+":", value) }
	at := func(t time.Time) string {
		if t.IsZero() {
			return "none"
		}
		return t.UTC().Format("2006-01-02 15:04:05.000 UTC")
	}
	line("rule", fmt.Sprintf("%s, %s %s", r.Rule.ID, r.Rule.Action, r.Rule.Scope()))
	line("reason", oneLine(r.Rule.Reason))
	if r.Rule.Ticket != "" {
		line("ticket", oneLine(r.Rule.Ticket))
	}
	line("received", at(r.Received))
	line("applied", at(r.Applied))
	line("last request", at(r.LastRequest))
	line("last byte", at(r.LastByte))
	line("cancelled", fmt.Sprintf("%d under way", r.Cancelled))
	line("purged", fmt.Sprintf("%d queued", r.Purged))
	line("refused", fmt.Sprintf("%d since", r.Refused))
	if r.Rule.Action == Observe {
		line("observed", fmt.Sprintf("%d that a stop would have refused", r.Observed))
	}
	switch {
	case !r.Lifted.IsZero():
		line("lifted", at(r.Lifted)+", "+oneLine(r.LiftReason))
	case r.Rule.Until.IsZero():
		line("until", "a person lifts it")
	default:
		line("until", at(r.Rule.Until))
	}
	return b.String()
}

// oneLine keeps a text from looking like lines of the report, and from doing something to the terminal that it is shown on.
func oneLine(s string) string {
	printable := func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}
	return strings.Map(printable, strings.Join(strings.Fields(s), " "))
}
