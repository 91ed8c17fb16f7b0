package report

import "strings"

// SkipCount is how often one reason, and for robots.txt one rule, led to a skip of a host's URL.
type SkipCount struct {
	Reason Reason `json:"reason"`
	Rule   string `json:"rule,omitempty"` // empty: no rule decided, or there were too many to count them one by one
	Line   int    `json:"line,omitempty"` // of robots.txt, as it was the first time; 0: none
	Count  int    `json:"count"`
}

// maxSkipCounts is how many rules of one host are counted one by one.
const maxSkipCounts = 50

// skipCounts counts the skips of one host.
type skipCounts []SkipCount

func (c *skipCounts) add(s *Skip) {
	rule := cutText(s.Rule)
	if c.count(s.Reason, rule) {
		return
	}
	line := s.Line
	if len(*c) >= maxSkipCounts {
		if rule, line = "", 0; c.count(s.Reason, rule) {
			return
		}
	}
	*c = append(*c, SkipCount{s.Reason, strings.Clone(rule), line, 1})
}

// count reports whether the rule was known.
func (c skipCounts) count(reason Reason, rule string) bool {
	for i := range c {
		if c[i].Reason == reason && c[i].Rule == rule {
			c[i].Count++
			return true
		}
	}
	return false
}
