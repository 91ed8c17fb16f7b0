package collyrobots

import (
	"errors"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/token"
)

func TestProductTokenOfUserAgents(t *testing.T) {
	for _, tt := range []struct {
		userAgent, want string
		err             error
	}{
		{"FooBot", "FooBot", nil},
		{"FooBot/1.0 (+https://foo.example/bot)", "FooBot", nil},
		{"Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.example/bot)", "FooBot", nil},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; FooBot/1.0) Chrome/120.0 Safari/537.36", "FooBot", nil},
		{"Crawl4All/2.0", "Crawl", nil},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36", "", ErrBrowser},
		{"", "", ErrNoProductToken},
		{"1337/FooBot", "", ErrNoProductToken},
	} {
		got, err := ProductToken(tt.userAgent)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("ProductToken(%q) = %q, %v, want %q, %v", tt.userAgent, got, err, tt.want, tt.err)
		}
	}
}

func TestProductTokenErrorsSayWhatAndWhatHelps(t *testing.T) {
	for _, userAgent := range []string{"Mozilla/5.0 (Windows NT 10.0)", "(FooBot)", strings.Repeat("7", 10_000)} {
		_, err := ProductToken(userAgent)
		if err == nil {
			t.Fatalf("ProductToken(%.20q): no error", userAgent)
		}
		for _, part := range []string{"collyrobots: ", userAgent[:7], "FooBot/1.0"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("ProductToken(%.20q): error %q does not hold %q", userAgent, err, part)
			}
		}
		if len(err.Error()) > 400 {
			t.Errorf("ProductToken of %d octets: error of %d octets", len(userAgent), len(err.Error()))
		}
	}
}

// Compile takes what a caller has at hand: a token, or the User-Agent that holds it.
func TestCompileFindsTheTokenInAUserAgent(t *testing.T) {
	const body = "User-agent: FooBot\nDisallow: /foo\n\nUser-agent: Mozilla\nDisallow: /mozilla\n\nUser-agent: *\nDisallow: /star\n"
	for _, tt := range []struct{ productToken, disallowed string }{
		{"FooBot", "/foo"},
		{"foobot", "/foo"},
		{"FooBot/1.0 (+https://foo.example)", "/foo"},
		{"Mozilla/5.0 (compatible; FooBot/1.0)", "/foo"},
		{"Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/120.0", "/star"},
		{"Mozilla", "/mozilla"}, // a token, if an odd one
		{"", "/star"},
		{"*", "/star"},
		{"BarBot", "/star"},
		{"FooBotNet", "/star"},
	} {
		r := Compile([]byte(body), tt.productToken)
		for _, path := range []string{"/foo", "/mozilla", "/star"} {
			if got, want := r.Match(path).Allowed, path != tt.disallowed; got != want {
				t.Errorf("Compile(%q).Match(%q).Allowed = %v, want %v", tt.productToken, path, got, want)
			}
		}
	}
}

func FuzzProductToken(f *testing.F) {
	for _, s := range []string{
		"FooBot/1.0 (+https://foo.example)", "Mozilla/5.0 (compatible; FooBot/1.0)", "Mozilla/5.0 (X11) Gecko/1 Firefox/1", "((;,", "",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; FooBot/1.3; +https://foo.example",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, userAgent string) {
		got, err := ProductToken(userAgent)
		if err != nil {
			if got != "" || errors.Is(err, ErrBrowser) == errors.Is(err, ErrNoProductToken) {
				t.Errorf("ProductToken(%q) = %q, %v", userAgent, got, err)
			}
			return
		}
		if !token.Valid(got) || !strings.Contains(userAgent, got) {
			t.Errorf("ProductToken(%q) = %q, which is no token of it", userAgent, got)
		}
		again, err := ProductToken(got)
		if again != got || err != nil {
			t.Errorf("ProductToken(%q) = %q, but the token alone gives %q, %v", userAgent, got, again, err)
		}
	})
}
