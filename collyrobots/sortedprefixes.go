package collyrobots

import (
	"math/bits"
	"strings"
)

// sortedPrefixes searches plain rules by their literal prefixes, in whose order they are. Those that match a path lie on one way: it begins at the
// last rule whose prefix is not behind the path, see linkPrefixes. So one search finds them all.
type sortedPrefixes struct {
	shared int      // octets that all prefixes begin with
	heads  []uint64 // of each prefix, the octets behind the shared ones: so most of the search needs no text
	above  []uint32 // of each rule, see linkPrefixes
}

// sortPrefixes is for the first n rules of s.
func sortPrefixes(s *ruleSet, n int) sortedPrefixes {
	p := sortedPrefixes{above: linkPrefixes(n, s.prefix), heads: make([]uint64, n)}
	first, last := s.prefix(0), s.prefix(uint32(n-1))
	for p.shared < len(first) && p.shared < len(last) && first[p.shared] == last[p.shared] {
		p.shared++
	}
	for i := range p.heads {
		p.heads[i] = head(s.prefix(uint32(i))[p.shared:])
	}
	return p
}

// best is the rule of s with the highest rank of those that match path.
func (p *sortedPrefixes) best(s *ruleSet, path string) verdict {
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
	if lo < 0 {
		return verdict{}
	}
	_, common := notBehind(s.prefix(uint32(lo)), path, loCommon) // the others on the way begin lo's prefix: no text of theirs is looked at
	var v verdict
	for i := uint32(lo + 1); i != 0; i = p.above[i-1] {
		rule := i - 1
		n := len(s.prefix(rule))
		if n > common || n < len(path) && s.isExact(rule) {
			continue
		}
		if r := s.rank(rule); r > v.rank {
			v = verdict{s, rule, r}
		}
	}
	return v
}

// between returns two rules by their heads: the last whose head is less than h, or -1, and the first whose head is greater, or how many rules there are.
func (p *sortedPrefixes) between(h uint64) (lo, hi int) {
	at := notLess(p.heads, h)
	if at == len(p.heads) || p.heads[at] != h {
		return at - 1, at
	}
	return at - 1, at + notLess(p.heads[at:], h+1)
}

// notLess returns the first place in sorted that is not less than h. A step of it holds no branch that the processor would have to guess, and half of
// the time wrongly.
func notLess(sorted []uint64, h uint64) int {
	var at uint
	for n := uint(len(sorted)); n > 0; {
		half := (n + 1) / 2
		_, less := bits.Sub64(sorted[at+half-1], h, 0)
		at += half & -uint(less)
		n -= half
	}
	return int(at)
}

func (p *sortedPrefixes) bytes() int { return 4*cap(p.above) + 8*cap(p.heads) }
