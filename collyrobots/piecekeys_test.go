package collyrobots

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkPieceKeys asks the set of keys for all that stand at each place of s.
func checkPieceKeys(t *testing.T, keys []string, s string) (passed int) {
	t.Helper()
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	text := strings.Join(keys, "")
	var stretches []stretch
	var at uint32
	for _, k := range keys {
		stretches = append(stretches, stretch{at, at + uint32(len(k))})
		at += uint32(len(k))
	}
	set, filter := newPieceKeys(text, stretches), newGramFilter(len(keys))
	for _, k := range keys {
		filter.add(k)
	}
	place := filter.next(s, 0)
	for i := range len(s) {
		var want, got []string
		for _, k := range keys {
			if strings.HasPrefix(s[i:], k) {
				want = append(want, k)
			}
		}
		if i == place {
			var found [window]uint32
			for _, n := range found[:set.at(text, s[i:], &found)] {
				got = append(got, keys[n])
			}
			slices.Sort(got)
			passed++
			place = filter.next(s, i+1)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("keys at %d of %.50q, among %.200q (-want +got):\n%.500s", i, s, keys, diff)
		}
	}
	for i, k := range keys {
		if n, ok := set.number(text, k); !ok || n != uint32(i) {
			t.Fatalf("number(%q) = %d, %v, want %d", k, n, ok, i)
		}
		if _, known := slices.BinarySearch(keys, k+"/"); !known {
			if n, ok := set.number(text, k+"/"); ok {
				t.Fatalf("number(%q) = %d, want none", k+"/", n)
			}
		}
	}
	return passed
}

func TestPieceKeysFindsAllKeysAtAPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 4))
	asked, passed := 0, 0
	for round := range 3000 {
		alphabet := [...]string{"ab", "ab/", "abcdefgh/%", "abcdefghijklmnopqrstuvwxyz"}[round%4]
		var keys []string
		for range 1 + r.IntN(60) {
			keys = append(keys, word(r.IntN(1_000_000_000), 1+r.IntN(window), alphabet))
		}
		s := word(r.IntN(1_000_000_000), r.IntN(24), alphabet)
		if r.IntN(2) == 0 {
			s += keys[0] + keys[len(keys)-1]
		}
		n := checkPieceKeys(t, keys, s)
		if len(alphabet) > 20 {
			asked, passed = asked+len(s), passed+n
		}
	}
	if passed > asked*3/4 {
		t.Errorf("%d of %d places pass although few keys stand there", passed, asked)
	}
}

func TestPieceKeysNestedAndWithOneGram(t *testing.T) {
	var nested, alike []string
	for i := range window {
		nested = append(nested, strings.Repeat("a", i+1))
	}
	for i := range 500 {
		alike = append(alike, "aaaa"+word(i, 1+i%10, "abc"))
	}
	s := strings.Repeat("a", 40) + "b" + strings.Repeat("abcaaaaacb", 10)
	checkPieceKeys(t, nested, s)
	checkPieceKeys(t, alike, s)
	checkPieceKeys(t, append(nested, alike...), s)
	checkPieceKeys(t, []string{"?"}, "/a?b")
}

func TestNoPieceKeys(t *testing.T) {
	checkPieceKeys(t, nil, "/a")
}
