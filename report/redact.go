package report

import (
	"bytes"
	"net/url"
	"strings"
)

// secretWords are parts of query names whose values do not belong into a log; secretNames are such names as a whole.
var (
	secretWords = split("token secret passw pwd auth session signature apikey api_key api-key access_key credential")
	secretNames = split("key sig sid code jwt phpsessid jsessionid")
)

func split(words string) [][]byte { return bytes.Fields([]byte(words)) }

// RedactURL is u for a log: without userinfo, and with the values of query and fragment parameters that look like secrets replaced by "xxxxx". What
// cannot be parsed as a URL then loses everything after the first "?" and everything before an "@". A URL without secrets is given back as it is.
func RedactURL(u string) string {
	if !holdsSecret(u) {
		return u
	}
	whole, fragment, hasFragment := strings.Cut(u, "#")
	rest := ""
	if parsed, err := url.Parse(whole); err == nil {
		parsed.User = nil
		parsed.RawQuery = redactPairs(parsed.RawQuery)
		rest = parsed.String()
	}
	if rest == "" || hasUserinfo(rest) { // no URL, or one such as "//@//b@c"
		whole, _, _ = strings.Cut(whole, "?")
		return whole[strings.LastIndexByte(whole, '@')+1:]
	}
	if hasFragment {
		rest += "#" + redactPairs(fragment)
	}
	return rest
}

// holdsSecret reports whether there is anything to redact. It allocates nothing for the names that are usual, since it is asked of every skip.
func holdsSecret(u string) bool {
	if hasUserinfo(u) {
		return true
	}
	start := strings.IndexAny(u, "?#")
	if start < 0 {
		return false
	}
	for rest := u[start+1:]; rest != ""; {
		var pair string
		pair, _, rest = cutPair(rest)
		if name, _, has := strings.Cut(pair, "="); has && looksSecret(name) {
			return true
		}
	}
	return false
}

// hasUserinfo is true too where it cannot be told.
func hasUserinfo(u string) bool {
	_, authority, found := strings.Cut(u, "//")
	if !found {
		return strings.Contains(u, "@")
	}
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	return strings.Contains(authority, "@")
}

// redactPairs keeps order and spelling of what it does not replace.
func redactPairs(q string) string {
	var b strings.Builder
	for rest := q; rest != ""; {
		var pair, separator string
		pair, separator, rest = cutPair(rest)
		name, _, has := strings.Cut(pair, "=")
		if has && looksSecret(name) {
			pair = name + "=xxxxx"
		}
		b.WriteString(pair)
		b.WriteString(separator)
	}
	return b.String()
}

// cutPair takes the first pair off. Old servers separate with ";", and a fragment may hold a query of its own.
func cutPair(q string) (pair, separator, rest string) {
	i := strings.IndexAny(q, "&;?#")
	if i < 0 {
		return q, "", ""
	}
	return q[:i], q[i : i+1], q[i+1:]
}

func looksSecret(name string) bool {
	var room [64]byte
	plain := appendName(room[:0], name)
	for _, w := range secretNames {
		if bytes.Equal(plain, w) {
			return true
		}
	}
	for _, w := range secretWords {
		if bytes.Contains(plain, w) {
			return true
		}
	}
	return false
}

// appendName appends the name unescaped and in lower case.
func appendName(b []byte, name string) []byte {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '%' && i+2 < len(name) {
			if hi, lo := unhex(name[i+1]), unhex(name[i+2]); hi < 16 && lo < 16 {
				c = hi<<4 | lo
				i += 2
			}
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

// unhex is the value of a hexadecimal digit, 16 or more for anything else.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return (c | 0x20) - 'a' + 10
	}
	return 16
}
