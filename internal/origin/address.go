package origin

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// canonicalIPv6 brings the text between the brackets into the form of RFC 5952. A zone is kept: the same link-local address
// on two links is two hosts. An IPv4 address written as IPv6 (::ffff:192.0.2.1) is dialled as IPv4 and so becomes one, else
// a stop of the one form could be walked around with the other.
func canonicalIPv6(host, text string) (string, error) {
	addr, err := netip.ParseAddr(text)
	if err != nil || addr.Is4() {
		return "", fmt.Errorf("origin: host %q is not an IPv6 address", short(host))
	}
	if addr.Is4In6() {
		return addr.Unmap().String(), nil
	}
	for _, c := range addr.Zone() {
		if !isUnreserved(c) {
			return "", fmt.Errorf("origin: host %q: zone holds %q", short(host), c)
		}
	}
	var buf [64]byte
	canonical := addr.AppendTo(buf[:0])
	if string(canonical) == text {
		return text, nil
	}
	return string(canonical), nil
}

// isUnreserved is the set that a URL carries as it is (RFC 3986, 2.3).
func isUnreserved(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '-' || c == '.' || c == '_' || c == '~'
}

// isNumber reports whether a last label makes the whole host an IPv4 address or nothing. There is no numeric top-level
// domain, and resolvers of the C library read 127.1, 0x7f.1 and 2130706433 as addresses.
func isNumber(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// parseNumber reads one part of an IPv4 address: decimal, octal with a leading 0, or hexadecimal with 0x.
func parseNumber(s string) (uint64, error) {
	switch {
	case s == "0x":
		return 0, nil
	case strings.HasPrefix(s, "0x"):
		return strconv.ParseUint(s[2:], 16, 64)
	case len(s) > 1 && s[0] == '0':
		return strconv.ParseUint(s[1:], 8, 64)
	}
	return strconv.ParseUint(s, 10, 64)
}

// isCanonicalIPv4 holds for four decimal numbers without leading zeros: the one spelling of an IPv4 address.
func isCanonicalIPv4(host string) bool {
	if host == "" || !isDigit(host[0]) {
		return false // most names end here: an error from netip costs more than this look
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Is4()
}

// canonicalIPv4 reads an address of one to four parts, where the last part fills the bytes that are left.
func canonicalIPv4(host, name string) (string, error) {
	bad := fmt.Errorf("origin: host %q ends in a number but is not an IPv4 address", short(host))
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return "", bad
	}
	var ip uint64
	for i, part := range parts {
		n, err := parseNumber(part)
		if err != nil {
			return "", bad
		}
		bytes := 1
		if i == len(parts)-1 {
			bytes = 4 - i
		}
		if n >= 1<<(8*bytes) {
			return "", bad
		}
		ip = ip<<(8*bytes) | n
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}).String(), nil
}
