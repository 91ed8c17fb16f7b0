package killswitch

import (
	"bytes"
	"encoding/json"
	"errors"
)

// member is one name and value of a JSON object. encoding/json would keep only the last of two equal names, and take "Host" for "host".
type member struct {
	key   string
	value json.RawMessage // shares the memory of the text
}

// members reads one JSON object, and nothing behind it.
func members(text []byte) ([]member, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	rest := bytes.TrimLeft(text, " \t\r\n")
	if rest[0] != '{' {
		return nil, errors.New("an object was expected")
	}
	// From here on the text is known to be well formed.
	var out []member
	for rest = rest[1:]; ; {
		rest = bytes.TrimLeft(rest, " \t\r\n,")
		if rest[0] == '}' {
			return out, nil
		}
		n := valueLen(rest)
		var m member
		if err := json.Unmarshal(rest[:n], &m.key); err != nil {
			return nil, err
		}
		rest = bytes.TrimLeft(rest[n:], " \t\r\n:")
		n = valueLen(rest)
		m.value, rest = json.RawMessage(rest[:n]), rest[n:]
		out = append(out, m)
	}
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
