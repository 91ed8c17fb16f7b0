package origin

import (
	"net/netip"
	"strings"
)

// IsLoopback reports whether host is "localhost", a name below it (RFC 6761, 6.3), or a loopback address, in any spelling and
// with or without a port. Names are not looked up. A host that [HostKeyOf] refuses is not loopback.
func IsLoopback(host string) bool {
	key, err := HostKeyOf(host)
	if err != nil {
		return false
	}
	if isLocalhost(key) {
		return true
	}
	addr, err := netip.ParseAddr(key)
	return err == nil && addr.IsLoopback()
}

// IsPrivateLiteral reports whether host says by itself, without a look-up, that it is not on the public internet:
// "localhost", a name below it, or an address for which [IsPrivateAddr] holds, in any spelling and with or without a port. A
// host that [HostKeyOf] refuses is not private: ask for its key first and refuse it for that.
func IsPrivateLiteral(host string) bool {
	key, err := HostKeyOf(host)
	if err != nil {
		return false
	}
	if isLocalhost(key) {
		return true
	}
	addr, err := netip.ParseAddr(key)
	return err == nil && IsPrivateAddr(addr)
}

// IsPrivateAddr reports whether addr is not an address of the public internet: loopback, private use (RFC 1918), unique local
// (RFC 4193), link-local, shared between carrier and customer (RFC 6598), unspecified or "this network", multicast,
// broadcast; also where such an IPv4 address is wrapped into IPv6 as mapped, compatible, NAT64 (RFC 6052) or 6to4 (RFC 3056).
// The zero Addr is private: what is not known is not taken for public.
func IsPrivateAddr(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() || addr.IsLoopback() || addr.IsPrivate() || addr.IsUnspecified() || addr.IsLinkLocalUnicast() || addr.IsMulticast() {
		return true
	}
	for _, p := range local {
		if p.Contains(addr) {
			return true
		}
	}
	v4, wrapped := unwrap(addr)
	return wrapped && IsPrivateAddr(v4)
}

// local are the ranges that netip has no question for.
var local = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),          // this network, RFC 1122, 3.2.1.3
	netip.MustParsePrefix("100.64.0.0/10"),      // carrier to customer, RFC 6598
	netip.MustParsePrefix("255.255.255.255/32"), // broadcast, RFC 919
	netip.MustParsePrefix("64:ff9b:1::/48"),     // NAT64 within a network, RFC 8215
	netip.MustParsePrefix("fec0::/10"),          // site-local, deprecated by RFC 3879 but still routed within sites
}

// wrappers are the ranges whose addresses carry an IPv4 address, and the byte it begins at.
var wrappers = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

func unwrap(addr netip.Addr) (v4 netip.Addr, ok bool) {
	for _, w := range wrappers {
		if w.prefix.Contains(addr) {
			b := addr.As16()
			return netip.AddrFrom4([4]byte(b[w.at : w.at+4])), true
		}
	}
	return netip.Addr{}, false
}

// SpecialUse reports whether host is a name that can belong to nobody: test, example, invalid, localhost, or a name below one
// of them (RFC 2606, 2; RFC 6761). The names example.com, example.net and example.org do answer and are not among them.
func SpecialUse(host string) bool {
	key, err := HostKeyOf(host)
	if err != nil {
		return false
	}
	switch key[strings.LastIndexByte(key, '.')+1:] {
	case "test", "example", "invalid", "localhost":
		return true
	}
	return false
}

func isLocalhost(key string) bool {
	return key == "localhost" || strings.HasSuffix(key, ".localhost")
}
