package collyrobots

import "strings"

// filedRule is a rule, filed under a gram of its pattern, and what is known of a path that it matches without a look at the pattern.
type filedRule struct {
	rule    uint32
	rank    rank
	at      uint32 // the gram stands so many octets behind the start of the path, at least
	fixed   bool   // and no more: it is part of the literal prefix
	follows gram   // what stands behind the gram
	mask    gram   // how much of that counts
}

// newFiledRule is for a rule of s and the part of its pattern that begins with its gram.
func newFiledRule(s *ruleSet, rule uint32, part stretch) filedRule {
	before := s.text[s.rules[rule].at:part.at]
	stars := strings.Count(before, "*")
	r := filedRule{rule: rule, rank: s.rank(rule), at: uint32(len(before) - stars), fixed: stars == 0}
	if text := part.of(s.text); len(text) > 4 {
		text = text[4:min(8, len(text))]
		r.follows, r.mask = gramOf(text), ^gram(0)>>(32-8*len(text))
	}
	return r
}

// fits reports whether r may match a path in which its gram stands at i.
func (r *filedRule) fits(path string, i int) bool {
	if r.at != uint32(i) && (r.at > uint32(i) || r.fixed) {
		return false
	}
	return r.mask == 0 || gramOf(path[min(i+4, len(path)):])&r.mask == r.follows
}
