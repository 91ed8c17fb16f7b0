package origin

import (
	"net/url"
	"testing"
)

func TestHostKeyIsTheNameAlone(t *testing.T) {
	for _, test := range []struct{ rule, in, want string }{
		{"scheme does not matter", "https://shop.example/", "shop.example"},
		{"port does not matter", "http://shop.example:8080/", "shop.example"},
		{"other schemes have hosts too", "ftp://Shop.example/", "shop.example"},
		{"IPv6 without brackets", "http://[2001:DB8::1]:80/", "2001:db8::1"},
		{"zone is part of it", "http://[fe80::1%25eth0]/", "fe80::1%eth0"},
		{"IDNA to ASCII", "http://bücher.example:8080/", "xn--bcher-kva.example"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			u, err := url.Parse(test.in)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := HostKey(u); err != nil || got != test.want {
				t.Errorf("HostKey(%q) = %q, %v, want %q", test.in, got, err, test.want)
			}
		})
	}
}

func TestHostKeyOfTakesWhatPeopleWrite(t *testing.T) {
	for _, test := range []struct{ rule, in, want string }{
		{"name", "Shop.Example.", "shop.example"},
		{"name with port", "shop.example:8080", "shop.example"},
		{"IPv6 with brackets and port", "[::1]:80", "::1"},
		{"IPv6 with brackets", "[::1]", "::1"},
		{"IPv6 without brackets", "2001:DB8:0::1", "2001:db8::1"},
		{"IPv6 with zone", "fe80::1%eth0", "fe80::1%eth0"},
		{"IPv4 mapped into IPv6", "::ffff:192.0.2.1", "192.0.2.1"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if got, err := HostKeyOf(test.in); err != nil || got != test.want {
				t.Errorf("HostKeyOf(%q) = %q, %v, want %q", test.in, got, err, test.want)
			}
		})
	}
	for _, bad := range []string{"", "shop.example:0", "shop.example:x", "a b", "a:b:c", "https://shop.example"} {
		if got, err := HostKeyOf(bad); err == nil {
			t.Errorf("HostKeyOf(%q) = %q, nil, want an error", bad, got)
		}
	}
}

func TestLimitsOfANameAreThoseOfDNS(t *testing.T) {
	label := func(n int) string { return string(make63(n)) }
	longest := label(63) + "." + label(63) + "." + label(63) + "." + label(61)
	if got, want := len(longest), 253; got != want {
		t.Fatalf("test name has %d bytes, want %d", got, want)
	}
	if got, err := HostKeyOf(longest + "."); err != nil || got != longest {
		t.Errorf("HostKeyOf(253 bytes and a dot) = %q, %v, want the name", got, err)
	}
	if got, err := HostKeyOf(longest + "a"); err == nil {
		t.Errorf("HostKeyOf(254 bytes) = %q, nil, want an error", got)
	}
}

func make63(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a'
	}
	return b
}
