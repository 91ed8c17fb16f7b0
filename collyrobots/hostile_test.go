package collyrobots

import (
	"fmt"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

// Files that were made to be slow must still be decided rightly. What they cost is measured beside, see the ratio tests; here a
// decision that takes path times rules times stars, or worse, would not come to an end.
func TestHostileFilesAreDecidedRightly(t *testing.T) {
	for _, f := range hostileFiles(300) {
		body := wholeLines([]byte(f.body), 20_000) // the plain matcher is slow
		if len(body) < 1000 {
			continue // one line
		}
		rules, naive := Compile(body, "FooBot"), readNaively(string(body))
		for _, u := range f.urls {
			got := rules.Match(u)
			line, allowed := naive.decide(pattern.TextPath(u))
			if got.Allowed != allowed || (got.Line == 0) != (line == 0) {
				t.Errorf("%s: Match(%.60q) = %.100v, want allowed %v by line %d", f.name, u, got, allowed, line)
			}
		}
	}
}

func TestHostileFilesOfFullSizeComeToAnEnd(t *testing.T) {
	for _, length := range []int{2000, 8000} {
		for _, f := range hostileFiles(length) {
			rules := Compile([]byte(f.body), "FooBot")
			for _, u := range f.urls {
				m := rules.Match(u)
				checkRule(t, []byte(f.body), m)
			}
		}
	}
}

// The number of rules that are kept of a hostile file is that of different ones.
func TestEqualRulesAreKeptOnce(t *testing.T) {
	body := repeatTo(parsingLimit, func(i int) string {
		return fmt.Sprintf("Disallow: /%d\nAllow: /%d\ndisallow: /%%3%d\n", i%10, i%10, i%10)
	})
	rules := Compile([]byte(body), "FooBot")
	if got, want := rules.sets[0].len(), 10; got != want {
		t.Errorf("%d rules kept, want %d", got, want)
	}
	if got, want := rules.Match("/7"), (Match{Allowed: true, Line: 24, Rule: "allow: /7"}); got != want {
		t.Errorf("Match(/7) = %+v, want %+v", got, want)
	}
}

// None of these holds a rule for us, or holds one that can be read; none may do harm.
func TestBodiesThatAreNoRobotsTxt(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for name, body := range map[string]string{
		"nothing":               "",
		"NULs":                  strings.Repeat("\x00", 10_000),
		"every octet":           string(all),
		"UTF-16":                "\xFF\xFEU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00",
		"HTML":                  "<!DOCTYPE html>\n<html><p>User-agent: *</p>\n<p>Disallow: /</p></html>\n",
		"colons":                strings.Repeat(":", parsingLimit),
		"line ends":             strings.Repeat("\r\n\r\r\n", 100_000),
		"byte order marks":      strings.Repeat("\uFEFF", 1000),
		"agents and no rule":    strings.Repeat("User-agent: *\nUser-agent: FooBot\n", 15_000),
		"rules and no agent":    strings.Repeat("Disallow: /\n", 40_000),
		"one long line":         strings.Repeat("Disallow: /", parsingLimit/11),
		"one long agent":        "User-agent: " + strings.Repeat("x", parsingLimit-100) + "\nDisallow: /\n",
		"rules that cannot be":  "User-agent: *\nDisallow: a\nDisallow: /a b\nDisallow: $\nDisallow: %2F\nDisallow: https://h.example/\nDisallow:\n",
		"a comment":             "# User-agent: *\n# Disallow: /\n",
		"one record name twice": "User-agent: User-agent: *\nDisallow: /\n",
	} {
		r := Compile([]byte(body), "FooBot", "BarBot")
		for _, u := range []string{"", "/", "https://h.example/a?b", "https://h.example/%"} {
			if got, want := r.Match(u), (Match{Allowed: true}); got != want {
				t.Errorf("%s: Match(%q) = %.100v, want %v", name, u, got, want)
			}
		}
		if got, most := r.bytes(), 2000; got > most {
			t.Errorf("%s: bytes() = %d, want %d at most", name, got, most)
		}
	}
}
