package report

import (
	"maps"
	"strings"
)

// Count is how often one reason, and for robots.txt one rule, led to a skip.
type Count struct {
	Reason Reason
	Rule   string // empty where no rule decided
}

// The rules that are counted one by one, and their length; further ones are counted under their reason alone, longer ones are cut. Rules come from strangers.
const (
	maxCounts = 10_000
	maxShown  = 512
)

// counts counts skips by reason and rule.
type counts map[Count]int

func (c counts) add(s *Skip) {
	key := Count{s.Reason, cutText(s.Rule)}
	if _, known := c[key]; !known {
		if len(c) >= maxCounts {
			key.Rule = ""
		}
		key.Rule = strings.Clone(key.Rule) // it may be part of a whole robots.txt
	}
	c[key]++
}

// cutText is the text, if it is not too long.
func cutText(rule string) string {
	if len(rule) <= maxShown {
		return rule
	}
	return strings.ToValidUTF8(rule[:maxShown], "") + "…"
}

// Counts says how many skips each reason and rule led to. The map is the caller's.
func (r *Report) Counts() map[Count]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}
