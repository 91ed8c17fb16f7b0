package killswitch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxFile bounds a stop file, in bytes.
const maxFile = 64 << 20

// emptyFile is what a stop file without rules looks like.
const emptyFile = `{"version": 1, "rules": []}`

// stopFile is what a text says as a stop file. Reading it never fails: what can be read as a rule is one, and the problems say why the file is
// not valid all the same. So a file with a mistake can add stops.
type stopFile struct {
	rules      []Rule // canonical, each with an ID
	generation int64
	problems   []string // empty: valid
	// lost is set where something could not be read at all, so that a stop may be missing.
	lost bool
}

func (f *stopFile) valid() bool { return len(f.problems) == 0 }

func (f *stopFile) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// err puts the problems into one error, the first few in full.
func (f *stopFile) err() error {
	const most = 5
	if f.valid() {
		return nil
	}
	if n := len(f.problems); n > most {
		return fmt.Errorf("%s; and %d more", strings.Join(f.problems[:most], "; "), n-most)
	}
	return errors.New(strings.Join(f.problems, "; "))
}

// parseFile reads a stop file.
func parseFile(text []byte) *stopFile {
	f := &stopFile{}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // some editors begin a file with a byte order mark
	if len(bytes.TrimSpace(text)) == 0 {
		f.problem("the file is empty")
		f.lost = true
		return f
	}
	top, err := members(text)
	if err != nil {
		f.problem("not JSON: %v", err)
		f.lost = true
		salvage(f, text)
		return f
	}
	var version, generation, rules []json.RawMessage
	for _, m := range top {
		switch m.key {
		case "version":
			version = append(version, m.value)
		case "generation":
			generation = append(generation, m.value)
		case "rules":
			rules = append(rules, m.value)
		case "updated_by":
			var by string
			if json.Unmarshal(m.value, &by) != nil {
				f.problem("updated_by is no text")
			}
		default:
			f.problem("unknown field %q", m.key)
			if strings.EqualFold(m.key, "rules") {
				rules = append(rules, m.value)
			}
		}
	}
	if len(version) != 1 || string(version[0]) != "1" {
		f.problem("version is not 1")
	}
	if len(generation) > 1 || len(generation) == 1 && json.Unmarshal(generation[0], &f.generation) != nil {
		f.problem("generation is no number")
	}
	if len(rules) != 1 {
		f.problem("there must be one list named rules")
		f.lost = f.lost || len(rules) == 0
	}
	for _, raw := range rules {
		f.readRules(raw)
	}
	return f
}

func (f *stopFile) readRules(raw json.RawMessage) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		f.problem("rules is no list")
		f.lost = true
		salvage(f, raw)
		return
	}
	ids := make(map[string]bool, len(list))
	for i, raw := range list {
		f.readRule(fmt.Sprintf("rule %d", i+1), raw, ids)
	}
}

// salvage takes every object with a readable scope out of a text that is no JSON as a whole: one cut short, or with a comma too many. It goes
// through the text once; a quotation mark that is missing spoils no more than its line.
func salvage(f *stopFile, text []byte) {
	const deepest = 8 // objects within objects
	ids := make(map[string]bool)
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
			if object := text[from : i+1]; hasScope(object) {
				f.readRule("a rule that could be saved", object, ids)
			}
		}
	}
}

// hasScope reports whether an object is meant as a rule.
func hasScope(object []byte) bool {
	ms, err := members(object)
	if err != nil {
		return false
	}
	for _, m := range ms {
		switch strings.ToLower(m.key) {
		case "host", "domain", "all":
			return true
		}
	}
	return false
}
