package pattern

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jimsmart/grobotstxt"
)

// matches is a slow matcher that shares nothing with the package: it tries every length for every "*".
func matches(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		for i := range len(path) + 1 {
			if matches(pattern[1:], path[i:]) {
				return true
			}
		}
		return false
	default:
		return path != "" && path[0] == pattern[0] && matches(pattern[1:], path[1:])
	}
}

// draw returns n octets or fewer, each drawn from alphabet.
func draw(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, r.IntN(n+1))
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// TestAgreesWithGrobotstxtMatches compares a million pairs over alphabets that make matches and near misses common. "$" stands
// only where both know it: at the end of a pattern. Escapes are left out: there grobotstxt deviates from RFC 9309.
func TestAgreesWithGrobotstxtMatches(t *testing.T) {
	const pairs = 1_000_000
	r := rand.New(rand.NewPCG(9309, 1))
	matched := 0
	for i := range pairs {
		letters := "ab/."[:1+i%4]
		raw := "/" + draw(r, letters+"*", 10)
		if r.IntN(4) == 0 {
			raw += "$"
		}
		path := "/" + draw(r, letters, 14)
		got, want := Compile(raw).Match(path), grobotstxt.Matches(path, raw)
		if got != want {
			t.Fatalf("Compile(%q).Match(%q) = %v, grobotstxt says %v", raw, path, got, want)
		}
		if got {
			matched++
		}
	}
	if matched < pairs/10 {
		t.Errorf("%d of %d pairs matched: too few to say anything", matched, pairs)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("/a*b$", "/aab")
	f.Add("/%%41*$", "/%A$")
	f.Add("/**a***", "/é?x=*")
	f.Fuzz(func(t *testing.T, raw, rawPath string) {
		if strings.Count(raw, "*") > 6 || len(rawPath) > 200 {
			return // the slow matcher is exponential
		}
		p, path := Compile(raw), TextPath("/"+rawPath)
		if got, want := p.Match(path), matches(p.String(), path); got != want {
			t.Errorf("Compile(%q).Match(%q) = %v, want %v (compiled: %q)", raw, path, got, want, p)
		}
		if got, want := p.Priority(), len(p.String()); got < want {
			t.Errorf("Compile(%q).Priority() = %d, less than its %d octets %q", raw, got, want, p)
		}
		if got := p.Literal(); !strings.HasPrefix(p.String(), got) || strings.ContainsAny(got, "*$") {
			t.Errorf("Compile(%q).Literal() = %q of %q", raw, got, p)
		}
	})
}
