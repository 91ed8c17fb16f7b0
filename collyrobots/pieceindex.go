package collyrobots

import (
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

const (
	// manyTails is from how many rules on a list has an index.
	manyTails = 16
	// window is the most octets that a key of the index has. A longer piece is cut into windows, so that a path is never
	// followed far into the index from any of its octets.
	window = 16
	// indexedWindows is how many windows of a tail are keys, from its start and from its end each. Tails with more are so
	// long that no file holds many of them.
	indexedWindows = 12
	// patience is how many rules are tried in vain, one search at a time, before the index takes down where in the
	// path each key stands, which costs more at first and next to nothing for each rule.
	patience = 64
)

// pieceIndex finds the rules of a long list that may match. A piece is what stands between two "*" of a tail; the keys are the
// pieces, or windows of them. Every rule is filed under that of its keys which the fewest rules have; the path is read once,
// octet by octet, and the rules filed under a key are tried where it turns up. What nowhere turns up costs nothing.
type pieceIndex struct {
	radix          // over the keys
	grams gramSet  // what keys begin with
	filed []uint32 // per key, where in rules those filed under it begin; one more entry ends the last
	rules []uint32 // the highest rank first, under each key
	loose []uint32 // rules without a key: only "$"
}

func newPieceIndex(s *ruleSet, rules []uint32) *pieceIndex {
	x := new(pieceIndex)
	// The different keys, and how many rules have each; of each rule, which ones it has.
	var keys, parts []stretch
	var count, has []uint32
	numberOf := make(map[string]uint32)
	hasEnd := make([]int, len(rules))
	for i, r := range rules {
		parts = appendWindows(parts[:0], s, r)
		for _, w := range parts {
			n, known := numberOf[w.of(s.text)]
			if !known {
				n = uint32(len(keys))
				numberOf[w.of(s.text)] = n
				keys, count = append(keys, w), append(count, 0)
			}
			count[n]++
			has = append(has, n)
		}
		hasEnd[i] = len(has)
	}
	order := orderOf(s.text, keys)
	sorted := make([]stretch, len(keys))
	place := make([]uint32, len(keys)) // of each key in the order
	for k, n := range order {
		sorted[k], place[n] = keys[n], uint32(k)
	}
	x.radix, _ = newRadix(s.text, sorted)
	x.grams = newGramSet(s.text, sorted)

	const none = math.MaxUint32
	rarest := make([]uint32, len(rules)) // the key that each rule is filed under
	x.filed = make([]uint32, len(keys)+1)
	from := 0
	for i, r := range rules {
		best, least, longest := uint32(none), uint32(none), uint32(0)
		for _, n := range has[from:hasEnd[i]] {
			if c, octets := count[n], keys[n].end-keys[n].at; c < least || c == least && octets > longest {
				best, least, longest = place[n], c, octets
			}
		}
		from = hasEnd[i]
		if rarest[i] = best; best == none {
			x.loose = append(x.loose, r)
			continue
		}
		x.filed[best+1]++
	}
	for k := range keys {
		x.filed[k+1] += x.filed[k]
	}
	x.rules = make([]uint32, x.filed[len(keys)])
	next := slices.Clone(x.filed)
	for i, r := range rules { // in order of rank, which so is kept under each piece
		if k := rarest[i]; k != none {
			x.rules[next[k]] = r
			next[k]++
		}
	}
	return x
}

// appendWindows appends the windows of a rule's tail that are keys. An end mark is no part of one.
func appendWindows(out []stretch, s *ruleSet, rule uint32) []stretch {
	at, end := s.rules[rule].literal, s.end(int(rule))
	if s.text[end-1] == '$' {
		end--
	}
	start := at
	for n := 0; at < end && n < indexedWindows; {
		if s.text[at] == '*' {
			at++
			start = at
			continue
		}
		to := min(end, at+window)
		if i := strings.IndexByte(s.text[at:to], '*'); i >= 0 {
			to = at + uint32(i)
		}
		from := at
		if to-start >= window { // what is left of a long piece is too short to be rare: some octets count twice
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

// best is the better of v and the best rule of the index that matches rest.
func (x *pieceIndex) best(s *ruleSet, rest string, v verdict) verdict {
	if len(x.loose) > 0 {
		v, _ = tryFiled(s, x.loose, rest, v)
	}
	tried := 0
	for i := x.grams.next(rest, 0); i < len(rest); i = x.grams.next(rest, i+1) {
		for c := x.at(rest[i:]); x.next(s.text, &c); {
			var n int
			v, n = tryFiled(s, x.under(c.key), rest, v)
			tried += n
		}
		if tried > patience {
			return x.bestOfMany(s, rest, v)
		}
	}
	return v
}

// pieceCursor goes over the keys that a string begins with, the shortest first.
type pieceCursor struct {
	node *radixNode // nil at the end
	rest string
	key  uint32 // the one it stands at
}

func (x *pieceIndex) at(rest string) pieceCursor {
	return pieceCursor{node: &x.nodes[0], rest: rest}
}

func (x *pieceIndex) next(text string, c *pieceCursor) bool {
	before := c.node
	for c.node != nil {
		if c.node = x.step(text, c.node, c.rest); c.node == nil {
			break
		}
		c.rest = c.rest[c.node.n:]
		if c.node.key != before.key {
			c.key = c.node.key - 1
			return true
		}
	}
	return false
}

// under returns the rules that are filed under a key.
func (x *pieceIndex) under(key uint32) []uint32 { return x.rules[x.filed[key]:x.filed[key+1]] }

// tryFiled tries rules, the highest rank first, and returns the better of v and the first that matches rest, and how many
// it has tried.
func tryFiled(s *ruleSet, rules []uint32, rest string, v verdict) (verdict, int) {
	for n, i := range rules {
		r := s.rules[i].rank
		if r <= v.rank {
			return v, n
		}
		if pattern.MatchTail(s.tail(int(i)), rest) {
			return verdict{s, int(i), r}, n + 1
		}
	}
	return v, len(rules)
}

func (x *pieceIndex) bytes() int {
	return int(unsafe.Sizeof(*x)) + x.radix.bytes() + 4*(cap(x.filed)+cap(x.rules)+cap(x.loose)) + 8*cap(x.grams.bits)
}
