package origin

import (
	"net/url"
	"strings"
	"testing"
)

func TestOriginIsSchemeHostAndPortInCanonicalForm(t *testing.T) {
	for _, test := range []struct{ rule, in, want string }{
		{"canonical stays", "http://shop.example/a?b#c", "http://shop.example"},
		{"scheme in lower case", "HTTPS://shop.example", "https://shop.example"},
		{"host in lower case", "http://Shop.EXAMPLE/A", "http://shop.example"},
		{"one trailing dot is dropped", "http://shop.example./", "http://shop.example"},
		{"trailing dot before a port is dropped", "http://shop.example.:8080/", "http://shop.example:8080"},
		{"default port of http is elided", "http://shop.example:80/", "http://shop.example"},
		{"default port of https is elided", "https://shop.example:443/", "https://shop.example"},
		{"443 is not the default of http", "http://shop.example:443/", "http://shop.example:443"},
		{"80 is not the default of https", "https://shop.example:80/", "https://shop.example:80"},
		{"empty port is the default", "http://shop.example:/", "http://shop.example"},
		{"leading zeros of a port count for nothing", "http://shop.example:00080/", "http://shop.example"},
		{"highest port", "http://shop.example:65535/", "http://shop.example:65535"},
		{"userinfo is ignored", "http://user:secret@shop.example/", "http://shop.example"},
		{"single label", "http://intranet/", "http://intranet"},
		{"underscore is forgiven", "http://my_shop.example/", "http://my_shop.example"},
		{"hyphens at the edge of a label are forgiven", "http://-a-.r3---sn.example/", "http://-a-.r3---sn.example"},
		{"digits in front of a last label with letters are a name", "http://a.1b/", "http://a.1b"},

		{"IDNA to ASCII", "http://bücher.example/", "http://xn--bcher-kva.example"},
		{"IDNA maps case", "http://BÜCHER.example/", "http://xn--bcher-kva.example"},
		{"an A-label stays", "http://xn--bcher-kva.example/", "http://xn--bcher-kva.example"},
		{"an A-label in lower case", "http://XN--BCHER-KVA.example/", "http://xn--bcher-kva.example"},
		{"percent-encoded UTF-8 is what url.Parse decodes", "http://b%C3%BCcher.example/", "http://xn--bcher-kva.example"},
		{"sharp s is its own letter", "http://straße.example/", "http://xn--strae-oqa.example"},
		{"ideographic full stop is a dot", "http://bücher。example/", "http://xn--bcher-kva.example"},
		{"full-width letters are letters", "http://ｓｈｏｐ.example/", "http://shop.example"},
		{"underscore beside another script is forgiven", "http://_dmarc.bücher.example/", "http://_dmarc.xn--bcher-kva.example"},

		{"IPv4 stays", "http://192.0.2.1:8080/", "http://192.0.2.1:8080"},
		{"IPv4 with trailing dot", "http://192.0.2.1./", "http://192.0.2.1"},
		{"IPv4 in hexadecimal and octal", "http://0x7F.0.0.01/", "http://127.0.0.1"},
		{"IPv4 as one number", "http://2130706433/", "http://127.0.0.1"},
		{"IPv4 with parts left out", "http://127.1/", "http://127.0.0.1"},
		{"IPv4 in full-width digits", "http://１２７.0.0.1/", "http://127.0.0.1"},

		{"IPv6 stays", "http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080"},
		{"IPv6 is written as RFC 5952 says", "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]"},
		{"IPv6 default port is elided", "https://[::1]:443/", "https://[::1]"},
		{"IPv6 zone is kept", "http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]"},
		{"IPv6 zone keeps its case", "http://[FE80::1%25Eth0]:8080/", "http://[fe80::1%25Eth0]:8080"},
		{"IPv4 mapped into IPv6 is the IPv4 address", "http://[::ffff:192.0.2.1]/", "http://192.0.2.1"},
		{"IPv4 mapped in hexadecimal is the IPv4 address", "http://[::ffff:c000:201]:81/", "http://192.0.2.1:81"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			u, err := url.Parse(test.in)
			if err != nil {
				t.Fatal(err)
			}
			o, err := Of(u)
			if got, want := o.String(), test.want; err != nil || got != want {
				t.Errorf("Of(%q) = %q, %v, want %q", test.in, got, err, want)
			}
		})
	}
}

