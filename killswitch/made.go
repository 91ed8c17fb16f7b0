package killswitch

import (
	"slices"
	"time"
)

// made holds the rules that Stop, the endpoint and answers of servers made, by ID. One ID has several rules only where two processes took it at the same
// time, or where one has ended by itself and is still remembered.
type made map[string][]*entry

// findMade is the rule that equals r, or nil. The caller holds mu.
func (s *Switch) findMade(r Rule) *entry {
	for _, e := range s.made[r.ID] {
		if e.rule == r {
			return e
		}
	}
	return nil
}

// inForce is the first rule of an ID that is not over, or nil. The caller holds mu.
func (s *Switch) inForce(id string, now time.Time) *entry {
	for _, e := range s.made[id] {
		if !e.expired(now) {
			return e
		}
	}
	return nil
}

// addMade makes a rule one of those by its ID. The caller holds mu.
func (s *Switch) addMade(e *entry) { s.made[e.rule.ID] = append(s.made[e.rule.ID], e) }

// takeOut takes some of the rules of an ID out of force. The caller holds mu.
func (s *Switch) takeOut(id, reason string, which func(*entry) bool) {
	var kept, gone []*entry
	for _, e := range s.made[id] {
		if which(e) {
			gone = append(gone, e)
		} else {
			kept = append(kept, e)
		}
	}
	if len(gone) == 0 {
		return
	}
	if s.made[id] = kept; len(kept) == 0 {
		delete(s.made, id)
	}
	s.retire(reason, gone...)
}

// isMade reports whether a rule is one of those. The caller holds mu.
func (s *Switch) isMade(e *entry) bool { return slices.Contains(s.made[e.rule.ID], e) }

// failedSaves are the rules that the disk did not take.
func (s *Switch) failedSaves() (failed []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, es := range s.made {
		for _, e := range es {
			if e.failed {
				failed = append(failed, e)
			}
		}
	}
	return failed
}
