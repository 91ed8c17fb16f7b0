package collyrobots

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

const (
	// manyOthers is from how many rules that are not plain on a set has an index of them.
	manyOthers = 8
	// window is the most octets that a key of the index has. A longer piece is cut into windows, so that a path is never
	// followed far into the index from any of its octets.
	window = 16
	// indexedWindows is how many windows of a pattern are looked at, from its start and from its end each. Patterns with more
	// are so long that no file holds many of them.
	indexedWindows = 12
	// patience is how many rules are tried in vain, one search at a time, before the index takes down where in the
	// path each key stands, which costs more at first and next to nothing for each rule.
	patience = 64
)

// pieceIndex finds the rules of a set that may match, of those that are not plain. A piece is what a "*" or an end bounds in a
// pattern. Every rule is filed under a key: that part of its pieces whose gram is the rarest of all grams of all rules. The
// path is read once, octet by octet, and the rules filed under a key are tried where it turns up. What nowhere turns up costs
// nothing. Further keys are the pieces themselves, for paths that many rules come near to.
type pieceIndex struct {
	pieceKeys
	filed      []uint32 // per key, where in rules those filed under it begin; one more entry ends the last
	rules      []uint32 // the highest rank first, under each key
	mayBeFiled gramFilter
	mayBeKey   gramFilter
}

// newPieceIndex makes the index of the rules from first on, which are sorted by rank.
func newPieceIndex(s *ruleSet, first uint32) *pieceIndex {
	counts := newGramCounts(len(s.text) - int(s.rules[first].at))
	count := uint32(s.len()) - first
	var windows []stretch
	for i := range count {
		windows = appendWindows(windows[:0], s, first+i, s.rules[first+i].at)
		for _, w := range windows {
			counts.add(w.of(s.text))
		}
	}

	var keys []stretch
	numberOf := make(map[string]uint32)
	number := func(key stretch) uint32 {
		n, known := numberOf[key.of(s.text)]
		if !known {
			n = uint32(len(keys))
			numberOf[key.of(s.text)] = n
			keys = append(keys, key)
		}
		return n
	}
	filedUnder := make([]uint32, count) // the number of the key of each rule
	for i := range count {
		rule := first + i
		begin := s.rules[rule].at
		windows = appendWindows(windows[:0], s, rule, begin)
		filedUnder[i] = number(counts.rarest(s.text, windows))
		for _, w := range appendWindows(windows[:0], s, rule, begin+uint32(literalLen(s.pattern(rule)))) {
			number(w)
		}
	}

	sorted := make([]stretch, len(keys))
	place := make([]uint32, len(keys))
	for at, n := range orderOf(s.text, keys) {
		sorted[at], place[n] = keys[n], uint32(at)
	}
	x := &pieceIndex{
		pieceKeys:  newPieceKeys(s.text, sorted),
		filed:      make([]uint32, len(sorted)+1),
		rules:      make([]uint32, count),
		mayBeKey:   newGramFilter(len(sorted)),
		mayBeFiled: newGramFilter(int(count)),
	}
	for _, key := range sorted {
		x.mayBeKey.add(key.of(s.text))
	}
	for _, n := range filedUnder {
		x.filed[place[n]+1]++
		x.mayBeFiled.add(keys[n].of(s.text))
	}
	for k := range sorted {
		x.filed[k+1] += x.filed[k]
	}
	next := slices.Clone(x.filed)
	for i, n := range filedUnder { // in order of rank, which so is kept under each key
		k := place[n]
		x.rules[next[k]] = first + uint32(i)
		next[k]++
	}
	return x
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
// are about as rare it takes the one with the longest part, for that is rarer than its gram.
func (c *gramCounts) rarest(text string, windows []stretch) stretch {
	var best stretch
	least := math.MaxInt
	for _, w := range windows {
		for i := w.at; i == w.at || i+4 <= w.end; i++ {
			rarity := bits.Len16(*c.of(gramOf(text[i:w.end])))
			if rarity < least || rarity == least && w.end-i > best.end-best.at {
				best, least = stretch{i, w.end}, rarity
			}
		}
	}
	return best
}

// literalLen is how many octets of a pattern that is not plain stand before its first "*" or its end mark.
func literalLen(pattern string) int {
	if n := strings.IndexByte(pattern, '*'); n >= 0 {
		return n
	}
	return len(pattern) - 1
}

// appendWindows appends the windows of a rule's pattern from at on. An end mark is no part of one.
func appendWindows(out []stretch, s *ruleSet, rule, at uint32) []stretch {
	end := s.rules[rule+1].at
	if s.text[end-1] == '$' {
		end--
	}
	piece := at // where the piece at hand begins
	for n := 0; at < end && n < indexedWindows; {
		if s.text[at] == '*' {
			at++
			piece = at
			continue
		}
		to := min(end, at+window)
		if i := strings.IndexByte(s.text[at:to], '*'); i >= 0 {
			to = at + uint32(i)
		}
		from := at
		if to-piece >= window { // what is left of a long piece is too short to be rare: some octets count twice
			from = to - window
		}
		if last := len(out) - 1; last < 0 || out[last].of(s.text) != s.text[from:to] {
			out = append(out, stretch{from, to})
		}
		at = to
		n++
	}
	for n := 0; at < end && n < indexedWindows; {
		if s.text[end-1] == '*' {
			end--
			continue
		}
		from := max(at, end-min(end, window))
		from += uint32(strings.LastIndexByte(s.text[from:end], '*') + 1)
		out = append(out, stretch{from, end})
		end = from
		n++
	}
	return out
}

// best is the better of v and the best rule of the index that matches path.
func (x *pieceIndex) best(s *ruleSet, path string, v verdict) verdict {
	if first := uint32(len(s.above)); s.rank(first) <= v.rank {
		return v
	}
	var keys [window]uint32
	tried := 0
	for i := x.mayBeFiled.next(path, 0); i < len(path); i = x.mayBeFiled.next(path, i+1) {
		for _, key := range keys[:x.at(s.text, path[i:], &keys)] {
			for _, rule := range x.under(key) {
				r := s.rank(rule)
				if r <= v.rank {
					break
				}
				tried++
				if pattern.MatchText(s.pattern(rule), path) {
					v = verdict{s, rule, r}
					break
				}
			}
		}
		if tried > patience {
			return x.bestOfMany(s, path, v)
		}
	}
	return v
}

// under returns the rules that are filed under a key.
func (x *pieceIndex) under(key uint32) []uint32 { return x.rules[x.filed[key]:x.filed[key+1]] }

func (x *pieceIndex) bytes() int {
	return int(unsafe.Sizeof(*x)) + x.pieceKeys.bytes() + 4*(cap(x.filed)+cap(x.rules)) + 8*(cap(x.mayBeFiled.bits)+cap(x.mayBeKey.bits))
}
