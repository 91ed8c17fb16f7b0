package collyrobots

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Each text leads to the longest other one that it begins with.
func TestPrefixesAreLinkedWithTheNextShorterOne(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 9))
	for range 2000 {
		var texts []string
		for range r.IntN(40) {
			texts = append(texts, word(r.IntN(100_000), r.IntN(8), "ab/"))
		}
		slices.Sort(texts)
		texts = slices.Compact(texts)
		above := linkPrefixes(len(texts), func(i uint32) string { return texts[i] })
		for i, text := range texts {
			want := uint32(0)
			for j, other := range texts[:i] {
				if strings.HasPrefix(text, other) { // of several the last is the longest
					want = uint32(j) + 1
				}
			}
			if above[i] != want {
				t.Fatalf("%q among %q leads to %d, want %d", text, texts, above[i], want)
			}
		}
	}
}
