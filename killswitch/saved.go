package killswitch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	err = s.sync(nil, nil)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("the saved state %s is damaged: %w", filepath.Join(s.opts.StateDir, stopsFile), err)
	if !s.opts.StopAllOnCorrupt {
		s.closeState()
		return fmt.Errorf("killswitch: %w: a stop may be lost; repair or remove it, and make the stops anew", err)
	}
	s.standIn(corruptID, true, err.Error())
	s.alarm(s.opts.StateDir, err)
	return nil
}

func (s *Switch) closeState() error {
	if s.state == nil {
		return nil
	}
	return s.state.close()
}

// sync reads what others have written, writes what is new, and puts all of it in force in the order in which it stands on the disk. The error is of
// the reading or of the writing; records that were not written are not put in force.
func (s *Switch) sync(own []record, events []event) error {
	var fresh []*entry
	err := s.state.locked(func() error {
		recs, readErr := s.state.read()
		lifts := false
		for i := range own {
			own[i].own = true
			lifts = lifts || own[i].Op == "lift"
		}
		auditErr := s.state.appendAudit(events)
		if auditErr != nil && lifts { // a lift that leaves no trace does not happen
			fresh = s.apply(recs)
			return fmt.Errorf("the audit log cannot be written: %w", auditErr)
		}
		writeErr := s.state.append(own)
		if writeErr == nil {
			recs = append(recs, own...)
		}
		fresh = s.apply(recs)
		return errors.Join(readErr, writeErr, auditErr)
	})
	if len(fresh) > 0 {
		s.strike(nil, fresh...)
		for _, e := range fresh {
			s.log().Error("killswitch: stop", append(describe(e.rule), "source", e.source)...)
		}
	}
	return err
}

// apply puts records in force, and returns the rules that are new here. The caller holds state.mu, so that the order is that of the disk.
func (s *Switch) apply(recs []record) (fresh []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range recs {
		if r.Op == "lift" {
			s.dropMade(r)
			continue
		}
		key := r.ID
		if have := s.made[key]; have != nil && have.rule != *r.Rule { // two processes took one id at the same time: both rules count
			key += " " + madeUpID(*r.Rule)
		}
		if have := s.made[key]; have != nil {
			have.unsaved, have.failed = false, false
			continue
		}
		e := newEntry(*r.Rule, r.Source, r.Time)
		e.saved, e.applied = r.Proof, r.Applied
		if now := time.Now(); e.expired(now) {
			e.lifted, e.liftReason = e.rule.Until, "expired"
			s.remember(e)
			continue
		}
		s.made[key] = e
		s.publish(e)
		if !r.own {
			fresh = append(fresh, e)
		}
	}
	return fresh
}

// dropMade lifts a rule by its id. A stop of this process that is yet to be written comes after the lift. The caller holds mu.
func (s *Switch) dropMade(r record) {
	for key, e := range s.made {
		if e.rule.ID == r.ID && (r.own || !e.unsaved) {
			delete(s.made, key)
			s.retire(r.Reason, e)
		}
	}
}

// save writes a stop. It is in force already.
func (s *Switch) save(e *entry, actor string) error {
	p := s.flights.times(e)
	p.Cancelled = e.cancelled.Load()
	if s.state == nil {
		return nil
	}
	rec := record{Op: "stop", ID: e.rule.ID, Time: e.received, Applied: e.applied, Source: e.source, Rule: &e.rule, Proof: p}
	evs := []event{{Event: "rule.add", Actor: actor, Source: e.source, Rule: &e.rule}}
	if p.Cancelled > 0 {
		evs = append(evs, event{Event: "inflight.cancel", Source: e.source, Rule: &e.rule, Count: p.Cancelled})
	}
	err := s.sync([]record{rec}, evs)
	s.mu.Lock()
	unsaved := e.unsaved
	e.failed = unsaved
	s.mu.Unlock()
	if err != nil {
		s.alarm(s.opts.StateDir, err)
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
		s.apply([]record{rec})
		return nil
	}
	err := s.sync([]record{rec}, []event{{Event: "rule.lift", Actor: actor, Source: from, Rule: &e.rule, Detail: reason}})
	s.mu.Lock()
	lifted := !e.lifted.IsZero()
	s.mu.Unlock()
	if err != nil {
		s.alarm(s.opts.StateDir, err)
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
	var again []*entry
	s.mu.Lock()
	for _, e := range s.made {
		if e.failed {
			again = append(again, e)
		}
	}
	s.mu.Unlock()
	if len(again) == 0 && !s.state.grew() {
		return
	}
	err := s.sync(nil, nil)
	if s.opts.StopAllOnCorrupt && err != nil {
		s.standIn(corruptID, true, err.Error())
	}
	s.alarm(s.opts.StateDir, err)
	for _, e := range again {
		_ = s.save(e, "")
	}
}

// grew reports whether there may be something to read.
func (st *state) grew() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return false
	}
	info, err := os.Stat(st.stops.Name())
	return err != nil || info.Size() != st.offset
}
