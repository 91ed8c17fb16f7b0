package collyrobots

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

// naiveRules is a robots.txt with one group, read and matched in the plainest way: every rule is tried, octet by octet, and the
// most specific one is kept. It shares only the normal form with the package.
type naiveRules []naiveRule

type naiveRule struct {
	pattern  string
	priority int
	allow    bool
	line     int
}

// readNaively reads a body whose lines are all agent lines, rules, or nothing; the rules of all groups are for everybody.
func readNaively(body string) naiveRules {
	var rules naiveRules
	for i, line := range strings.Split(body, "\n") {
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " ")
		allow := strings.EqualFold(name, "allow")
		if !ok || !allow && !strings.EqualFold(name, "disallow") || value == "" || strings.Contains(value, " ") {
			continue
		}
		p := pattern.Compile(value)
		rules = append(rules, naiveRule{p.String(), p.Priority(), allow, i + 1})
	}
	return rules
}

// decide returns the line of the rule that decides, and whether it allows; 0 and true if none matches.
func (rules naiveRules) decide(path string) (line int, allowed bool) {
	best := naiveRule{allow: true}
	for _, r := range rules {
		if matchesNaively(r.pattern, path) && (r.priority > best.priority || r.priority == best.priority && r.allow && !best.allow) {
			best = r
		}
	}
	return best.line, best.allow
}

// matchesNaively follows the definition: it holds which octets of path each octet of the pattern may lead to.
func matchesNaively(pattern, path string) bool {
	reached := make([]bool, len(path)+1)
	reached[0] = true
	for i := range len(pattern) {
		switch c := pattern[i]; c {
		case '*':
			for at := 1; at <= len(path); at++ {
				reached[at] = reached[at] || reached[at-1]
			}
		case '$':
			return reached[len(path)]
		default:
			for at := len(path); at > 0; at-- {
				reached[at] = reached[at-1] && path[at-1] == c
			}
			reached[0] = false
		}
	}
	for _, r := range reached {
		if r {
			return true
		}
	}
	return false
}

// randomRules draws rules that often match, nearly match, share prefixes and pieces, and are equal.
func randomRules(r *rand.Rand, n int, pieces []string) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for range n {
		b.WriteString([...]string{"Disallow: ", "Allow: "}[r.IntN(2)])
		b.WriteString([...]string{"/", "/", "/", "*"}[r.IntN(4)])
		for range r.IntN(5) {
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(3) == 0 {
				b.WriteByte('*')
			}
		}
		b.WriteString([...]string{"", "", "$", "*", "*$", "**", "\n"}[r.IntN(7)])
		b.WriteByte('\n')
	}
	return b.String()
}

func randomPath(r *rand.Rand, pieces []string) string {
	var b strings.Builder
	b.WriteByte('/')
	for range r.IntN(9) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

var randomPieces = [][]string{
	{"a", "b"},
	{"a", "ab", "ba", "/", "?"},
	{"aaaa", "aaab", "aaaaaaaaaaaaaaaaaaaa", "b"},
	{"/shop", "/shop/cart", "-7", "-77", ".php", "?id=", "&", "x", "%2A", "%24", "é"},
	{strings.Repeat("ab", 20), strings.Repeat("ab", 9) + "c", "ab", "c/"},
}

// The way through the order of rules and the index of long lists must decide as the plain way does.
func TestDecisionsOfEveryShape(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 3))
	decided := map[string]int{}
	rounds, enough := 200, 300
	if raceEnabled { // which looks for other things, ten times as slowly
		rounds, enough = 40, 50
	}
	for round := range rounds {
		pieces := randomPieces[round%len(randomPieces)]
		n := [...]int{1, 5, 20, 60, 150, 400}[r.IntN(6)]
		body := randomRules(r, n, pieces)
		rules, naive := Compile([]byte(body), "FooBot"), readNaively(body)
		for range 20 {
			raw := randomPath(r, pieces)
			path := pattern.TextPath(raw)
			got := rules.Match(raw)
			line, allowed := naive.decide(path)
			if got.Allowed != allowed || (got.Line == 0) != (line == 0) || got.Line != 0 && naive.rankOf(got.Line) != naive.rankOf(line) {
				t.Fatalf("Match(%q) = %+v, want allowed %v by line %d; rules:\n%s", raw, got, allowed, line, body)
			}
			if len(rules.sets) == 0 {
				continue
			}
			shape := "without an index"
			if s := rules.sets[0]; s.index != nil {
				shape = "with an index"
				checkBulk(t, s, path)
			}
			decided[shape]++
		}
	}
	for _, shape := range []string{"without an index", "with an index"} {
		if decided[shape] < enough {
			t.Errorf("decisions by shape: %v, too few for %s", decided, shape)
		}
	}
}

