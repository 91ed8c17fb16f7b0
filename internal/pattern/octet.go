package pattern

import "unsafe"

// role says how a text is read.
type role uint8

const (
	patternText role = iota // of a rule: "*" is the wildcard, a final "$" the end mark
	uriText                 // of a URI as it is sent
	decodedPath             // of url.URL.Path: no escapes, and each octet is sent as net/url writes it
)

type class uint8

const (
	unreserved class = iota // RFC 3986, 2.3: raw and escaped are the same. This and the next fit into one bit, see plainLen
	reserved                // RFC 3986, 2.2: raw and escaped differ
	reservedUp              // reserved, and net/url escapes it when it sends a decoded path
	special                 // "*" and "$"
	percent                 // "%"
	escaped                 // written as an escape: controls, blanks, octets that no URI holds, all above ASCII
)

var classes = func() (t [256]class) {
	for i := range t {
		t[i] = escaped
	}
	for _, set := range []struct {
		class  class
		octets string
	}{
		{unreserved, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"},
		{reserved, "/:@&+,;="},
		{reservedUp, "?[]!'()"},
		{special, "*$"},
		{percent, "%"},
	} {
		for i := range len(set.octets) {
			t[set.octets[i]] = set.class
		}
	}
	return t
}()

// next reads the octet at s[i], which may be written as an escape: which octet it is, whether its normal form is an escape, and
// where the one behind it begins.
func next(s string, i int, r role) (c byte, esc bool, behind int) {
	c = s[i]
	switch classes[c] {
	case unreserved, reserved:
		return c, false, i + 1
	case reservedUp:
		return c, r == decodedPath, i + 1
	case special:
		means := r == patternText && (c == '*' || i == len(s)-1)
		return c, !means, i + 1
	case percent:
		if r == decodedPath {
			return c, true, i + 1
		}
		d, ok := unescape(s, i)
		if !ok {
			return c, false, i + 1
		}
		return d, classes[d] != unreserved, i + 3
	default:
		return c, true, i + 1
	}
}

const digits = "0123456789ABCDEF"

// unescape returns the octet that the escape at s[i] stands for; false if there are no two hexadecimal digits.
func unescape(s string, i int) (byte, bool) {
	if i+2 >= len(s) {
		return 0, false
	}
	hi, lo := hexDigit(s[i+1]), hexDigit(s[i+2])
	return hi<<4 | lo, hi < 16 && lo < 16
}

func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 0xFF
}

// isNormal reports whether s is in normal form, as nearly all texts are. A pattern is, if it has no run of "*" either.
func isNormal(s string, r role) bool {
	for i := plainLen(s); i < len(s); i += plainLen(s[i:]) {
		if s[i] == '*' && r == patternText {
			if i++; i < len(s) && s[i] == '*' {
				return false
			}
			continue
		}
		c, esc, behind := next(s, i, r)
		if esc && (behind == i+1 || s[i+1] != digits[c>>4] || s[i+2] != digits[c&15]) || !esc && behind == i+3 {
			return false
		}
		i = behind
	}
	return true
}

// plainLen is how many octets s begins with that are in normal form whatever the role. It is where a decision spends most of
// its time on a path, hence four octets at a time.
func plainLen(s string) int {
	i := 0
	for i+4 <= len(s) && classes[s[i]]|classes[s[i+1]]|classes[s[i+2]]|classes[s[i+3]] <= reserved {
		i += 4
	}
	for i < len(s) && classes[s[i]] <= reserved {
		i++
	}
	return i
}

// normalLen is how many octets appendNormal appends.
func normalLen(s string, r role) int {
	n := 0
	for i := 0; i < len(s); {
		if plain := plainLen(s[i:]); plain > 0 {
			n += plain
			i += plain
			continue
		}
		_, esc, behind := next(s, i, r)
		if n++; esc {
			n += 2
		}
		i = behind
	}
	return n
}

// appendNormal appends s in normal form to dst.
func appendNormal(dst []byte, s string, r role) []byte {
	for i := 0; i < len(s); {
		if n := plainLen(s[i:]); n > 0 {
			dst = append(dst, s[i:i+n]...)
			i += n
			continue
		}
		c, esc, behind := next(s, i, r)
		dst = appendOctet(dst, c, esc)
		i = behind
	}
	return dst
}

func appendOctet(dst []byte, c byte, esc bool) []byte {
	if esc {
		return append(dst, '%', digits[c>>4], digits[c&15])
	}
	return append(dst, c)
}

// asString returns b as a string without copying it. b must not be written to any more.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
