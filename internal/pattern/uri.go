package pattern

import (
	"net/url"
	"strings"
)

// URLPath returns path and query of u in normal form, as a client would send them: what patterns are matched with (RFC
// 9309, 2.2.2). It always begins with "/"; the fragment is no part of it, an empty query ("/list?") is. It allocates nothing if
// there is no query and the path is in normal form, at most once otherwise.
func URLPath(u *url.URL) string { return URLPathIn(nil, u) }

// URLPathIn is [URLPath] for a path that is needed only for a moment: it is built in room, as far as that goes, and is valid
// until room is written to. It allocates nothing if room has two octets more than path and query in normal form.
func URLPathIn(room []byte, u *url.URL) string {
	path, r, normal := readPath(u)
	rooted := path[0] == '/'
	hasQuery := u.RawQuery != "" || u.ForceQuery
	if normal { // as nearly all are: nothing is written octet by octet
		if !hasQuery {
			return path
		}
		if size := len(path) + 1 + len(u.RawQuery); size <= cap(room) && isNormal(u.RawQuery, uriText) {
			b := append(append(room[:0], path...), '?')
			return asString(append(b, u.RawQuery...))
		}
	}
	if size := 2 + normalLen(path, r) + normalLen(u.RawQuery, uriText); size > cap(room) {
		room = make([]byte, 0, size)
	}
	b := room[:0]
	if !rooted {
		b = append(b, '/')
	}
	b = appendNormal(b, path, r)
	if hasQuery {
		b = append(b, '?')
		b = appendNormal(b, u.RawQuery, uriText)
	}
	return asString(b)
}

// NormalURLPath is [URLPath] for a URL without a query whose path is in normal form already; ok false: it is not, or there is a query.
func NormalURLPath(u *url.URL) (path string, ok bool) {
	if u.RawQuery != "" || u.ForceQuery {
		return "", false
	}
	path, _, ok = readPath(u)
	return path, ok
}

// readPath is sentPath, never empty, and whether it begins with "/" and is in normal form.
func readPath(u *url.URL) (path string, r role, normal bool) {
	if path, r = sentPath(u); path == "" {
		path = "/"
	}
	return path, r, path[0] == '/' && isNormal(path, r)
}

// TextPath is [URLPath] for a URL that was not parsed: broken escapes, raw UTF-8 and octets that [url.Parse] refuses keep
// their place. rawURL is an absolute URL, or only its path and query; from anything else it takes what follows the
// first "/" or "?". It allocates nothing if that is in normal form, at most once otherwise.
func TextPath(rawURL string) string {
	s, _, _ := strings.Cut(rawURL, "#")
	s = behindAuthority(s)
	rooted := s != "" && s[0] == '/'
	if rooted && isNormal(s, uriText) {
		return s
	}
	b := make([]byte, 0, 1+normalLen(s, uriText))
	if !rooted {
		b = append(b, '/')
	}
	return asString(appendNormal(b, s, uriText))
}

// behindAuthority cuts scheme and authority (RFC 3986, 3.2) off s. The authority ends at "/" or "?", and at nothing else: a
// ";" or a "?" in the userinfo is taken as every client takes it.
func behindAuthority(s string) string {
	i := strings.IndexAny(s, "/?")
	if i < 0 {
		return ""
	}
	if strings.HasPrefix(s[i:], "//") && (i == 0 || s[i-1] == ':') {
		s = s[i+2:]
		if i = strings.IndexAny(s, "/?"); i < 0 {
			return ""
		}
	}
	return s[i:]
}

// sentPath returns the path of u as it goes out, and how to read it. For a path that is sent as it was parsed that is the text
// of [url.URL.EscapedPath], found without its allocations.
func sentPath(u *url.URL) (string, role) {
	switch {
	case u.Opaque != "": // sent as it is
		return behindAuthority(u.Opaque), uriText
	case u.RawPath != "" && isEncoding(u.RawPath, u.Path):
		return u.RawPath, uriText
	default:
		return u.Path, decodedPath
	}
}

// isEncoding reports whether raw is an encoding of path that net/url sends as it stands.
func isEncoding(raw, path string) bool {
	at := 0
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch classes[c] {
		case escaped:
			return false
		case percent:
			var ok bool
			if c, ok = unescape(raw, i); !ok {
				return false
			}
			i += 2
		default:
			if c == '?' {
				return false
			}
		}
		if at == len(path) || path[at] != c {
			return false
		}
		at++
	}
	return at == len(path)
}
