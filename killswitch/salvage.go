package killswitch

import (
	"bytes"
	"encoding/json"
	"strings"
)

// salvage takes every object with a readable scope out of a text that is no JSON as a whole: one cut short, or with a comma too many. It goes
// through the text once; a quotation mark that is missing spoils no more than its line. An object that has no end is left alone: it is being written.
func salvage(f *stopFile, text []byte) {
	f.lost = true
	const deepest = 8 // objects within objects
	d := newDraft(f)
	var open []int
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n': // JSON has no line break within quotation marks
			quoted = false
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			if len(open) == deepest {
				open = append(open[:0], open[1:]...)
			}
			open = append(open, i)
		case c == '}' && len(open) > 0:
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if ms := anyMembers(text[from : i+1]); hasScope(ms) {
				d.readRule(place{}, ms)
			}
		}
	}
}

// anyMembers are the members of an object, well formed or not.
func anyMembers(object []byte) []member {
	if json.Valid(object) {
		return membersOf(object, nil)
	}
	return looseMembers(object)
}

// hasScope reports whether an object is meant as a rule.
func hasScope(ms []member) bool {
	for _, m := range ms {
		switch strings.ToLower(m.key) {
		case "host", "domain", "all":
			return true
		}
	}
	return false
}

// looseMembers are the members of an object that can be read although it is no JSON: each name in quotation marks with a colon and a value behind it. Commas,
// comments and other text between them do not matter. The members of objects within the object are none of its own.
func looseMembers(object []byte) []member {
	var found []member
	for rest := object[1:]; ; {
		n := bytes.IndexAny(rest, `"{[`)
		if n < 0 {
			return found
		}
		rest = rest[n:]
		n = looseLen(rest)
		name := rest[:n]
		rest = rest[n:]
		var m member
		if json.Unmarshal(name, &m.key) != nil {
			continue
		}
		value, colon := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
		if !colon {
			continue
		}
		value = bytes.TrimLeft(value, " \t\r\n")
		n = looseLen(value)
		rest = value[n:]
		if m.value = json.RawMessage(tabsEscaped(value[:n])); json.Valid(m.value) {
			found = append(found, m)
		}
	}
}

// looseLen is the length of what a text begins with: a text in quotation marks, which ends with its line at the latest, a list or object, or what stands before
// the next comma, bracket or space.
func looseLen(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n' && quoted:
			if quoted = false; depth == 0 {
				return i
			}
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c <= ' '):
			return i
		}
	}
	return len(text)
}

// tabsEscaped mends the one control character that people type into texts.
func tabsEscaped(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\t"), []byte(`\t`)) }
