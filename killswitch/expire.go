package killswitch

import "time"

// keepOver is for how long a rule is kept that has ended by itself. Clocks are set wrong and set right again, and no stop may be lost by that; so a rule
// is forgotten only when the clock has said for an hour that it is over.
const keepOver = time.Hour

// expired reports whether the rule is over by the clock on the wall, which is what people mean by a date.
func (e *entry) expired(now time.Time) bool {
	return !e.rule.Until.IsZero() && !now.Before(e.rule.Until)
}

// over notes that the rule has ended by itself. The caller holds mu, or is alone with the entry.
func (e *entry) over(now time.Time) {
	e.overSince, e.lifted, e.liftReason = now, e.rule.Until, "expired"
}

// notOver takes that back. The caller holds mu.
func (e *entry) notOver() {
	e.overSince, e.lifted, e.liftReason = time.Time{}, time.Time{}, ""
}

// rulesVersion changes whenever a rule comes into force, is lifted or expires.
func (s *Switch) rulesVersion() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); !s.nextEnd.IsZero() && !now.Before(s.nextEnd) {
		s.index.version.Add(1)
		s.findNextEnd(now)
	}
	return s.index.version.Load()
}

// noteEnd keeps nextEnd the first moment at which a rule expires. The caller holds mu.
func (s *Switch) noteEnd(e *entry, now time.Time) {
	if end := e.rule.Until; end.After(now) && (s.nextEnd.IsZero() || end.Before(s.nextEnd)) {
		s.nextEnd = end
	}
}

// findNextEnd is noteEnd for all rules. The caller holds mu.
func (s *Switch) findNextEnd(now time.Time) {
	s.nextEnd = time.Time{}
	for e := range s.timed {
		s.noteEnd(e, now)
	}
}

// expire sees which rules are over. They cover nothing from that moment on, so this only tells it, and forgets those that have been over for long.
func (s *Switch) expire(now time.Time) {
	var over, back, old []*entry
	s.mu.Lock()
	for e := range s.timed {
		switch {
		case !e.expired(now):
			if !e.overSince.IsZero() {
				e.notOver()
				back = append(back, e)
			}
		case e.overSince.IsZero():
			e.over(now)
			over = append(over, e)
		case now.Sub(e.overSince) >= keepOver && s.isMade(e):
			old = append(old, e)
		}
	}
	if len(over)+len(back) > 0 {
		s.index.version.Add(1)
		s.findNextEnd(now)
		s.changed()
	}
	s.mu.Unlock()

	if len(back) > 0 {
		s.strike(nil, back...)
	}
	var events []event
	for _, e := range back {
		s.log().Error("killswitch: stop", append(describe(e.rule), "source", e.source, "why", "the clock was set back")...)
		events = append(events, event{Event: "rule.add", Source: e.source, Rule: &e.rule, Detail: "the clock was set back"})
	}
	for _, e := range over {
		s.log().Info("killswitch: expired", describe(e.rule)...)
		events = append(events, event{Event: "rule.expire", Source: e.source, Rule: &e.rule})
	}
	s.audit(events...)
	if len(old) > 0 {
		s.forget(now, old)
	}
}

// forget lifts rules that have long been over, so that nothing of them is kept.
func (s *Switch) forget(now time.Time, old []*entry) {
	lifts := func() ([]record, []event) {
		var recs []record
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range old {
			if s.allOver(e.rule.ID, now) {
				recs = append(recs, record{Op: "lift", ID: e.rule.ID, Time: now, Source: FromAutomatic, Reason: "expired"})
			}
		}
		return recs, nil
	}
	if s.state == nil {
		recs, _ := lifts()
		s.apply(recs, false)
		return
	}
	if err := s.sync(watchPatience, lifts); err != nil {
		s.mu.Lock()
		for _, e := range old {
			e.overSince = now // later
		}
		s.mu.Unlock()
		s.alarmState(s.opts.StateDir, err)
	}
}

// allOver reports whether all rules of an ID have long been over, so that a lift of the ID lifts nothing that is in force. The caller holds mu.
func (s *Switch) allOver(id string, now time.Time) bool {
	for _, e := range s.made[id] {
		if !e.expired(now) || e.overSince.IsZero() || now.Sub(e.overSince) < keepOver {
			return false
		}
	}
	return len(s.made[id]) > 0
}
