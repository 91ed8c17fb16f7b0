package exam

import (
	"slices"
	"testing"
)

// SameSet fails unless got holds what want holds, in whatever order, and says in words what is missing and what is too much. what begins the sentence.
func SameSet(t *testing.T, what string, got, want []string) {
	t.Helper()
	for _, s := range diff(want, got) {
		t.Errorf("%s: %q is missing", what, s)
	}
	for _, s := range diff(got, want) {
		t.Errorf("%s: %q should not be there", what, s)
	}
}

// diff is what a holds and b does not, each as often as it is missing.
func diff(a, b []string) (out []string) {
	rest := slices.Clone(b)
	for _, s := range a {
		if i := slices.Index(rest, s); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			out = append(out, s)
		}
	}
	return out
}
