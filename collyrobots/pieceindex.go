package collyrobots

import (
	"slices"
	"strings"
	"unsafe"
)

// pieceIndex finds the rules of a set that match a path, of those that are not plain, where very many come near to it. A piece
// is what a "*" or an end bounds in a pattern.
//
// A file made to be slow has thousands of rules whose pieces all stand in the path, in an order that does not match. One
// search of the path for each of them adds up: so the path is read once, and where each piece stands first and last is
// taken down. This decides nearly every step of every rule without a search.
type pieceIndex struct {
	pieceKeys
	filed  []uint32 // per key, where in rules those filed under it begin; one more entry ends the last
	rules  []uint32 // the highest rank first, under each key
	filter gramFilter
}

const (
	// window is the most octets that a key of the index has. A longer piece is cut into windows, so that a path is never
	// followed far into the index from any of its octets.
	window = 16
	// indexedWindows is how many windows of a pattern are looked at, from its start and from its end each. Patterns with more
	// are so long that no file holds many of them.
	indexedWindows = 12
)

// newPieceIndex makes the index of the rules from first on, which are sorted by rank. Each is filed under a part of its pattern.
func newPieceIndex(s *ruleSet, first uint32, filed []stretch) *pieceIndex {
	var keys []stretch
	numberOf := make(map[string]uint32, len(filed))
	number := func(key stretch) uint32 {
		n, known := numberOf[key.of(s.text)]
		if !known {
			n = uint32(len(keys))
			numberOf[key.of(s.text)] = n
			keys = append(keys, key)
		}
		return n
	}
	filedUnder := make([]uint32, len(filed)) // the number of the key of each rule
	var windows []stretch
	for i := range filed {
		filedUnder[i] = number(filed[i])
		rule := first + uint32(i)
		windows = appendWindows(windows[:0], s, rule, s.rules[rule].at+uint32(literalLen(s.pattern(rule))))
		for _, w := range windows {
			number(w)
		}
	}

	sorted := make([]stretch, len(keys))
	place := make([]uint32, len(keys))
	for at, n := range orderOf(s.text, keys) {
		sorted[at], place[n] = keys[n], uint32(at)
	}
	x := &pieceIndex{
		pieceKeys: newPieceKeys(s.text, sorted),
		filed:     make([]uint32, len(sorted)+1),
		rules:     make([]uint32, len(filed)),
		filter:    newGramFilter(len(sorted)),
	}
	for _, key := range sorted {
		x.filter.add(key.of(s.text))
	}
	for _, n := range filedUnder {
		x.filed[place[n]+1]++
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

// under returns the rules that are filed under a key.
func (x *pieceIndex) under(key uint32) []uint32 { return x.rules[x.filed[key]:x.filed[key+1]] }

// literalLen is how many octets of a pattern that is not plain stand before its first "*".
func literalLen(pattern string) int { return strings.IndexByte(pattern, '*') }

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

func (x *pieceIndex) bytes() int {
	return int(unsafe.Sizeof(*x)) + x.pieceKeys.bytes() + x.filter.bytes() + 4*(cap(x.filed)+cap(x.rules))
}
