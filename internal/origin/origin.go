package origin

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Origin is scheme, host and port in canonical form (RFC 6454, 4). It is comparable and made to be a map key. The zero value
// is no origin; [Of] and [OfHost] make one.
type Origin struct {
	host   string
	port   uint16
	scheme scheme
}

type scheme uint8

const (
	schemeNone scheme = iota
	schemeHTTP
	schemeHTTPS
)

// Of returns the origin of u. Its host shares memory with u.Host where that is canonical already, and then nothing is
// allocated; see [Origin.Clone]. The error says what is wrong with u and names the host, never userinfo, path or query.
func Of(u *url.URL) (Origin, error) {
	if u == nil {
		return Origin{}, fmt.Errorf("origin: no URL")
	}
	return OfHost(u.Scheme, u.Host)
}

// OfHost returns the origin of a request that is sent over the given scheme with the given Host header: a name or an address
// (IPv6 in brackets), with or without a port. The schemes are http and https; any other is an error.
func OfHost(scheme, hostHeader string) (Origin, error) {
	s, err := parseScheme(scheme)
	if err != nil {
		return Origin{}, err
	}
	name, digits, err := splitPort(hostHeader)
	if err != nil {
		return Origin{}, err
	}
	port := s.defaultPort()
	if digits != "" {
		if port, err = parsePort(hostHeader, digits); err != nil {
			return Origin{}, err
		}
	}
	host, err := canonicalHost(name)
	if err != nil {
		return Origin{}, err
	}
	return Origin{host: host, port: port, scheme: s}, nil
}

// IsZero reports whether o is the zero value, which is no origin.
func (o Origin) IsZero() bool { return o == Origin{} }

// Scheme is "http" or "https", and empty for the zero value.
func (o Origin) Scheme() string { return o.scheme.String() }

// Host is the host key: the owner of spacing and stops. It is a name or an address, without port and without brackets.
func (o Origin) Host() string { return o.host }

// Port is the port, with the default of the scheme (80 or 443) filled in.
func (o Origin) Port() int { return int(o.port) }

// String writes o as a URL without a path, such as "https://shop.example:8443". The default port is left out.
func (o Origin) String() string {
	if o.IsZero() {
		return ""
	}
	var b strings.Builder
	b.Grow(len("https://[]:65535") + len(o.host))
	b.WriteString(o.Scheme())
	b.WriteString("://")
	if strings.IndexByte(o.host, ':') < 0 {
		b.WriteString(o.host)
	} else {
		addr, zone, zoned := strings.Cut(o.host, "%")
		b.WriteByte('[')
		b.WriteString(addr)
		if zoned {
			b.WriteString("%25") // the percent sign of a zone, as RFC 6874 writes it in a URL
			b.WriteString(zone)
		}
		b.WriteByte(']')
	}
	if o.port != o.scheme.defaultPort() {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(int(o.port)))
	}
	return b.String()
}

// Clone returns an equal origin that shares no memory with the URL it came from. Use it for keys that are kept: a host of
// 12 bytes otherwise keeps its whole URL alive.
func (o Origin) Clone() Origin {
	o.host = strings.Clone(o.host)
	return o
}

func parseScheme(s string) (scheme, error) {
	switch { // the first two are what url.Parse gives
	case s == "https":
		return schemeHTTPS, nil
	case s == "http":
		return schemeHTTP, nil
	case strings.EqualFold(s, "https"):
		return schemeHTTPS, nil
	case strings.EqualFold(s, "http"):
		return schemeHTTP, nil
	}
	return schemeNone, fmt.Errorf("origin: scheme %q is neither http nor https", short(s))
}

func (s scheme) String() string {
	switch s {
	case schemeHTTP:
		return "http"
	case schemeHTTPS:
		return "https"
	}
	return ""
}

func (s scheme) defaultPort() uint16 {
	switch s {
	case schemeHTTP:
		return 80
	case schemeHTTPS:
		return 443
	}
	return 0
}
