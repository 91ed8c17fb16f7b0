package pattern

import "strings"

// role says how a text is read.
type role uint8

const (
	patternText role = iota // of a rule: "*" is the wildcard, a final "$" the end mark
	uriText                 // of a URI as it is sent
	decodedPath             // of url.URL.Path: no escapes, and each octet is sent as net/url writes it
)

type class uint8

const (
	unreserved class = iota // RFC 3986, 2.3: raw and escaped are the same
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

// isNormal reports whether s is in normal form, as nearly all texts are.
func isNormal(s string, r role) bool {
	for i := plainLen(s); i < len(s); {
		c, esc, behind := next(s, i, r)
		if esc && (behind == i+1 || s[i+1] != digits[c>>4] || s[i+2] != digits[c&15]) || !esc && behind == i+3 {
			return false
		}
		i = behind + plainLen(s[behind:])
	}
	return true
}

// plainLen is how many octets s begins with that are in normal form whatever the role. It is where a decision spends most of
// its time on a path, hence apart.
func plainLen(s string) int {
	for i := 0; i < len(s); i++ {
		if classes[s[i]] > reserved {
			return i
		}
	}
	return len(s)
}

// normalLen is how many octets writeNormal writes.
func normalLen(s string, r role) int {
	n := 0
	for i := 0; i < len(s); {
		_, esc, behind := next(s, i, r)
		if n++; esc {
			n += 2
		}
		i = behind
	}
	return n
}

func writeNormal(b *strings.Builder, s string, r role) {
	for i := 0; i < len(s); {
		c, esc, behind := next(s, i, r)
		writeOctet(b, c, esc)
		i = behind
	}
}

func writeOctet(b *strings.Builder, c byte, esc bool) {
	if esc {
		b.WriteString(escapes[3*int(c) : 3*int(c)+3])
		return
	}
	b.WriteByte(c)
}

// escapes is "%00%01…%FF".
var escapes = func() string {
	var b strings.Builder
	for c := range 256 {
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}()
