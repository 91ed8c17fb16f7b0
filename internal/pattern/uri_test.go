package pattern

import (
	"net/url"
	"strings"
	"testing"
)

func TestPathOfURLText(t *testing.T) {
	for _, tt := range []struct{ rule, in, want string }{
		{"path and query", "https://h.example/a/b?c=d&e", "/a/b?c=d&e"},
		{"no fragment", "https://h.example/a#b?c/d", "/a"},
		{"no fragment", "https://h.example#/a", "/"},
		{"no path", "https://h.example", "/"},
		{"no path", "https://h.example?q", "/?q"},
		{"no path", "https://h.example?q=/a", "/?q=/a"},
		{"empty query", "https://h.example/a?", "/a?"},
		{"port and userinfo", "https://u:p@h.example:81/a", "/a"},
		{"; in userinfo", "https://us;er@h.example/a", "/a"},
		{"IPv6", "http://[2001:db8::7]:81/a", "/a"},
		{"slashes stay", "https://h.example//a//b/../c", "//a//b/../c"},
		{"a URL in the path", "https://h.example/http://x.example/y", "/http://x.example/y"},
		{"a URL in the query", "https://h.example/x?https://h.example/y", "/x?https://h.example/y"},
		{"without scheme", "//h.example/a", "/a"},
		{"only a path", "/a/b://c", "/a/b://c"},
		{"only a query", "?a", "/?a"},
		{"nothing", "", "/"},
		{"nothing of use", "mailto:a@h.example", "/"},
		{"broken scheme", "://h.example/a", "/a"},
		{"blank before the scheme", " https://h.example/a", "/a"},
		{"blank inside", "https://h.example/a b", "/a%20b"},
		{"UTF-8", "https://h.example/é?ü", "/%C3%A9?%C3%BC"},
		{"not UTF-8", "https://h.example/\xfc", "/%FC"},
		{"controls", "https://h.example/a\x00\x7f", "/a%00%7F"},
		{"no octets of a URI", "https://h.example/<>\"\\^`{|}", "/%3C%3E%22%5C%5E%60%7B%7C%7D"},
		{"reserved", "https://h.example/:/?[]@!&'()+,;=", "/:/?[]@!&'()+,;="},
		{"* and $", "https://h.example/*$?*$", "/%2A%24?%2A%24"},
		{"escapes", "https://h.example/%61%2f%2F%7e%C3%a9", "/a%2F%2F~%C3%A9"},
		{"escapes in the query", "https://h.example/?%61=%2f", "/?a=%2F"},
		{"broken escapes", "https://h.example/100%?%z%4", "/100%?%z%4"},
	} {
		if got := TextPath(tt.in); got != tt.want {
			t.Errorf("%s: TextPath(%q) = %q, want %q", tt.rule, tt.in, got, tt.want)
		}
	}
}

func TestPathOfURLMadeByHand(t *testing.T) {
	for _, tt := range []struct {
		rule string
		in   url.URL
		want string
	}{
		{"empty", url.URL{}, "/"},
		{"no leading slash", url.URL{Path: "a"}, "/a"},
		{"a decoded path is escaped as it is sent", url.URL{Path: "/a b?c%41!*'()[]$"}, "/a%20b%3Fc%2541%21%2A%27%28%29%5B%5D%24"},
		{"RawPath", url.URL{Path: "/a/b!", RawPath: "/a%2fb!"}, "/a%2Fb!"},
		{"RawPath that does not fit is not sent", url.URL{Path: "/a", RawPath: "/b"}, "/a"},
		{"RawPath that cannot be sent", url.URL{Path: "/a b", RawPath: "/a b"}, "/a%20b"},
		{"RawPath cut short", url.URL{Path: "/ab", RawPath: "/a"}, "/ab"},
		{"RawPath with a query", url.URL{Path: "/a?b", RawPath: "/a?b"}, "/a%3Fb"},
		{"Opaque", url.URL{Opaque: "/a%2fb", RawQuery: "c"}, "/a%2Fb?c"},
		{"Opaque with authority", url.URL{Scheme: "http", Opaque: "//h.example/a"}, "/a"},
		{"ForceQuery", url.URL{Path: "/a", ForceQuery: true}, "/a?"},
		{"the fragment is not sent", url.URL{Path: "/a", Fragment: "b"}, "/a"},
	} {
		if got := URLPath(&tt.in); got != tt.want {
			t.Errorf("%s: URLPath(%#v) = %q, want %q", tt.rule, tt.in, got, tt.want)
		}
	}
}

