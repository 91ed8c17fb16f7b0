package identity

import (
	"net/netip"
	"strings"
)

// reservedNames belong to nobody, or to everybody's own network: RFC 2606, RFC 6761 and what was added to its registry since: local (RFC 6762),
// home.arpa (RFC 8375), alt (RFC 9476), internal, and what private networks use besides. The name onion is not among them: to a crawler within Tor it is a real contact.
var reservedNames = []string{
	"example", "example.com", "example.net", "example.org", "test", "invalid", "localhost", "local", "internal", "home.arpa", "alt",
	"lan", "home", "corp", "intranet", "localdomain",
}

// isReserved reports whether nobody can be reached at a host key from outside: a reserved name or one below it, a name without a dot, or an
// address.
func isReserved(key string) bool {
	if _, err := netip.ParseAddr(key); err == nil {
		return true
	}
	if strings.IndexByte(key, '.') < 0 {
		return true
	}
	for _, name := range reservedNames {
		if within(key, name) {
			return true
		}
	}
	return false
}

// within reports whether key is name or a name below it: whole labels only, so that "notexample.com" is not within "example.com".
func within(key, name string) bool {
	return key == name || strings.HasSuffix(key, name) && key[len(key)-len(name)-1] == '.'
}
