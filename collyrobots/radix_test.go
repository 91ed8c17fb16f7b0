package collyrobots

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// newTestRadix makes a tree over different keys, and returns them in order with it.
func newTestRadix(keys []string) (text string, tree radix, sorted []string, above []uint32) {
	sorted = slices.Compact(slices.Sorted(slices.Values(keys)))
	var stretches []stretch
	for _, k := range sorted {
		stretches = append(stretches, stretch{uint32(len(text)), uint32(len(text) + len(k))})
		text += k
	}
	tree, above = newRadix(text, stretches)
	return text, tree, sorted, above
}

// longestNaively is 1 + the index of the longest of the keys before end that s begins with.
func longestNaively(keys []string, s string) uint32 {
	best := 0
	for i, k := range keys {
		if strings.HasPrefix(s, k) && (best == 0 || len(k) > len(keys[best-1])) {
			best = i + 1
		}
	}
	return uint32(best)
}

func TestRadixFindsTheLongestKey(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 4))
	for range 2000 {
		var keys []string
		for range r.IntN(30) {
			keys = append(keys, word(r.IntN(1000), r.IntN(7), "ab/"))
		}
		text, tree, sorted, above := newTestRadix(keys)
		for range 10 {
			s := word(r.IntN(100_000), r.IntN(12), "ab/")
			if got, want := tree.longest(text, s), longestNaively(sorted, s); got != want {
				t.Fatalf("longest(%q) among %q = %d, want %d", s, sorted, got, want)
			}
		}
		for i, k := range sorted {
			shorter := slices.Concat(sorted[:i], sorted[i+1:])
			got, want := above[i], longestNaively(shorter, k)
			if want > uint32(i) {
				want++
			}
			if got != want {
				t.Fatalf("above %q among %q = %d, want %d", k, sorted, got, want)
			}
		}
	}
}

func TestRadixWithLabelsOfAnyLength(t *testing.T) {
	long := strings.Repeat("a", 3*longestLabel)
	keys := []string{"", "a", long[:longestLabel], long[:longestLabel+1], long, long + "b"}
	text, tree, sorted, _ := newTestRadix(keys)
	for _, s := range []string{"", "b", "a", long[1:longestLabel], long[:longestLabel+5], long, long + "c", long + "bb", "b" + long} {
		if got, want := tree.longest(text, s), longestNaively(sorted, s); got != want {
			t.Errorf("longest(%d octets) = %d, want %d", len(s), got, want)
		}
	}
}

func TestEmptyRadix(t *testing.T) {
	text, tree, _, _ := newTestRadix(nil)
	if got := tree.longest(text, "/a"); got != 0 {
		t.Errorf("longest in an empty tree = %d, want 0", got)
	}
}
