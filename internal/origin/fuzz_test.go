package origin

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/idna"
)

// FuzzOf: whatever comes in, an origin that comes out is a fixed point, and its name is the one that net/http would dial.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{
		"http://shop.example/", "https://Shop.Example.:443/a", "http://bücher。example", "http://[FE80::1%25Eth0]:81/", "http://[::ffff:1.2.3.4]",
		"http://0x7f.1", "http://u:p@a_b.test:080", "http://xn--bcher-kva.test", "http://a..b", "http://１.2.3.4:8080/", "http://a%C3%BC.test", "//x", "http://:80",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		if err != nil {
			return
		}
		key, keyErr := HostKey(u)
		o, err := Of(u)
		if err != nil {
			return
		}
		if keyErr != nil || key != o.Host() {
			t.Errorf("HostKey(%q) = %q, %v, want the host of the origin, %q", raw, key, keyErr, o.Host())
		}
		back, err := url.Parse(o.String())
		if err != nil {
			t.Fatalf("Of(%q) = %q, which is no URL: %v", raw, o, err)
		}
		if again, err := Of(back); err != nil || again != o {
			t.Errorf("Of(%q) = %#v, %v, want %#v as from %q", o, again, err, o, raw)
		}
		if again, err := HostKeyOf(key); err != nil || again != key {
			t.Errorf("HostKeyOf(%q) = %q, %v, want it unchanged", key, again, err)
		}
		if isASCII(u.Hostname()) || strings.Contains(key, ":") {
			return // net/http dials ASCII as it stands
		}
		if dialled, err := idna.Lookup.ToASCII(u.Hostname()); err == nil && !isNumber(key[strings.LastIndexByte(key, '.')+1:]) {
			if got, want := key, strings.TrimSuffix(strings.ToLower(dialled), "."); got != want {
				t.Errorf("HostKey(%q) = %q, want the name that is dialled, %q", raw, got, want)
			}
		}
	})
}
