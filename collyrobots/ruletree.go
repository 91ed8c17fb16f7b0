package collyrobots

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

// ruleTree finds the deciding rule of a large set. Its keys are the literal prefixes of the rules. Those that a path begins
// with lie on one way down from the root, and each key carries what all shorter ones on its way bring along, so that one
// descent finds the best rule without a tail, and the lists of rules with one, the nearest first.
type ruleTree struct {
	radix
	settled []uint32 // per key: 1 + the best rule that needs no look at the tail
	nearest []uint32 // per key: 1 + the nearest of lists
	lists   []tailList
	rules   []uint32 // of all lists that have no index
}

// tailList is the rules with one literal prefix and different tails.
type tailList struct {
	literal uint32      // octets of the prefix
	above   uint32      // 1 + the next shorter list on the way
	lo, hi  uint32      // its rules, the highest rank first
	top     rank        // the highest rank
	index   *pieceIndex // instead, if there are many
}

func newRuleTree(s *ruleSet) *ruleTree {
	t := new(ruleTree)
	// The rules of a set are sorted by literal prefix.
	var keys []stretch
	var firstRule []int // of each key
	for i := range s.len() {
		r := s.rules[i]
		literal := stretch{r.at, r.literal}
		if len(keys) == 0 || keys[len(keys)-1].of(s.text) != literal.of(s.text) {
			keys, firstRule = append(keys, literal), append(firstRule, i)
		}
	}
	firstRule = append(firstRule, s.len())
	var above []uint32
	t.radix, above = newRadix(s.text, keys)
	t.settled = make([]uint32, len(keys))
	t.nearest = make([]uint32, len(keys))
	for k := range keys {
		if a := above[k]; a != 0 { // a shorter key: it is sorted before this one, so it is complete
			t.settled[k], t.nearest[k] = t.settled[a-1], t.nearest[a-1]
		}
		var tails []uint32
		for i := firstRule[k]; i < firstRule[k+1]; i++ {
			switch tail := s.tail(i); tail {
			case "", "*", "*$": // they match whatever follows
				if best := t.settled[k]; best == 0 || s.rules[best-1].rank < s.rules[i].rank {
					t.settled[k] = uint32(i) + 1
				}
			default:
				tails = append(tails, uint32(i))
			}
		}
		if len(tails) > 0 {
			t.addList(s, keys[k], k, tails)
		}
	}
	t.lists = slices.Clone(t.lists)
	t.rules = slices.Clone(t.rules)
	return t
}

func (t *ruleTree) addList(s *ruleSet, literal stretch, key int, tails []uint32) {
	slices.SortFunc(tails, func(a, b uint32) int { return cmp.Compare(s.rules[b].rank, s.rules[a].rank) })
	list := tailList{
		literal: literal.end - literal.at,
		above:   t.nearest[key],
		top:     s.rules[tails[0]].rank,
	}
	if len(tails) >= manyTails {
		list.index = newPieceIndex(s, tails)
	} else {
		list.lo = uint32(len(t.rules))
		t.rules = append(t.rules, tails...)
		list.hi = uint32(len(t.rules))
	}
	t.lists = append(t.lists, list)
	t.nearest[key] = uint32(len(t.lists))
}

// best is the rule with the highest rank of those that match path.
func (t *ruleTree) best(s *ruleSet, path string) verdict {
	key := t.longest(s.text, path)
	if key == 0 {
		return verdict{}
	}
	var v verdict
	if i := t.settled[key-1]; i != 0 {
		v = verdict{s, int(i - 1), s.rules[i-1].rank}
	}
	for l := t.nearest[key-1]; l != 0; l = t.lists[l-1].above {
		list := &t.lists[l-1]
		rest := path[list.literal:]
		switch {
		case list.top <= v.rank:
		case list.index != nil:
			v = list.index.best(s, rest, v)
		default:
			for _, i := range t.rules[list.lo:list.hi] {
				if s.rules[i].rank <= v.rank {
					break
				}
				if pattern.MatchTail(s.tail(int(i)), rest) {
					v = verdict{s, int(i), s.rules[i].rank}
					break
				}
			}
		}
	}
	return v
}

func (t *ruleTree) bytes() int {
	n := int(unsafe.Sizeof(*t)) + t.radix.bytes() + 4*(cap(t.settled)+cap(t.nearest)+cap(t.rules))
	n += cap(t.lists) * int(unsafe.Sizeof(tailList{}))
	for i := range t.lists {
		if x := t.lists[i].index; x != nil {
			n += x.bytes()
		}
	}
	return n
}
