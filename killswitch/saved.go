package killswitch

import (
	"errors"
	"fmt"
	"time"
)

// corruptID is the rule that stops everything when the saved state is damaged.
const corruptID = "state-corrupt"

// openState brings back what StateDir holds.
func (s *Switch) openState() error {
	if s.opts.StateDir == "" {
		return nil
	}
	st, err := openState(s.opts.StateDir)
	if err != nil {
		return fmt.Errorf("killswitch: Options.StateDir %s cannot be used: %w", s.opts.StateDir, err)
	}
	s.state = st
	err = s.sync(lockPatience, nil)
	if err == nil {
		return nil
	}
	if !errors.Is(err, errDamaged) {
		s.closeState()
		return fmt.Errorf("killswitch: Options.StateDir cannot be used: %w", err)
	}
	err = fmt.Errorf("the saved state %s: %w", st.path(stopsFile), err)
	if !s.opts.StopAllOnCorrupt {
		s.closeState()
		return fmt.Errorf("killswitch: %w: a stop may be lost; repair or remove it with %s, and make the stops anew", err, sizeFile)
	}
	s.standIn(corruptID, true, err.Error())
	s.alarmState(s.opts.StateDir, err)
	return nil
}

func (s *Switch) closeState() error {
	if s.state == nil {
		return nil
	}
	return s.state.close()
}

// sync reads what others have written and puts it in force, then writes what own says is to be written, and puts that in force: in the order in which it
// stands on the disk. own may be nil; it is called under the lock, with all that others wrote in force. The error is of the reading or of the
// writing; records that were not written are not put in force.
func (s *Switch) sync(patience time.Duration, own func() ([]record, []event)) error {
	var fresh []*entry
	err := s.state.locked(patience, func() error {
		recs, whole, readErr := s.state.read()
		if readErr != nil {
			readErr = fmt.Errorf("%w: %w", errDamaged, readErr)
		}
		fresh = s.apply(recs, whole)
		var mine []record
		var events []event
		if own != nil {
			mine, events = own()
		}
		lifts := false
		for i := range mine {
			mine[i].own = true
			lifts = lifts || mine[i].Op == "lift"
		}
		auditErr := s.state.appendAudit(events)
		if auditErr != nil {
			auditErr = fmt.Errorf("the audit log cannot be written: %w", auditErr)
			if !lifts {
				s.state.hold(events)
			}
		}
		if auditErr != nil && lifts || errors.Is(readErr, errReplaced) { // a lift that leaves no trace does not happen
			return errors.Join(readErr, auditErr)
		}
		writeErr := s.state.append(mine)
		if writeErr == nil {
			fresh = append(fresh, s.apply(mine, false)...)
			if readErr == nil {
				s.state.fold()
			}
		}
		return errors.Join(readErr, writeErr, auditErr)
	})
	if len(fresh) > 0 {
		s.strike(nil, fresh...)
		s.tellStops("", fresh)
		s.lookHowWide(fresh...)
	}
	return err
}

// apply puts records in force, and returns the rules that are new here. whole: what is not among them was lifted elsewhere. The caller holds state.mu, so
// that the order is that of the disk.
func (s *Switch) apply(recs []record, whole bool) (fresh []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for _, r := range recs {
		if r.Op == "lift" {
			s.dropMade(r)
			continue
		}
		if have := s.findMade(*r.Rule); have != nil {
			have.unsaved, have.failed = false, false
			continue
		}
		e := newEntry(*r.Rule, r.Source, r.Time)
		e.saved, e.applied = r.Proof, r.Applied
		if e.expired(now) { // the clock may be wrong, so it is kept like those that expire while we run
			e.over(now)
		}
		s.addMade(e)
		s.publish(e)
		if !r.own && !e.expired(now) {
			fresh = append(fresh, e)
		}
	}
	if whole { // last, so that no rule is out of force for a moment
		s.keepOnly(recs)
	}
	return fresh
}

