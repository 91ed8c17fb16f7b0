package collyrobots

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Rules that share much and differ little, in every number, so that each step of the search is taken.
func TestPlainRulesAreFoundInAListOfAnyLength(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 10))
	for n := range 140 {
		shared := [...]string{"/", "/section-", "/a/long/prefix/that/all/share/"}[n%3]
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for range n {
			fmt.Fprintf(&b, "%s: %s%s%s\n", [...]string{"Allow", "Disallow"}[r.IntN(2)], shared, word(r.IntN(5000), r.IntN(12), "ab/"), [...]string{"", "", "*", "*$", "$"}[r.IntN(5)])
		}
		rules, naive := Compile([]byte(b.String()), "FooBot"), readNaively(b.String())
		for range 60 {
			path := shared + word(r.IntN(5000), r.IntN(14), "ab/")
			if r.IntN(8) == 0 && len(path) > 1 {
				path = path[:1+r.IntN(len(path)-1)]
			}
			got := rules.matchPath(path)
			line, allowed := naive.decide(path)
			if got.Allowed != allowed || (got.Line == 0) != (line == 0) || line != 0 && naive.rankOf(got.Line) != naive.rankOf(line) {
				t.Fatalf("matchPath(%q) = %+v, want allowed %v by line %d; rules:\n%s", path, got, allowed, line, b.String())
			}
		}
	}
}
