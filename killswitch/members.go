package killswitch

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// member is one name and value of a JSON object. encoding/json would keep only the last of two equal names, and take "Host" for "host". It would also look at
// a long list once for each level; here the text is checked once, and then walked through.
type member struct {
	key   string
	value json.RawMessage // shares the memory of the text
}

const space = " \t\r\n"

// members reads one JSON object, and nothing behind it.
func members(text []byte) ([]member, error) {
	if !json.Valid(text) {
		var whole json.RawMessage
		return nil, json.Unmarshal(text, &whole) // which says what is wrong
	}
	text = bytes.TrimLeft(text, space)
	if text[0] != '{' {
		return nil, errors.New("an object was expected")
	}
	return membersOf(text, nil), nil
}

// membersOf are the members of a well-formed object, appended to what is given.
func membersOf(object []byte, to []member) []member {
	for rest := object[1:]; ; {
		rest = bytes.TrimLeft(rest, space+",")
		if rest[0] == '}' {
			return to
		}
		n := valueLen(rest)
		var m member
		m.key, _ = textOf(rest[:n])
		rest = bytes.TrimLeft(rest[n:], space+":")
		n = valueLen(rest)
		m.value, rest = json.RawMessage(rest[:n]), rest[n:]
		to = append(to, m)
	}
}

// elements yields the elements of a well-formed list.
func elements(list []byte) func(func(json.RawMessage) bool) {
	return func(yield func(json.RawMessage) bool) {
		for rest := list[1:]; ; {
			rest = bytes.TrimLeft(rest, space+",")
			if rest[0] == ']' {
				return
			}
			n := valueLen(rest)
			if !yield(json.RawMessage(rest[:n])) {
				return
			}
			rest = rest[n:]
		}
	}
}

// textOf reads a well-formed value as a text; ok false: it is none.
func textOf(value []byte) (text string, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	if plain := value[1 : len(value)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return string(plain), true
	}
	err := json.Unmarshal(value, &text)
	return text, err == nil
}

// valueLen is the length of the JSON value that a well-formed text begins with.
func valueLen(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of what a number or a name stands in
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