// keepOnly lifts the saved rules that a file which was put together anew no longer has. The caller holds mu.
func (s *Switch) keepOnly(recs []record) {
	said := make(map[Rule]bool, len(recs))
	for _, r := range recs {
		if r.Op == "stop" {
			said[*r.Rule] = true
		}
	}
	for id := range s.made {
		s.takeOut(id, "lifted by another process", func(e *entry) bool { return !e.unsaved && !said[e.rule] })
	}
}

// dropMade lifts the rules of an id. A stop of this process that is yet to be written comes after the lift. The caller holds mu.
func (s *Switch) dropMade(r record) {
	s.takeOut(r.ID, r.Reason, func(e *entry) bool { return r.own || !e.unsaved })
}

// stopRecord is what is written of a stop.
func (s *Switch) stopRecord(e *entry, actor string) (record, []event) {
	p := s.flights.times(e)[e]
	p.Cancelled = e.cancelled.Load()
	rec := record{Op: "stop", ID: e.rule.ID, Time: e.received, Applied: e.applied, Source: e.source, Rule: &e.rule, Proof: p}
	events := []event{{Event: "rule.add", Actor: actor, Source: e.source, Rule: &e.rule}}
	if p.Cancelled > 0 {
		events = append(events, event{Event: "inflight.cancel", Source: e.source, Rule: &e.rule, Count: p.Cancelled})
	}
	return rec, events
}

// save writes a stop. It is in force already.
func (s *Switch) save(e *entry, actor string) error {
	if s.state == nil {
		return nil
	}
	rec, events := s.stopRecord(e, actor)
	err := s.sync(lockPatience, func() ([]record, []event) { return []record{rec}, events })
	var busy *errBusy
	if errors.As(err, &busy) {
		s.state.mu.Lock()
		s.state.hold(events)
		s.state.mu.Unlock()
	}
	s.mu.Lock()
	unsaved := e.unsaved
	e.failed = unsaved
	s.mu.Unlock()
	if err != nil {
		s.alarmState(s.opts.StateDir, err)
	}
	if unsaved {
		return fmt.Errorf("%w: rule %s is in force, but will not be after a restart: %v", ErrNotSaved, e.rule.ID, err)
	}
	return nil
}

// saveAgain is save for a rule that is asked for a second time.
func (s *Switch) saveAgain(e *entry, actor string) error {
	s.mu.Lock()
	unsaved := e.unsaved
	s.mu.Unlock()
	if !unsaved {
		return nil
	}
	return s.save(e, actor)
}

// saveLift writes a lift and then lets it happen.
func (s *Switch) saveLift(e *entry, reason string, from Source, actor string) error {
	rec := record{Op: "lift", ID: e.rule.ID, Time: time.Now(), Source: from, Reason: reason, own: true}
	if s.state == nil {
		s.apply([]record{rec}, false)
		return nil
	}
	err := s.sync(lockPatience, func() ([]record, []event) {
		return []record{rec}, []event{{Event: "rule.lift", Actor: actor, Source: from, Rule: &e.rule, Detail: reason}}
	})
	s.mu.Lock()
	lifted := !e.lifted.IsZero()
	s.mu.Unlock()
	if err != nil {
		s.alarmState(s.opts.StateDir, err)
	}
	if !lifted {
		return fmt.Errorf("%w: rule %s stays in force: %v", ErrNotSaved, e.rule.ID, err)
	}
	return nil
}

// lookAtState takes over what other processes wrote, and tries again to write what the disk did not take.
func (s *Switch) lookAtState() {
	if s.state == nil {
		return
	}
	if len(s.failedSaves()) == 0 && !s.state.grew() {
		return
	}
	err := s.sync(watchPatience, func() (recs []record, events []event) {
		for _, e := range s.failedSaves() {
			rec, _ := s.stopRecord(e, "") // the log has it
			recs = append(recs, rec)
		}
		return recs, nil
	})
	if s.opts.StopAllOnCorrupt && errors.Is(err, errDamaged) {
		s.standIn(corruptID, true, err.Error())
	}
	s.alarmState(s.opts.StateDir, err)
}