func TestURLPathAllocates(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want float64
	}{
		{"https://h.example/section/page.html", 0},
		{"https://h.example/a%2Fb", 0},
		{"https://h.example", 0},
		{"https://h.example/section/page.html?id=1", 1},
		{"https://h.example/a%2Fb?id=1", 1},
		{"https://h.example/é", 1},
		{"https://h.example/%61$*?é=%2f", 1},
	} {
		u, err := url.Parse(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(100, func() { URLPath(u) }); got != tt.want {
			t.Errorf("URLPath(%q) allocates %v times, want %v", tt.in, got, tt.want)
		}
	}
	var room [256]byte
	for _, in := range []string{"https://h.example/section/page.html?id=1", "https://h.example/%61$*?é=%2f"} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := testing.AllocsPerRun(100, func() { URLPathIn(room[:0], u) }), 0.0; got != want {
			t.Errorf("URLPathIn(%q) allocates %v times, want %v", in, got, want)
		}
	}
	for in, want := range map[string]float64{
		"https://h.example/section/page.html?id=1": 0,
		"https://h.example?id=1":                   1,
		"https://h.example/é?ü":                    1,
	} {
		if got := testing.AllocsPerRun(100, func() { TextPath(in) }); got != want {
			t.Errorf("TextPath(%q) allocates %v times, want %v", in, got, want)
		}
	}
}

// FuzzURLPath holds URLPath against net/url: it must be the normal form of what a client sends.
func FuzzURLPath(f *testing.F) {
	for _, s := range []string{"/a%2fb?c", "/é!*$", "//x/%zz", "/a b|[]?%", "?", "*"} {
		f.Add(s, "")
		f.Add("/a", s)
	}
	f.Fuzz(func(t *testing.T, path, rawPath string) {
		urls := []*url.URL{{Host: "h.example", Path: path, RawPath: rawPath}, {Host: "h.example", Path: path, RawQuery: rawPath}}
		if u, err := url.Parse("http://h.example/" + path); err == nil {
			urls = append(urls, u)
		}
		for _, u := range urls {
			if u.Path == "*" || strings.Contains(u.RawQuery, "#") {
				continue // OPTIONS only; no query
			}
			sent := u.RequestURI()
			if !strings.HasPrefix(sent, "/") {
				sent = "/" + sent
			}
			got, want := URLPath(u), TextPath("http://h.example"+sent)
			if got != want {
				t.Errorf("URLPath(%#v) = %q, want %q", u, got, want)
			}
			for _, size := range []int{0, 7, len(want), 4 * len(want)} {
				if got := URLPathIn(make([]byte, 0, size), u); got != want {
					t.Errorf("URLPathIn(%d octets, %#v) = %q, want %q", size, u, got, want)
				}
			}
			if again := TextPath("http://h.example" + got); again != got && !strings.Contains(sent, "%") {
				t.Errorf("the normal form %q of %q becomes %q", got, sent, again)
			}
		}
	})
}

func BenchmarkURLPath(b *testing.B) {
	for name, in := range map[string]string{
		"path":  "https://h.example/section-7/admin/page.html",
		"query": "https://h.example/section-7/page.html?id=1&sort=up",
		"UTF-8": "https://h.example/bücher/7?é=1",
	} {
		u, err := url.Parse(in)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				URLPath(u)
			}
		})
		b.Run(name+"/peer EscapedPath", func(b *testing.B) { // without any normal form
			b.ReportAllocs()
			for b.Loop() {
				p := u.EscapedPath()
				if u.RawQuery != "" {
					p += "?" + u.RawQuery
				}
			}
		})
	}
}
