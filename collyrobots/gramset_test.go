package collyrobots

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A gram set may say yes too often, and never no where a key stands.
func TestGramSetMissesNoKey(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 5))
	passed, asked := 0, 0
	for range 500 {
		var text string
		var keys []stretch
		shortest := 1 + r.IntN(5)
		for range 1 + r.IntN(60) {
			k := word(r.IntN(1_000_000), shortest+r.IntN(5), "abcdefgh/%")
			keys = append(keys, stretch{uint32(len(text)), uint32(len(text) + len(k))})
			text += k
		}
		g := newGramSet(text, keys)
		for range 20 {
			s := word(r.IntN(1_000_000_000), r.IntN(30), "abcdefgh/%")
			at := g.next(s, 0)
			for i := range len(s) {
				here := i == at
				if asked++; here {
					passed++
					at = g.next(s, i+1)
				}
				for _, k := range keys {
					if strings.HasPrefix(s[i:], k.of(text)) && !here {
						t.Fatalf("key %q at %d of %q is passed over", k.of(text), i, s)
					}
				}
			}
			if at != len(s) {
				t.Fatalf("next goes on to %d of %q", at, s)
			}
		}
	}
	if passed > asked*3/4 {
		t.Errorf("%d of %d places pass: the set sorts nothing out", passed, asked)
	}
}
