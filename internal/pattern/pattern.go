package pattern

import "strings"

// Pattern is a compiled path pattern. It is comparable; equal patterns match the same paths with the same priority. The zero
// value is the empty pattern, which matches everything with priority 0.
type Pattern struct {
	text     string // normal form, and no two "*" in a row
	literal  int    // octets of text before the first "*" or the final "$"
	priority int
}

// Compile compiles a pattern as it is written in a robots.txt or a policy, white space and comments removed. It cannot fail:
// what is no pattern matches no path, see [Pattern.Matchable]. The pattern shares memory with raw where that is in
// normal form already, and then nothing is allocated.
func Compile(raw string) Pattern {
	p := Pattern{text: raw, priority: len(raw)}
	if !isNormal(raw, patternText) {
		p.text, p.priority = normalPattern(raw)
	}
	p.literal = strings.IndexByte(p.text, '*')
	if p.literal < 0 {
		p.literal = len(strings.TrimSuffix(p.text, "$"))
	}
	return p
}

// normalPattern returns raw in normal form, each run of "*" as one, and the priority, for which the whole run counts.
func normalPattern(raw string) (text string, priority int) {
	b := make([]byte, 0, len(raw)+len(raw)/4)
	folded := 0
	for i := 0; i < len(raw); {
		if n := plainLen(raw[i:]); n > 0 {
			b = append(b, raw[i:i+n]...)
			i += n
			continue
		}
		c, esc, behind := next(raw, i, patternText)
		if c == '*' && !esc {
			for behind < len(raw) && raw[behind] == '*' {
				behind++
				folded++
			}
		}
		b = appendOctet(b, c, esc)
		i = behind
	}
	return string(b), len(b) + folded
}

// Match reports whether p matches path, which must be in normal form: what [URLPath] and [TextPath] return. It allocates
// nothing.
func (p Pattern) Match(path string) bool { return MatchText(p.text, path) }

// Priority says how specific p is: of the patterns that match a path, the one with the most octets decides (RFC 9309,
// 2.2.2). Octets are those of the normal form; each "*", those of a run too, and the end mark count 1.
func (p Pattern) Priority() int { return p.priority }

// Matchable reports whether p can match a path at all: paths begin with "/", so p must begin with "/" or "*".
func (p Pattern) Matchable() bool {
	return p.text != "" && (p.text[0] == '/' || p.text[0] == '*')
}

// Literal is what each path that p matches begins with: p up to its first "*" or its end mark.
func (p Pattern) Literal() string { return p.text[:p.literal] }

// Tail is the rest of p behind [Pattern.Literal]: empty, "$", or from the first "*" on.
func (p Pattern) Tail() string { return p.text[p.literal:] }

// String is the text of p as it is compared with paths: in normal form, a run of "*" written as one.
func (p Pattern) String() string { return p.text }

// MatchText is [Pattern.Match] for the text of a pattern, which is what [Pattern.String] returns. It allocates nothing.
func MatchText(text, path string) bool {
	n := 0
	for n < len(text) && n < len(path) && text[n] == path[n] {
		n++
	}
	switch {
	case n == len(text):
		return true
	case text[n] == '*':
		return matchPieces(text[n:], path[n:])
	default: // a path holds no "$": this is the end mark, or the two differ
		return text[n] == '$' && n == len(path)
	}
}

// matchPieces matches what is left of a text from a "*" on with what is left of a path.
func matchPieces(text, rest string) bool {
	for {
		text = text[1:] // the "*"
		n := strings.IndexByte(text, '*')
		if n < 0 {
			if literal, ends := strings.CutSuffix(text, "$"); ends {
				return strings.HasSuffix(rest, literal)
			}
			return strings.Contains(rest, text)
		}
		i := strings.Index(rest, text[:n])
		if i < 0 {
			return false
		}
		rest, text = rest[i+n:], text[n:]
	}
}
