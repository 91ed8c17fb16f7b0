package killswitch

import "log/slog"

func (s *Switch) log() *slog.Logger { return s.layer.Log() }

// alarm tells once that something is wrong; err nil: it is well again.
func (s *Switch) alarm(about string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	s.mu.Lock()
	before := s.told[about]
	s.told[about] = text
	s.mu.Unlock()
	if before == text {
		return
	}
	if err == nil {
		s.log().Warn("killswitch: well again", "about", about)
		return
	}
	s.log().Error("killswitch: alarm", "about", about, "err", err)
	s.calls.alarm(s.opts.OnAlarm, err)
}

// maxTold is how many rules that come or go at once are logged one by one.
const maxTold = 100

// tellStops logs rules that came into force. from is their source, or empty where they have several.
func (s *Switch) tellStops(from Source, es []*entry) {
	if len(es) > maxTold {
		s.log().Error("killswitch: stop", "rules", len(es), "source", from)
		return
	}
	for _, e := range es {
		s.log().Error("killswitch: stop", append(describe(e.rule), "source", e.source)...)
	}
}

func describe(r Rule) []any {
	attrs := []any{"rule", r.ID, "scope", r.Scope(), "action", r.Action, "reason", r.Reason}
	if r.Ticket != "" {
		attrs = append(attrs, "ticket", r.Ticket)
	}
	if !r.Until.IsZero() {
		attrs = append(attrs, "until", r.Until)
	}
	return attrs
}
