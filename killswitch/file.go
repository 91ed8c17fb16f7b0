package killswitch

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

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
	f.read(f.decode(text))
	if utf16Order(text) == nil {
		return f
	}
	// Somebody may have added to it in UTF-8, which is nothing when it is read as UTF-16.
	added := new(stopFile)
	if salvage(added, text); len(added.rules) > 0 {
		salvage(f, text)
	}
	return f
}

// read reads a stop file's text.
func (f *stopFile) read(text []byte) {
	if len(bytes.TrimSpace(text)) == 0 {
		f.problem("the file is empty")
		f.lost = true
		return
	}
	top, err := members(text)
	if err != nil {
		f.problem("not JSON: %v", err)
		f.lost = true
		salvage(f, text)
		return
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
			if _, ok := textOf(m.value); !ok {
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
}

// decode takes off the byte order mark that some editors begin a file with. UTF-16 is no JSON (RFC 8259, 8.1), but can be read.
func (f *stopFile) decode(text []byte) []byte {
	order := utf16Order(text)
	if order == nil {
		return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	f.problem("the file is in UTF-16: save it as UTF-8")
	units := make([]uint16, 0, len(text)/2)
	for text = text[2:]; len(text) >= 2; text = text[2:] {
		units = append(units, order.Uint16(text))
	}
	return []byte(string(utf16.Decode(units)))
}

// utf16Order is the order of the octets of a text in UTF-16, by its byte order mark, or nil.
func utf16Order(text []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		return binary.BigEndian
	}
	return nil
}

// readRules reads a well-formed value as the list of rules.
func (f *stopFile) readRules(raw json.RawMessage) {
	if raw[0] != '[' {
		f.problem("rules is no list")
		f.lost = true
		salvage(f, raw)
		return
	}
	d := newDraft(f)
	var room []member // for the members of one rule after the other
	n := 0
	for raw := range elements(raw) {
		n++
		if raw[0] != '{' {
			f.problem("rule %d: an object was expected", n)
			f.lost = true
			continue
		}
		room = membersOf(raw, room[:0])
		d.readRule(place{rule: n}, room)
	}
}
