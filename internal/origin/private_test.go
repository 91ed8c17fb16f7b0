package origin

import (
	"net/netip"
	"testing"
)

func TestPrivateAddressRanges(t *testing.T) {
	for _, test := range []struct {
		rule, addr string
		want       bool
	}{
		{"loopback", "127.0.0.1", true},
		{"loopback, all of 127/8", "127.255.255.254", true},
		{"loopback IPv6", "::1", true},
		{"RFC 1918 10/8", "10.0.0.1", true},
		{"RFC 1918 172.16/12, first", "172.16.0.0", true},
		{"RFC 1918 172.16/12, last", "172.31.255.255", true},
		{"below 172.16/12", "172.15.255.255", false},
		{"above 172.16/12", "172.32.0.0", false},
		{"RFC 1918 192.168/16", "192.168.1.1", true},
		{"RFC 6598 first", "100.64.0.0", true},
		{"RFC 6598 last", "100.127.255.255", true},
		{"below RFC 6598", "100.63.255.255", false},
		{"above RFC 6598", "100.128.0.0", false},
		{"link-local", "169.254.169.254", true},
		{"link-local IPv6", "fe80::1", true},
		{"link-local IPv6 with zone", "fe80::1%eth0", true},
		{"unique local", "fd00::1", true},
		{"site-local", "fec0::1", true},
		{"unspecified", "0.0.0.0", true},
		{"this network", "0.1.2.3", true},
		{"unspecified IPv6", "::", true},
		{"multicast", "224.0.0.1", true},
		{"multicast IPv6", "ff02::1", true},
		{"broadcast", "255.255.255.255", true},
		{"mapped loopback", "::ffff:127.0.0.1", true},
		{"mapped public", "::ffff:8.8.8.8", false},
		{"compatible loopback", "::127.0.0.1", true},
		{"NAT64 of private", "64:ff9b::10.0.0.1", true},
		{"NAT64 of public", "64:ff9b::8.8.8.8", false},
		{"NAT64 within a network", "64:ff9b:1::1", true},
		{"6to4 of private", "2002:c0a8:101::1", true},
		{"6to4 of public", "2002:808:808::1", false},
		{"public", "8.8.8.8", false},
		{"public IPv6", "2606:4700::1", false},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if got, want := IsPrivateAddr(netip.MustParseAddr(test.addr)), test.want; got != want {
				t.Errorf("IsPrivateAddr(%s) = %v, want %v", test.addr, got, want)
			}
		})
	}
	if got, want := IsPrivateAddr(netip.Addr{}), true; got != want {
		t.Errorf("IsPrivateAddr(zero Addr) = %v, want %v", got, want)
	}
}

func TestLiteralsThatSayTheyAreLocal(t *testing.T) {
	for _, test := range []struct {
		host              string
		loopback, private bool
	}{
		{"localhost", true, true},
		{"LOCALHOST.:8080", true, true},
		{"app.localhost", true, true},
		{"notlocalhost", false, false},
		{"localhost.example", false, false},
		{"127.0.0.1:80", true, true},
		{"127.1", true, true},
		{"0x7f000001", true, true},
		{"2130706433", true, true},
		{"0177.0.0.1", true, true},
		{"[::1]:8080", true, true},
		{"::1", true, true},
		{"[::ffff:127.0.0.1]", true, true},
		{"10.0.0.1", false, true},
		{"[fd00::1]", false, true},
		{"fe80::1%eth0", false, true},
		{"8.8.8.8", false, false},
		{"shop.example", false, false},
		{"", false, false},
		{"a b", false, false},
	} {
		if got, want := IsLoopback(test.host), test.loopback; got != want {
			t.Errorf("IsLoopback(%q) = %v, want %v", test.host, got, want)
		}
		if got, want := IsPrivateLiteral(test.host), test.private; got != want {
			t.Errorf("IsPrivateLiteral(%q) = %v, want %v", test.host, got, want)
		}
	}
}

func TestNamesThatBelongToNobody(t *testing.T) {
	for host, want := range map[string]bool{
		"test": true, "shop.test": true, "Shop.TEST.:8080": true, "a.b.example": true, "x.invalid": true, "localhost": true, "a.localhost": true,
		"example.com": false, "www.example.org": false, "mytest": false, "test.de": false, "127.0.0.1": false, "[::1]": false, "": false, "a b.test": false,
	} {
		if got := SpecialUse(host); got != want {
			t.Errorf("SpecialUse(%q) = %v, want %v", host, got, want)
		}
	}
}
