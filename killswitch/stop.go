package killswitch

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
)

var (
	errConflict = errors.New("killswitch: the id is in use for another rule")
	errNoRule   = errors.New("killswitch: no such rule")
)

// Stop puts a rule in force and returns its ID. When it returns, no new request that the rule covers starts: what waited is woken and refused,
// and with the action Stop what was under way has been ended. It waits for that and for the disk, a fraction of a second; the rule is in
// force before.
//
// A rule that is not usable is an error and changes nothing. The same rule under the same ID again is a no-op; another under the same ID is an error.
// With an ID and an error that matches ErrNotSaved, the rule is in force but was not written to StateDir.
func (s *Switch) Stop(r Rule) (id string, err error) {
	s.use()
	e, _, err := s.stop(r, FromCode, "", nil)
	if e == nil {
		return "", err
	}
	return e.rule.ID, err
}

// stop makes a rule. fresh is false if it was in force already. but is a hop that it does not end.
func (s *Switch) stop(r Rule, from Source, actor string, but *chain.Hop) (e *entry, fresh bool, err error) {
	now := time.Now()
	if r, err = s.usable(r, now); err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	if have := s.findMade(r); have != nil {
		s.mu.Unlock()
		return have, false, s.saveAgain(have, actor)
	}
	if have := s.inForce(r.ID, now); have != nil {
		s.mu.Unlock()
		return nil, false, fmt.Errorf("%w: %q stops %s: lift it first, or take another id", errConflict, r.ID, have.rule.Scope())
	}
	e = newEntry(r, from, now)
	e.unsaved = s.state != nil
	s.addMade(e)
	s.publish(e)
	s.mu.Unlock()

	wait := s.strike(but, e)
	s.log().Error("killswitch: stop", append(describe(e.rule), "source", from)...)
	s.lookHowWide(e)
	wait()
	return e, true, s.save(e, actor)
}

// usable is the canonical form of a rule that somebody wants to make now, with an ID.
func (s *Switch) usable(r Rule, now time.Time) (Rule, error) {
	r, err := r.canonical()
	if err != nil {
		return Rule{}, fmt.Errorf("killswitch: rule not usable: %w", err)
	}
	if !r.Until.IsZero() && !now.Before(r.Until) {
		return Rule{}, fmt.Errorf("killswitch: rule not usable: Until %s has passed", r.Until.Format(time.RFC3339))
	}
	if s.opts.RequireTicket && r.Ticket == "" {
		return Rule{}, errors.New("killswitch: rule not usable: Ticket is empty, and Options.RequireTicket asks for one")
	}
	if r.ID == "" {
		r.ID = newID()
	}
	return r, nil
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "ks-" + hex.EncodeToString(b[:])
}

// Lift ends a rule that was made by Stop, by the endpoint or automatically. A rule of the stop file is lifted by taking it out of that file. The
// reason must not be empty. It waits for the disk; if that does not take the lift, the rule stays in force and the error matches ErrNotSaved.
func (s *Switch) Lift(id, reason string) error {
	s.use()
	return s.lift(id, reason, FromCode, "")
}

func (s *Switch) lift(id, reason string, from Source, actor string) error {
	if strings.TrimSpace(reason) == "" {
		return fmt.Errorf("killswitch: Lift of %q needs a reason", id)
	}
	s.mu.Lock()
	e := s.inForce(id, time.Now())
	inFile := e == nil && s.fileRule(id) != nil
	s.mu.Unlock()
	if inFile {
		return fmt.Errorf("%w: %q comes from the stop file %s: take it out there", errNoRule, id, s.opts.File)
	}
	if e == nil {
		return fmt.Errorf("%w: %q", errNoRule, id)
	}
	if err := s.saveLift(e, reason, from, actor); err != nil {
		return err
	}
	s.log().Warn("killswitch: lift", "rule", id, "scope", e.rule.Scope(), "reason", reason, "source", from)
	return nil
}

// fileRule finds a rule of the stop file. The caller holds mu.
func (s *Switch) fileRule(id string) *entry {
	for r, e := range s.read {
		if r.ID == id {
			return e
		}
	}
	return nil
}
