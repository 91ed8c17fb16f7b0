package collyrobots

import (
	"math"
	"strings"
	"unsafe"
)

// plainRules finds, of rules in the order of their literal prefixes, those whose prefix a path begins with. A few are looked at
// one by one, by the last octet of their prefixes. Of many, those that match lie on one way: it begins at the last rule
// whose prefix is not behind the path, see linkPrefixes. So one search finds them all.
type plainRules struct {
	count  int
	few    []plainEnd // of each rule, if they are few; else:
	above  []uint32   // of each rule, see linkPrefixes
	heads  []uint64   // of each headEvery-th prefix, the octets behind the shared ones: so most of the search needs no text
	shared int        // octets that all prefixes begin with
}

// plainEnd is how a prefix ends: how many octets it has, and which is the last.
type plainEnd struct {
	n    uint16
	last byte
}

const (
	fewPlain  = 32
	headEvery = 8
)

// newPlainRules is for the first n rules of s, which must be plain.
func newPlainRules(s *ruleSet, n int) plainRules {
	p := plainRules{count: n}
	if n <= fewPlain && p.addEnds(s) {
		return p
	}
	p.few = nil
	p.above = linkPrefixes(n, s.prefix)
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

// addEnds makes p.few; false if a prefix is too long for it.
func (p *plainRules) addEnds(s *ruleSet) bool {
	p.few = make([]plainEnd, p.count)
	for i := range p.few {
		switch prefix := s.prefix(uint32(i)); {
		case len(prefix) > math.MaxUint16:
			return false
		case prefix != "":
			p.few[i] = plainEnd{uint16(len(prefix)), prefix[len(prefix)-1]}
		}
	}
	return true
}

// best is the rule of s with the highest rank of those that match path.
func (p *plainRules) best(s *ruleSet, path string) verdict {
	if p.above != nil {
		return p.bestOfMany(s, path)
	}
	var v verdict
	for i, end := range p.few {
		n := int(end.n)
		if n > len(path) || n > 0 && path[n-1] != end.last { // of neighbours most differ in length or at the end
			continue
		}
		v = p.better(s, path, uint32(i), n, v)
	}
	return v
}

// better is rule i if it matches path and has a higher rank than v; else v. Its prefix has n octets, path no fewer.
func (p *plainRules) better(s *ruleSet, path string, i uint32, n int, v verdict) verdict {
	r := s.rank(i)
	if r <= v.rank || s.prefix(i) != path[:n] || n < len(path) && s.isExact(i) {
		return v
	}
	return verdict{s, i, r}
}

func (p *plainRules) bestOfMany(s *ruleSet, path string) verdict {
	if !strings.HasPrefix(path, s.text[:p.shared]) {
		return verdict{}
	}
	lo, hi := p.between(head(path[p.shared:])) // lo is not behind path, hi is
	loCommon, hiCommon := p.shared, p.shared   // octets that they have in common with path, at least
	for hi-lo > 1 {
		mid := int(uint(lo+hi) / 2)
		// What lo and hi have in common with path, all between them have too.
		if ok, n := notBehind(s.pattern(uint32(mid)), path, min(loCommon, hiCommon)); ok {
			lo, loCommon = mid, n
		} else {
			hi, hiCommon = mid, n
		}
	}
	var v verdict
	for i := uint32(lo + 1); i != 0; i = p.above[i-1] {
		if n := len(s.prefix(i - 1)); n <= len(path) {
			v = p.better(s, path, i-1, n, v)
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
	return lo, min(to*headEvery, p.count)
}

func (p *plainRules) bytes() int {
	return cap(p.few)*int(unsafe.Sizeof(plainEnd{})) + 4*cap(p.above) + 8*cap(p.heads)
}

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
