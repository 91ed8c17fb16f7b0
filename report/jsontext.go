package report

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// appendString appends a JSON string (RFC 8259, 7). What would not be seen, or would steer a terminal on which the file is shown, is escaped. A byte that is
// no UTF-8 becomes the replacement character; in a URL it is percent-encoded, which means the same to a server.
func appendString(b []byte, text string, isURL bool) []byte {
	b = append(b, '"')
	if safe(text) {
		b = append(b, text...)
		return append(b, '"')
	}
	for i, width := 0, 0; i < len(text); i += width {
		var c rune
		c, width = utf8.DecodeRuneInString(text[i:])
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == utf8.RuneError && width == 1 && isURL:
			b = append(b, '%', "0123456789ABCDEF"[text[i]>>4], "0123456789ABCDEF"[text[i]&15])
		case c == utf8.RuneError && width == 1:
			b = utf8.AppendRune(b, utf8.RuneError)
		case unicode.IsPrint(c):
			b = append(b, text[i:i+width]...)
		case c > 0xffff:
			hi, lo := utf16.EncodeRune(c)
			b = appendEscaped(appendEscaped(b, hi), lo)
		default:
			b = appendEscaped(b, c)
		}
	}
	return append(b, '"')
}

// appendEscaped appends a character of 16 bits as \uXXXX.
func appendEscaped(b []byte, c rune) []byte {
	b = append(b, '\\', 'u')
	for shift := 12; shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[c>>shift&15])
	}
	return b
}

// safe reports whether text goes into JSON as it is.
func safe(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' })
}
