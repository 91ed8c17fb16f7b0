// Package token reads product tokens: the names by which a robots.txt addresses crawlers (RFC 9309, 2.2.1).
//
// A token is one or more of the octets A-Z, a-z, "_" and "-", and tokens are compared without regard to ASCII case. Nothing
// else is folded: a letter from outside ASCII ends a token, whatever it looks like.
//
// The package is pure: no I/O, no state. Everything in it is safe for concurrent use.
package token

// Valid reports whether s is a product token from its first octet to its last.
func Valid(s string) bool {
	return s != "" && length(s) == len(s)
}

// Cut returns the product token that s starts with, up to the first octet that cannot be part of one: "FooBot" of
// "FooBot/2.1 (+https://foo.example)". It is empty if s does not start with a token. The result shares memory with s.
func Cut(s string) string {
	return s[:length(s)]
}

// Fold brings a token into the form in which tokens are compared, lower case. It returns s itself if there is nothing to
// change. Octets outside A-Z stay as they are.
func Fold(s string) string {
	for i := range len(s) {
		if isUpper(s[i]) {
			return string(AppendFold(make([]byte, 0, len(s)), s))
		}
	}
	return s
}

// AppendFold appends the folded form of s to dst and returns the longer slice.
func AppendFold(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if isUpper(c) {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// Equal reports whether a and b are the same token, ignoring case.
func Equal(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		x, y := a[i], b[i]
		if isUpper(x) {
			x += 'a' - 'A'
		}
		if isUpper(y) {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}

// Contains reports whether userAgent holds tok, ignoring case, with no token octet right before or behind it: RFC 9309, 2.2.1
// asks that the product token be a substring of the User-Agent that is sent. An empty tok is contained nowhere.
func Contains(userAgent, tok string) bool {
	if tok == "" {
		return false
	}
	for i := 0; i+len(tok) <= len(userAgent); i++ {
		end := i + len(tok)
		switch {
		case !Equal(userAgent[i:end], tok):
		case i > 0 && isToken(userAgent[i-1]):
		case end < len(userAgent) && isToken(userAgent[end]):
		default:
			return true
		}
	}
	return false
}

func length(s string) int {
	for i := range len(s) {
		if !isToken(s[i]) {
			return i
		}
	}
	return len(s)
}

func isToken(c byte) bool {
	return 'a' <= c && c <= 'z' || isUpper(c) || c == '_' || c == '-'
}

func isUpper(c byte) bool {
	return 'A' <= c && c <= 'Z'
}
