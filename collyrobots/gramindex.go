package collyrobots

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

const (
	// manyOthers is from how many rules that are not plain on a set has an index of them.
	manyOthers = 3
	// countlessOthers is from how many on it has a second index, for paths that many rules come near to.
	countlessOthers = 512
	// patience is how many rules are tried in vain, one search at a time, before the second index takes over.
	patience = 64
)

// gramIndex finds the rules of a set that may match, of those that are not plain. Every rule is filed under one gram of its
// pattern, the one that the fewest rules have. The path is read once, octet by octet, and the rules filed under a gram are tried
// where it turns up. What nowhere turns up costs nothing.
type gramIndex struct {
	filter gramFilter
	table  gramTable
	rules  []filedRule // by gram; under each, the highest rank first
	top    rank        // the highest of all
	pieces *pieceIndex // nil if the rules are not that many
}

// newGramIndex makes the index of the rules from first on, which are sorted by rank.
func newGramIndex(s *ruleSet, first uint32) *gramIndex {
	counts := newGramCounts(len(s.text) - int(s.rules[first].at))
	var windows []stretch
	for rule := first; rule < uint32(s.len()); rule++ {
		windows = appendWindows(windows[:0], s, rule, s.rules[rule].at)
		for _, w := range windows {
			counts.add(w.of(s.text))
		}
	}
	filed := make([]stretch, 0, s.len()-int(first)) // of each rule, the part of its pattern that begins with its gram
	for rule := first; rule < uint32(s.len()); rule++ {
		windows = appendWindows(windows[:0], s, rule, s.rules[rule].at)
		filed = append(filed, counts.rarest(s.text, windows))
	}

	x := &gramIndex{
		filter: newGramFilter(len(filed)),
		table:  newGramTable(len(filed)),
		rules:  make([]filedRule, 0, len(filed)),
		top:    s.rank(first),
	}
	order := make([]uint64, len(filed)) // by gram; under each in the order of the rules, which is that of their ranks
	for i, where := range filed {
		order[i] = uint64(gramOf(where.of(s.text)))<<32 | uint64(i)
		x.filter.add(where.of(s.text))
	}
	slices.Sort(order)
	for at, o := range order {
		i := uint32(o)
		x.rules = append(x.rules, newFiledRule(s, first+i, filed[i]))
		x.table.add(gram(o>>32), uint32(at))
	}
	if len(filed) >= countlessOthers {
		x.pieces = newPieceIndex(s, first, filed)
	}
	return x
}

// best is the better of v and the best rule of the index that matches path.
func (x *gramIndex) best(s *ruleSet, path string, v verdict) verdict {
	if x.top <= v.rank {
		return v
	}
	tried := 0
	for i := x.filter.next(path, 0); i < len(path); i = x.filter.next(path, i+1) {
		g, length := gramOf(path[i:]), min(4, len(path)-i)
		if length == 4 {
			v = x.try(s, g, path, i, v, &tried)
			length = 3
		}
		if x.filter.mayBeShort(path[i]) {
			for ; length > 0; length-- {
				v = x.try(s, g.shorten(length), path, i, v, &tried)
			}
		}
		if x.outOfPatience(tried) {
			return x.pieces.best(s, path, v)
		}
	}
	return v
}

// try tries the rules filed under g, which stands at i in path. It adds to tried how many these were.
func (x *gramIndex) try(s *ruleSet, g gram, path string, i int, v verdict, tried *int) verdict {
	slot := x.table.slot(g)
	rules := x.rules[slot.lo:slot.hi]
	for at := range rules {
		r := &rules[at]
		if r.rank <= v.rank || x.outOfPatience(*tried) {
			break
		}
		if !r.fits(path, i) {
			continue
		}
		*tried++
		if pattern.MatchText(s.pattern(r.rule), path) {
			return verdict{s, r.rule, r.rank}
		}
	}
	return v
}

// gramCounts says how often each gram stands in the windows of all rules, a little too often now and then: it counts by hash.
type gramCounts struct {
	counts []uint16
	shift  uint8
}

// newGramCounts is for so many octets of text.
func newGramCounts(octets int) gramCounts {
	width := min(16, max(6, bits.Len(uint(octets))))
	return gramCounts{make([]uint16, 1<<width), uint8(32 - width)}
}

func (c *gramCounts) of(g gram) *uint16 { return &c.counts[g.hash()>>c.shift] }

func (c *gramCounts) add(window string) {
	for i := 0; i == 0 || i+4 <= len(window); i++ {
		if n := c.of(gramOf(window[i:])); *n < math.MaxUint16 {
			*n++
		}
	}
}

// rarest returns the part of one of the windows, up to the end of the window, that begins with the rarest gram. Of grams that
// are about as rare it takes the one with the longest part, for that is rarer than its gram. A gram of fewer than four octets
// is taken only if there is no other.
func (c *gramCounts) rarest(text string, windows []stretch) stretch {
	var best stretch
	least := math.MaxInt
	for _, w := range windows {
		for i := w.at; i == w.at || i+4 <= w.end; i++ {
			rarity := bits.Len16(*c.of(gramOf(text[i:w.end])))
			if w.end-i < 4 {
				rarity += bits.Len16(math.MaxUint16)
			}
			if rarity < least || rarity == least && w.end-i > best.end-best.at {
				best, least = stretch{i, w.end}, rarity
			}
		}
	}
	return best
}

func (x *gramIndex) outOfPatience(tried int) bool { return tried >= patience && x.pieces != nil }

func (x *gramIndex) bytes() int {
	n := int(unsafe.Sizeof(*x)) + x.filter.bytes() + x.table.bytes() + cap(x.rules)*int(unsafe.Sizeof(filedRule{}))
	if x.pieces != nil {
		n += x.pieces.bytes()
	}
	return n
}
