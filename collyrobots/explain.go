package collyrobots

import (
	"cmp"
	"slices"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

// Explanation says how a robots.txt decides on one URL, for people.
type Explanation struct {
	ProductToken string // by which we were looked up; "*" where there is none
	// Group is the group that we are judged by: "named" for one that names our token, "*", or "none", and then all is allowed.
	Group     string
	GroupLine int // of the first agent line of that group; 0: there is none
	// Groups are where the groups stand that we are judged by, those obeyed besides included, in the order of the file.
	Groups []GroupLines
	Match  Match
	// Rules are all rules that match the URL, for each crawler that we are judged as: ours first, then those obeyed besides that the file names.
	// Each crawler's strongest rule stands first.
	Rules []MatchedRule
}

// MatchedRule is a rule that matches a URL.
type MatchedRule struct {
	For     string // whom it is for: a product token, or "*"
	Line    int    // counted from 1
	Rule    string // such as "disallow: /private/*"
	Allows  bool
	Octets  int  // its length, by which it is compared: the longest wins, and of two of the same length an allow
	Decides bool // it is the rule of Match
}

// Explain says how body, a robots.txt, decides on rawURL. The arguments are as in [Compile] and [Rules.Match], and so is the decision. It looks at
// each rule of the file: it is for people and not for crawling. Explain is pure.
func Explain(body []byte, rawURL, productToken string, alsoObey ...string) Explanation {
	rules := Compile(body, productToken, alsoObey...)
	e := Explanation{Group: rules.group.String(), GroupLine: rules.groupLine, Match: rules.Match(rawURL)}
	tokens := ownTokens(productToken, alsoObey)
	if e.ProductToken = tokens[0]; e.ProductToken == "" {
		e.ProductToken = "*"
	}
	var marks groupMarks
	f := readMarking(string(wholeLines(body, parsingLimit)), tokens, &marks)
	judged := f.judgedAgents()
	e.Groups = marks.of(judged)
	path := pattern.TextPath(rawURL)
	if path == robotsTxtPath {
		return e
	}
	for _, agent := range judged {
		if agent != agentNone {
			e.Rules = append(e.Rules, f.matched(agent, path, e.Match.Line)...)
		}
	}
	for i := range e.Rules { // the first that is the one: crawlers that share a group have the same rules
		if r := &e.Rules[i]; r.Line == e.Match.Line && r.Allows == e.Match.Allowed {
			r.Decides = true
			break
		}
	}
	return e
}

// matched are the rules for an agent that match path, the strongest first; of several alike the one of the line that decides.
func (f *fileReader) matched(agent int, path string, line int) []MatchedRule {
	name := "*"
	if agent >= agentOwn {
		name = f.tokens[agent-agentOwn]
	}
	var out []MatchedRule
	patterns := string(f.patterns)
	for _, r := range f.rules {
		text := patterns[r.pattern.at:r.literal] + patterns[r.literal+1:r.pattern.end]
		if !f.audiences[r.audience].has(agent) || !pattern.MatchText(text, path) {
			continue
		}
		if r.raw != 0 {
			text = f.raws[r.raw-1]
		}
		kind := "disallow: "
		if r.rank.allows() {
			kind = "allow: "
		}
		out = append(out, MatchedRule{For: name, Line: int(r.line), Rule: kind + text, Allows: r.rank.allows(), Octets: int(r.rank / 2)})
	}
	strength := func(r MatchedRule) int {
		n := 2 * int(rankOf(r.Octets, r.Allows))
		if r.Line == line {
			n++
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b MatchedRule) int { return cmp.Compare(strength(b), strength(a)) })
	return out
}
