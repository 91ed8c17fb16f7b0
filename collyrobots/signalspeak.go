package collyrobots

import "slices"

// at is what is said of a path with its query, in normal form, that may be crawled.
func (rs *robotsSignals) at(path string) Signals {
	var s Signals
	for _, records := range [][]usageRecord{rs.usage, rs.content} {
		rs.speak(records, path, func(r *usageRecord, toUs bool) bool {
			s.addRaw(r.source)
			if toUs {
				s.UseLimit = narrower(s.UseLimit, r.limit)
			}
			for _, a := range r.said {
				if toUs || a.verdict == Deny {
					s.say(r.source, a.verdict, a.use)
				}
			}
			return true
		})
	}
	s.merge(&rs.common)
	return s
}

// denies returns the first record that denies one of the uses for a path.
func (rs *robotsSignals) denies(path string, about []Use) (found *usageRecord) {
	for _, records := range [][]usageRecord{rs.usage, rs.content} {
		rs.speak(records, path, func(r *usageRecord, _ bool) bool {
			for _, a := range r.said {
				if a.verdict == Deny && slices.Contains(about, a.use) {
					found = r
				}
			}
			return found == nil
		})
	}
	return found
}

// speak calls tell for each record that counts for path, until it returns false: for each agent those with the longest path that matches.
// toUs says that the record is addressed to the one whom we are judged by; of all others, only denials concern us.
func (rs *robotsSignals) speak(records []usageRecord, path string, tell func(r *usageRecord, toUs bool) bool) {
	var decided, next agentSet // those for whom a longer path has matched; with those for whom this one does
	for i := range records {
		r := &records[i]
		if i > 0 && r.path.Priority() != records[i-1].path.Priority() && next != nil {
			copy(decided, next)
		}
		if !r.path.Match(path) {
			continue
		}
		if decided == nil {
			decided, next = newAgentSet(rs.agents), newAgentSet(rs.agents)
		}
		fresh := false
		for w := range r.who {
			fresh = fresh || r.who[w]&^decided[w] != 0
			next[w] |= r.who[w]
		}
		toUs := rs.ours != agentNone && r.who.has(rs.ours) && !decided.has(rs.ours)
		if fresh && !tell(r, toUs) {
			return
		}
	}
}
