package origin

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// The limits of RFC 1035, 2.3.4, in bytes of text. A longer name cannot be looked up by anybody.
const (
	maxName  = 253
	maxLabel = 63
)

// HostKey returns the host key of u: the owner of spacing and stops. Scheme and port are not looked at, but a port that is
// none is an error. It allocates nothing where u.Host is canonical already, and then shares its memory.
func HostKey(u *url.URL) (string, error) {
	if u == nil {
		return "", fmt.Errorf("origin: no URL")
	}
	return hostKey(u.Host)
}

// HostKeyOf returns the host key of a name or address as people write it in options and stop files: with or without a port,
// an IPv6 address with or without brackets. It is idempotent.
func HostKeyOf(host string) (string, error) {
	if strings.Count(host, ":") > 1 && !strings.HasPrefix(host, "[") {
		return canonicalIPv6(host, host)
	}
	return hostKey(host)
}

func hostKey(hostport string) (string, error) {
	name, digits, err := splitPort(hostport)
	if err != nil {
		return "", err
	}
	if digits != "" {
		if _, err := parsePort(hostport, digits); err != nil {
			return "", err
		}
	}
	return canonicalHost(name)
}

// canonicalHost brings a host without port into canonical form.
func canonicalHost(host string) (string, error) {
	if isCanonicalName(host) {
		return host, nil
	}
	if strings.HasPrefix(host, "[") {
		inner, closed := strings.CutSuffix(host[1:], "]")
		if !closed {
			return "", fmt.Errorf("origin: host %q lacks its closing bracket", short(host))
		}
		return canonicalIPv6(host, inner)
	}
	if isCanonicalIPv4(host) {
		return host, nil
	}
	return canonicalName(host)
}

// isCanonicalName is the path that every request takes: one look at each byte. It may say no to a canonical host, namely to
// an address; it never says yes to another.
func isCanonicalName(host string) bool {
	if len(host) == 0 || len(host) > maxName {
		return false
	}
	label := 0 // where the label began
	for i := range len(host) {
		c := host[i]
		if c == '.' {
			if n := i - label; n == 0 || n > maxLabel {
				return false
			}
			label = i + 1
			continue
		}
		if !nameByte[c] {
			return false
		}
	}
	n := len(host) - label
	return 0 < n && n <= maxLabel && !isDigit(host[label]) // a last label with a digit in front may be an IPv4 address
}

// nameByte holds the bytes of a canonical label: what Go's resolver looks up, underscore included, since names such as
// "my_shop.example" are in use although RFC 952 knows no underscore.
var nameByte = func() (t [256]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789-_" {
		t[c] = true
	}
	return t
}()

// lenient maps as [idna.Lookup] does, which net/http uses for the name it dials, so that the key is the name that is asked.
// It forgives hyphens and underscores in odd places; the bytes of the outcome are judged by canonicalName.
var lenient = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.Transitional(false))

// canonicalName handles what isCanonicalName leaves: capitals, a trailing dot, other scripts, IPv4 addresses, and errors.
func canonicalName(host string) (string, error) {
	if len(host) > 4*maxName { // a rune has at most 4 bytes; punycode of a long text takes time in its square
		return "", fmt.Errorf("origin: host %q is longer than %d bytes", short(host), maxName)
	}
	name := host
	if !isASCII(name) {
		if !utf8.ValidString(name) {
			return "", fmt.Errorf("origin: host %q is not UTF-8", short(host))
		}
		ascii, err := lenient.ToASCII(name)
		if err != nil {
			return "", fmt.Errorf("origin: host %q has no ASCII form: %w", short(host), err)
		}
		name = ascii
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if name == "" {
		return "", fmt.Errorf("origin: empty host")
	}
	if len(name) > maxName {
		return "", fmt.Errorf("origin: host %q is longer than %d bytes", short(host), maxName)
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if err := checkLabel(host, label); err != nil {
			return "", err
		}
		last = label
	}
	if isNumber(last) {
		return canonicalIPv4(host, name)
	}
	return name, nil
}

func checkLabel(host, label string) error {
	if label == "" {
		return fmt.Errorf("origin: host %q has an empty label", short(host))
	}
	if len(label) > maxLabel {
		return fmt.Errorf("origin: host %q has a label longer than %d bytes", short(host), maxLabel)
	}
	for i := range len(label) {
		if !nameByte[label[i]] {
			return fmt.Errorf("origin: host %q holds %q, which no host name may", short(host), label[i])
		}
	}
	return nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
