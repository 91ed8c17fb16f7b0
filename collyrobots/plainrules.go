package collyrobots

import "strings"

// plainRules finds, of rules in the order of their literal prefixes, those whose prefix a path begins with. They lie on one way:
// it begins at the last rule whose prefix is not behind the path, see linkPrefixes. So one search finds them all.
type plainRules struct {
	above  []uint32 // of each rule, see linkPrefixes
	heads  []uint64 // of each headEvery-th prefix, the octets behind the shared ones: so most of the search needs no text
	shared int      // octets that all prefixes begin with
}

const headEvery = 8

// newPlainRules links the first n rules of s, which must be plain.
func newPlainRules(s *ruleSet, n int) plainRules {
	p := plainRules{above: linkPrefixes(n, s.prefix)}
	if n == 0 {
		return p
	}
	first, last := s.prefix(0), s.prefix(uint32(n-1))
	for p.shared < len(first) && p.shared < len(last) && first[p.shared] == last[p.shared] {
		p.shared++
	}
	p.heads = make([]uint64, 0, (n+headEvery-1)/headEvery)
	for i := 0; i < n; i += headEvery {
		p.heads = append(p.heads, head(s.prefix(uint32(i))[p.shared:]))
	}
	return p
}

// best is the rule of s with the highest rank of those that match path.
func (p *plainRules) best(s *ruleSet, path string) verdict {
	if len(p.above) == 0 || len(path) < p.shared || path[:p.shared] != s.text[:p.shared] {
		return verdict{}
	}
	lo, hi := p.between(head(path[p.shared:])) // lo is not behind path, hi is
	common := p.shared
	for hi-lo > 1 {
		mid := int(uint(lo+hi) / 2)
		if ok, n := notBehind(s.pattern(uint32(mid)), path, p.shared); ok {
			lo, common = mid, n
		} else {
			hi = mid
		}
	}
	if lo >= 0 && common == p.shared { // no comparison has shown how much they have in common
		_, common = notBehind(s.pattern(uint32(lo)), path, p.shared)
	}
	var v verdict
	for i := uint32(lo + 1); i != 0; i = p.above[i-1] {
		r, n := s.rank(i-1), len(s.prefix(i-1))
		if r > v.rank && n <= common && (n == len(path) || !s.isExact(i-1)) {
			v = verdict{s, i - 1, r}
		}
	}
	return v
}

// between returns two rules with heads: the last whose head is less than h, or -1, and the first whose head is greater, or how
// many rules there are.
func (p *plainRules) between(h uint64) (lo, hi int) {
	less, greater := -1, len(p.heads)
	for greater-less > 1 {
		mid := int(uint(less+greater) / 2)
		if p.heads[mid] < h {
			less = mid
		} else {
			greater = mid
		}
	}
	from, to := greater-1, len(p.heads)
	for to-from > 1 {
		mid := int(uint(from+to) / 2)
		if p.heads[mid] <= h {
			from = mid
		} else {
			to = mid
		}
	}
	if lo = -1; less >= 0 {
		lo = less * headEvery
	}
	return lo, min(to*headEvery, len(p.above))
}

func (p *plainRules) bytes() int { return 4*cap(p.above) + 8*cap(p.heads) }

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