// rankOf is the rank of the rule in a line. Of equal rules any line will do but the first is told.
func (rules naiveRules) rankOf(line int) int {
	for _, r := range rules {
		if r.line == line {
			if r.allow {
				return 2*r.priority + 1
			}
			return 2 * r.priority
		}
	}
	return -1
}

// checkBulk holds the two indexes against each other, that which tries one rule at a time and that for very many.
func checkBulk(t *testing.T, s *ruleSet, path string) {
	t.Helper()
	first := uint32(s.plains())
	var filed []stretch
	for rule := first; rule < uint32(s.len()); rule++ {
		filed = append(filed, appendWindows(nil, s, rule, s.rules[rule].at)[0])
	}
	one, many := s.index.best(s, path, verdict{}), newPieceIndex(s, first, filed).best(s, path, verdict{})
	if one.rank != many.rank {
		t.Fatalf("index on %q: %q one by one, %q all together", path, shownOrNone(one), shownOrNone(many))
	}
}

func shownOrNone(v verdict) string {
	if v.rank == noRank {
		return "no rule"
	}
	return v.set.shown(v.rule)
}

func TestTheFirstOfEqualRulesIsTold(t *testing.T) {
	for _, n := range []int{0, 30} {
		body := "User-agent: *\nDisallow: /a*\nDisallow: /%61\nDisallow: /a\nDisallow: /a*\n" + repeatTo(20*n, func(i int) string {
			return "Disallow: /" + word(i, 3, "xyz") + "\n"
		})
		r := Compile([]byte(body), "FooBot")
		if got, want := r.Match("/a"), (Match{Line: 2, Rule: "disallow: /a*"}); got != want {
			t.Errorf("Match(/a) among %d more rules = %+v, want %+v", n, got, want)
		}
	}
}

// FuzzMatch makes a file of the given patterns, allowed and disallowed by turns, and of more rules that give it lists with an
// index.
func FuzzMatch(f *testing.F) {
	f.Add("/a*b$\n/aab", "/aab", 0)
	f.Add("/*a*\n*b\n/", "/bab?x", 40)
	f.Add("/%2A%24$\n/$*\n/%%41", "/*$", 100)
	f.Fuzz(func(t *testing.T, patterns, rawPath string, more int) {
		if len(patterns) > 4000 || len(rawPath) > 400 {
			return // the plain way is slow
		}
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i, p := range strings.Split(patterns, "\n") {
			if strings.ContainsAny(p, "#\r\t\v\f") {
				continue // ends a path; other tests look at that
			}
			b.WriteString([...]string{"Disallow:", "Allow:"}[i%2] + p + "\n")
		}
		for i := range max(0, more%200) {
			b.WriteString("Disallow:/" + word(i, 1+i%5, "ab*/") + "\n")
		}
		path := pattern.TextPath("/" + rawPath)
		got := Compile([]byte(b.String()), "FooBot").Match("/" + rawPath)
		line, allowed := readNaively(b.String()).decide(path)
		if path == "/robots.txt" {
			line, allowed = 0, true
		}
		if got.Allowed != allowed || (got.Line == 0) != (line == 0) {
			t.Errorf("Match(%q) = %+v, want allowed %v by line %d; rules:\n%s", path, got, allowed, line, b.String())
		}
	})
}
