package etiquette

import (
	"errors"
	"strings"
	"testing"
)

// FuzzReadPolicy: whatever a file holds, it is a policy that New has nothing against, or an error with a place that is in the file.
func FuzzReadPolicy(f *testing.F) {
	f.Add(wholePolicy)
	for _, seed := range []string{"", "pace: [{delay: 2s}]\n", "a: &x [*x]\n", "? a\n: b\n", "- - - - x", "{{{{", "a: |\n  b", "%x\n---\n", "pace:\r\n- delay: 1s\r\n",
		"user_agent: \"\\x00\"", "permit: [{until: 2026-12-31}]", "identity: {browser_like: {a.test: b}}", "\ufeffshare: 1", "share: 1 # x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePolicy("p.yaml", []byte(text))
		if err == nil {
			if faults := p.faults(p.saysWho()); len(faults) > 0 {
				t.Errorf("ReadPolicy of %q succeeded, and New says %v", text, faults)
			}
			return
		}
		var e *PolicyError
		if !errors.As(err, &e) {
			t.Fatalf("ReadPolicy of %q = %v, want a *PolicyError", text, err)
		}
		if lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r"); e.Line > lines {
			t.Errorf("ReadPolicy of %q = %v, in a line beyond the last, %d", text, err, lines)
		}
	})
}