func TestOddInputIsAnErrorThatSaysWhy(t *testing.T) {
	for _, test := range []struct{ rule, scheme, host, want string }{
		{"empty host", "http", "", "empty host"},
		{"only a dot", "http", ".", "empty host"},
		{"only a port", "http", ":80", "empty host"},
		{"two trailing dots", "http", "shop.example..", "empty label"},
		{"leading dot", "http", ".shop.example", "empty label"},
		{"dot dot", "http", "shop..example", "empty label"},
		{"soft hyphen alone is nothing", "http", "a.\u00ad.example", "empty label"},
		{"label over 63 bytes", "http", strings.Repeat("a", 64) + ".example", "longer than 63"},
		{"name over 253 bytes", "http", strings.Repeat("a.", 126) + "bc", "longer than 253"},
		{"name of a megabyte", "http", strings.Repeat("ü", 1<<19), "longer than 253"},

		{"port 0", "http", "shop.example:0", "port 0"},
		{"port over 65535", "http", "shop.example:65536", "over 65535"},
		{"port far over 65535", "http", "shop.example:99999999999999999999", "over 65535"},
		{"port with a sign", "http", "shop.example:+80", "not a number"},
		{"negative port", "http", "shop.example:-1", "not a number"},
		{"port in letters", "http", "shop.example:http", "not a number"},
		{"port after IPv6 in letters", "http", "[::1]:x", "not a number"},

		{"space", "http", "shop example", `holds ' '`},
		{"space at the end", "http", "shop.example ", `holds ' '`},
		{"line feed", "http", "shop.example\n", `holds '\n'`},
		{"NUL", "http", "shop\x00.example", `holds '\x00'`},
		{"percent-encoded", "http", "sh%6Fp.example", `holds '%'`},
		{"userinfo in a Host header", "http", "user@shop.example", `holds '@'`},
		{"path in a Host header", "http", "shop.example/a", `holds '/'`},
		{"wildcard", "http", "*.shop.example", `holds '*'`},
		{"full-width slash becomes a slash", "http", "shop.example／a", `holds '/'`},
		{"full-width at sign becomes an at sign", "http", "a＠shop.example", `holds '@'`},
		{"not UTF-8", "http", "shop\xff.example", "not UTF-8"},
		{"replacement character", "http", "shop\ufffd.example", "no ASCII form"},
		{"unassigned code point", "http", "a\u0378.example", "no ASCII form"},
		{"joiner without need", "http", "a\u200db.example", "no ASCII form"},
		{"mixed directions", "http", "aא.example", "no ASCII form"},
		{"A-label that does not decode beside another script", "http", "xn--a.bücher.example", "no ASCII form"},

		{"number as top-level domain", "http", "shop.123", "not an IPv4 address"},
		{"IPv4 part over 255", "http", "256.0.0.1", "not an IPv4 address"},
		{"IPv4 with five parts", "http", "1.2.3.4.5", "not an IPv4 address"},
		{"IPv4 with an octal 8", "http", "1.2.3.08", "not an IPv4 address"},
		{"IPv4 over 32 bits", "http", "4294967296", "not an IPv4 address"},
		{"IPv4 far over 32 bits", "http", "0xffffffffffffffffffffff", "not an IPv4 address"},

		{"IPv6 without brackets", "http", "2001:db8::1", "in brackets"},
		{"bracket not closed", "http", "[::1", "in brackets"},
		{"bracket only", "http", "[", "closing bracket"},
		{"text after the bracket", "http", "[::1]a", "in brackets"},
		{"name in brackets", "http", "[shop.example]", "not an IPv6 address"},
		{"IPv4 in brackets", "http", "[192.0.2.1]", "not an IPv6 address"},
		{"empty brackets", "http", "[]", "not an IPv6 address"},
		{"zone with a bracket's odd byte", "http", "[fe80::1%a b]", `zone holds ' '`},

		{"other scheme", "ftp", "shop.example", "neither http nor https"},
		{"no scheme", "", "shop.example", "neither http nor https"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			o, err := OfHost(test.scheme, test.host)
			if err == nil {
				t.Fatalf("OfHost(%q, %q) = %q, nil, want an error with %q", test.scheme, short(test.host), o, test.want)
			}
			if got, want := err.Error(), test.want; !strings.Contains(got, want) || !strings.HasPrefix(got, "origin: ") {
				t.Errorf("OfHost(%q, %q) fails with %q, want it to say %q", test.scheme, short(test.host), got, want)
			}
			if got := len(err.Error()); got > 400 {
				t.Errorf("error has %d bytes, want it short whatever the input", got)
			}
			if !o.IsZero() {
				t.Errorf("OfHost(%q, %q) = %q with an error, want the zero Origin", test.scheme, short(test.host), o)
			}
		})
	}
}

func TestURLWithoutHostIsAnError(t *testing.T) {
	for _, u := range []*url.URL{nil, {}, {Scheme: "http"}, {Scheme: "http", Opaque: "shop.example/a"}, {Path: "/relative"}} {
		if o, err := Of(u); err == nil {
			t.Errorf("Of(%v) = %q, nil, want an error", u, o)
		}
		if key, err := HostKey(u); err == nil {
			t.Errorf("HostKey(%v) = %q, nil, want an error", u, key)
		}
	}
}

func TestErrorKeepsUserinfoAndQuerySecret(t *testing.T) {
	u := &url.URL{Scheme: "http", User: url.UserPassword("u", "secret"), Host: "a b", RawQuery: "secret"}
	_, err := Of(u)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("Of(%q) fails with %v, want an error without the secret", u.Redacted(), err)
	}
}

func TestHTTPAndHTTPSAreTwoOriginsOfOneHost(t *testing.T) {
	plain, _ := OfHost("http", "shop.example")
	secure, _ := OfHost("https", "shop.example")
	if plain == secure {
		t.Errorf("%v == %v, want two origins", plain, secure)
	}
	if got, want := secure.Host(), plain.Host(); got != want {
		t.Errorf("host of https = %q, want that of http, %q", got, want)
	}
}

func TestEqualOriginsAreEqualMapKeys(t *testing.T) {
	a, _ := OfHost("http", "Shop.Example.:80")
	b, _ := OfHost("HTTP", "shop.example")
	if a != b {
		t.Errorf("%#v != %#v, want equal", a, b)
	}
	if c := a.Clone(); c != a {
		t.Errorf("Clone() = %#v, want %#v", c, a)
	}
}

func TestPartsOfAnOrigin(t *testing.T) {
	o, err := OfHost("https", "[2001:db8::1]")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.Scheme(), "https"; got != want {
		t.Errorf("Scheme() = %q, want %q", got, want)
	}
	if got, want := o.Host(), "2001:db8::1"; got != want {
		t.Errorf("Host() = %q, want %q: no brackets", got, want)
	}
	if got, want := o.Port(), 443; got != want {
		t.Errorf("Port() = %d, want %d: the default filled in", got, want)
	}
	var zero Origin
	if got, want := zero.String()+zero.Scheme()+zero.Host(), ""; got != want {
		t.Errorf("zero Origin says %q, want nothing", got)
	}
}
