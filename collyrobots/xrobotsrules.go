package collyrobots

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/token"
)

// tagRules are the rules of X-Robots-Tag and of meta robots that are a word alone, and what they deny. "all" and its kind say nothing, and so
// cancel nothing.
var tagRules = map[string]struct {
	denies []Use
	images []Use // of the page's images
}{
	"noindex":      {denies: []Use{Index, Search}},
	"nofollow":     {denies: []Use{Follow}},
	"none":         {denies: []Use{Index, Search, Follow}},
	"noarchive":    {denies: []Use{Archive}},
	"nocache":      {denies: []Use{Archive}},
	"nosnippet":    {denies: []Use{Snippet}},
	"noai":         {denies: []Use{AITrain, AIInput}, images: []Use{AITrain, AIInput}},
	"noimageai":    {images: []Use{AITrain, AIInput}},
	"noimageindex": {images: []Use{Index}},
	"all":          {}, "index": {}, "follow": {}, "archive": {}, "snippet": {},
	"notranslate": {}, "indexifembedded": {}, "nositelinkssearchbox": {}, "noodp": {}, "noydir": {}, "noyaca": {},
}

// valuedRules have a value behind a ":", so their names are no agents.
var valuedRules = map[string]bool{"unavailable_after": true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true}

// agents are those whose rules we obey.
type agents struct {
	own  string // folded; empty: nobody's name
	also []string
}

func agentsOf(productToken string, alsoObey []string) agents {
	a := agents{own: ownToken(productToken)}
	for _, name := range alsoObey {
		if t := ownToken(name); t != "" {
			a.also = append(a.also, t)
		}
	}
	return a
}

// addresses reports whether rules for name are for us. "*" and "robots" are everybody; names are compared whole, without case.
func (a *agents) addresses(name string) bool {
	if name == "*" || token.Equal(name, "robots") || a.own != "" && token.Equal(name, a.own) {
		return true
	}
	for _, t := range a.also {
		if token.Equal(name, t) {
			return true
		}
	}
	return false
}

// tagReader reads lists of such rules into signals.
type tagReader struct {
	into   *Signals
	agents agents
	now    time.Time
	image  bool // the answer itself is an image: what is said of images is said of it
}

// read reads one list, which is for agent. Where prefixed is true, as in a header, "name:" before a rule makes this rule and those behind it
// be for somebody else. src says where the list stands.
func (r *tagReader) read(src Source, list, agent string, prefixed bool) {
	parts := strings.Split(list, ",")
	for i := 0; i < len(parts); i++ {
		rule := trimSpace(parts[i])
		if prefixed {
			if name, rest, ok := cutAgent(rule); ok {
				agent, rule = name, rest
			}
		}
		if rule == "" {
			continue
		}
		src.Agent, src.Raw = agent, cutRaw(rule)
		name, value, _ := strings.Cut(rule, ":")
		switch name = strings.ToLower(trimSpace(name)); {
		case name == "unavailable_after":
			next := ""
			if i+1 < len(parts) {
				next = parts[i+1]
			}
			date, both, ok := dateIn(value, next)
			if both {
				src.Raw = cutRaw(rule + "," + next)
				i++
			}
			if r.agents.addresses(agent) {
				r.expire(src, date, ok)
			}
		case r.agents.addresses(agent):
			r.apply(src, rule, name, value)
		}
	}
}

// dateIn reads a date that may contain a comma, so that the list was cut in it: next is the part behind.
func dateIn(value, next string) (date time.Time, both, ok bool) {
	if date, ok = parseDate(value); ok {
		return date, false, true
	}
	date, ok = parseDate(value + "," + next)
	return date, ok, ok
}

func (r *tagReader) expire(src Source, date time.Time, ok bool) {
	if !ok {
		r.into.addProblem(src, "no date that can be read, so the rule does not count")
		return
	}
	r.into.expire(date)
	if !r.now.Before(date) {
		r.into.say(src, Deny, Index, Search)
	}
}

func (r *tagReader) apply(src Source, rule, name, value string) {
	switch name {
	case "max-snippet":
		n, err := strconv.Atoi(trimSpace(value))
		switch {
		case err != nil || n < -1:
			r.into.addProblem(src, "no number of characters, so the rule does not count")
		case n == 0:
			r.into.say(src, Deny, Snippet)
		}
	case "max-image-preview", "max-video-preview":
	default:
		r.words(src, strings.ToLower(rule))
	}
}

// words applies a rule that is a word; or several, if something else than a comma stands between them.
func (r *tagReader) words(src Source, rule string) {
	words := strings.FieldsFunc(rule, func(c rune) bool { return isHTMLSpace(c) || c == ';' || c == ':' })
	for _, w := range words {
		if _, known := tagRules[w]; !known {
			r.into.addProblem(src, fmt.Sprintf("%.40q is no known rule", rule))
			return
		}
	}
	if len(words) > 1 {
		r.into.addProblem(src, "no commas between the rules; all of them count")
	}
	for _, w := range words {
		known := tagRules[w]
		r.into.say(src, Deny, known.denies...)
		for _, u := range known.images {
			r.into.addStatement(Statement{Use: u, Verdict: Deny, Images: !r.image, Source: src})
		}
	}
}

// cutAgent cuts "name:" off the front of a rule. It is a name only if it is a token of HTTP, no rule, and a known rule stands behind it: else
// "max-foo: 10, noindex" would hide the noindex.
func cutAgent(rule string) (name, rest string, ok bool) {
	name, rest, found := strings.Cut(rule, ":")
	name, rest = trimSpace(name), trimSpace(rest)
	if !found || !isHTTPToken(name) || isTagRule(name) {
		return "", "", false
	}
	end := strings.IndexFunc(rest, func(c rune) bool { return isHTMLSpace(c) || c == ';' || c == ':' })
	if end < 0 {
		end = len(rest)
	}
	return name, rest, isTagRule(rest[:end])
}

func isTagRule(name string) bool {
	name = strings.ToLower(name)
	_, known := tagRules[name]
	return known || valuedRules[name]
}

// isHTTPToken reports whether s is a token of RFC 9110, 5.6.2.
func isHTTPToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}

// isHTMLSpace reports whether c is ASCII white space, as HTML has it.
func isHTMLSpace(c rune) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }

func trimSpace(s string) string { return strings.TrimFunc(s, isHTMLSpace) }
