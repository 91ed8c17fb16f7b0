package collyrobots

import "strings"

// plainRules finds, of rules in the order of their literal prefixes, the one with the highest rank of those whose prefix a path begins with. A few are
// looked at one by one; many are searched.
type plainRules struct {
	count int
	few   []plainEnd
	many  sortedPrefixes
}

// fewPlain is up to how many rules it is quicker to look at each than to search.
const fewPlain = 96

// newPlainRules is for the first n rules of s, which must be plain.
func newPlainRules(s *ruleSet, n int) plainRules {
	p := plainRules{count: n}
	if n <= fewPlain {
		if few, ok := endsByRank(s, n); ok {
			p.few = few
			return p
		}
	}
	p.many = sortPrefixes(s, n)
	return p
}

// best is the rule of s with the highest rank of those that match path.
func (p *plainRules) best(s *ruleSet, path string) verdict {
	if p.many.heads != nil {
		return p.many.best(s, path)
	}
	for i := range p.few {
		end := &p.few[i]
		n := int(end.n)
		if n > len(path) || n >= 4 && lastFour(path[:n]) != end.last || end.exact && n != len(path) {
			continue
		}
		rule := uint32(end.rule)
		if at := int(s.rules[rule].at); s.text[at:at+n] == path[:n] {
			return verdict{s, rule, s.rank(rule)}
		}
	}
	return verdict{}
}

func (p *plainRules) bytes() int { return cap(p.few)*plainEndSize + p.many.bytes() }

// prefix is the literal prefix of plain rule i.
func (s *ruleSet) prefix(i uint32) string {
	p := s.pattern(i)
	if s.rules[i].mark&markTail == 0 {
		return p
	}
	return strings.TrimSuffix(strings.TrimSuffix(p, "$"), "*")
}

// isExact reports whether plain rule i matches nothing but its literal prefix.
func (s *ruleSet) isExact(i uint32) bool {
	if s.rules[i].mark&markTail == 0 {
		return false
	}
	p := s.pattern(i)
	return p[len(p)-1] == '$' && !strings.HasSuffix(p, "*$")
}
