package identity

import (
	"fmt"
	"strings"
)

// maxUserAgent is the longest User-Agent in bytes: RFC 9110, 10.1.5 asks for short ones.
const maxUserAgent = 256

// syntaxFault finds what must not stand in the header field at all.
func syntaxFault(r *reading) string {
	ua := r.ua
	for i := range len(ua) {
		switch c := ua[i]; {
		case c < ' ' || c == 0x7f:
			return fmt.Sprintf("it holds the control character %q", c)
		case c >= 0x80:
			return "it holds characters from outside ASCII" + asciiHint(r)
		}
	}
	if !balanced(ua) {
		return "its brackets do not match"
	}
	if len(ua) > maxUserAgent {
		return tooLong(ua)
	}
	return ""
}

func tooLong(ua string) string {
	return fmt.Sprintf("it has %d bytes, more than %d", len(ua), maxUserAgent)
}

// asciiHint names the A-labels of contact hosts that were written in another script.
func asciiHint(r *reading) string {
	for _, c := range r.contacts {
		if strings.Contains(c.host, "xn--") && !strings.Contains(c.text, "xn--") {
			return fmt.Sprintf(": write %s as %s", c.text, c.host)
		}
	}
	return ""
}

// balanced reports whether each "(" has its ")". A backslash within a comment takes the next character out of the count (RFC 9110, 5.6.4).
func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && depth > 0:
			i++
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// grammarFault compares with RFC 9110, 10.1.5: product *( RWS ( product / comment ) ). Well-known crawlers deviate, so it is only a warning.
func grammarFault(r *reading) string {
	rest := r.ua
	for first := true; first || rest != ""; first = false {
		if !first {
			trimmed := strings.TrimLeft(rest, " \t")
			if len(trimmed) == len(rest) || trimmed == "" {
				return fmt.Sprintf("a space or a product is missing before %q (RFC 9110, 10.1.5)", short(rest))
			}
			rest = trimmed
		}
		n := productLength(rest)
		if n == 0 && !first {
			n = commentLength(rest)
		}
		if n == 0 {
			return fmt.Sprintf("%q is neither product nor comment: notes belong into round brackets behind a product (RFC 9110, 10.1.5)", short(rest))
		}
		rest = rest[n:]
	}
	return ""
}

// productLength is the length of the token ["/" token] that s begins with.
func productLength(s string) int {
	n := tokenLength(s)
	if n > 0 && n < len(s) && s[n] == '/' {
		if v := tokenLength(s[n+1:]); v > 0 {
			return n + 1 + v
		}
	}
	return n
}

// commentLength is the length of the comment that s begins with, or 0.
func commentLength(s string) int {
	if s[0] != '(' {
		return 0
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '\\':
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return 0
}

// tokenLength is the length of the HTTP token (RFC 9110, 5.6.2) that s begins with.
func tokenLength(s string) int {
	for i := range len(s) {
		if !isAlnum(rune(s[i])) && strings.IndexByte("!#$%&'*+-.^_`|~", s[i]) < 0 {
			return i
		}
	}
	return len(s)
}

// short keeps foreign text in messages small.
func short(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
