package token

import (
	"errors"
	"strings"
	"testing"
)

// userAgents are strings as crawlers, libraries and browsers send them. An empty token goes with the error.
var userAgents = []struct {
	ua, token string
	err       error
}{
	// the first product
	{"FooBot", "FooBot", nil},
	{"FooBot/1.0 (+https://foo.example/bot)", "FooBot", nil},
	{"  FooBot/1.0", "FooBot", nil},
	{"foo-bot_x/1.0", "foo-bot_x", nil},
	{"CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot", nil},
	{"DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot", nil},
	{"Googlebot-Image/1.0", "Googlebot-Image", nil},
	{"colly - https://github.com/gocolly/colly/v2", "colly", nil},
	{"Go-http-client/1.1", "Go-http-client", nil},
	{"python-requests/2.31.0", "python-requests", nil},
	{"My Crawler 2.0", "My", nil},
	{"Ai2Bot-Dolma (+https://foo.example)", "Ai", nil}, // cut: digits are no token octets
	{"FooBot/1.0 (compatible; BarBot/1.0)", "FooBot", nil},
	{"FooBot/1.0 (like Googlebot/2.1)", "FooBot", nil},

	// behind "compatible"
	{"Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.example/bot)", "FooBot", nil},
	{"Mozilla/5.0 (compatible;FooBot/1.0;+https://foo.example/bot)", "FooBot", nil},
	{"mozilla/5.0 (Compatible; FooBot)", "FooBot", nil},
	{"Mozilla/5.0 (compatible; heritrix/3.4.0 +https://foo.example)", "heritrix", nil},
	{"Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)", "archive", nil},
	{"Mozilla/5.0 (compatible FooBot/1.0)", "FooBot", nil},
	{"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 " +
		"Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot", nil},
	{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) " +
		"Chrome/116.0.1938.76 Safari/537.36", "bingbot", nil},
	{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "ClaudeBot", nil},
	{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot", "GPTBot", nil},
	{"Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1) (compatible; FooBot/1.0)", "FooBot", nil},

	// the head of a comment, or a further product
	{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 " +
		"Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)", "Applebot", nil},
	{"Mozilla/5.0 (FooBot/1.0; +https://foo.example)", "FooBot", nil},
	{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 FooBot/1.0 (+https://foo.example)", "FooBot", nil},
	{"Mozilla/5.0 FooBot/1.0", "FooBot", nil},

	// browsers
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36", "", ErrBrowser},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0", "", ErrBrowser},
	{"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", "", ErrBrowser},
	{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1", "", ErrBrowser},
	{"Mozilla/5.0 (Linux; Android 13; SM-G991B Build/TP1A) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/23.0 Chrome/115.0 Mobile Safari/537.36", "", ErrBrowser},
	{"Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; .NET CLR 2.0.50727)", "", ErrBrowser},
	{"Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4 (like Gecko)", "", ErrBrowser},
	{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36", "", ErrBrowser},
	{"Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18", "", ErrBrowser},
	{"Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/120.0 (+https://me.example)", "", ErrBrowser},
	{"Mozilla/5.0", "", ErrBrowser},
	{"Mozilla/5.0 (compatible)", "", ErrBrowser},
	{"Mozilla/5.0 (compatible; 7Bot/1.0)", "", ErrBrowser},
	{"Mozilla/5.0 (((((", "", ErrBrowser},

	// nothing left
	{"", "", ErrNone},
	{" \t ", "", ErrNone},
	{"2ip bot/1.0", "", ErrNone},
	{"(compatible; FooBot/1.0)", "", ErrNone},
	{"\u212AestrelBot", "", ErrNone},
	{"/1.0", "", ErrNone},
}

func TestProductTokenOfAUserAgent(t *testing.T) {
	for _, tt := range userAgents {
		got, err := FromUserAgent(tt.ua)
		if got != tt.token || !errors.Is(err, tt.err) {
			t.Errorf("FromUserAgent(%q) = %q, %v, want %q, %v", tt.ua, got, err, tt.token, tt.err)
		}
	}
}

func FuzzFromUserAgent(f *testing.F) {
	for _, tt := range userAgents {
		f.Add(tt.ua)
	}
	f.Fuzz(func(t *testing.T, ua string) {
		got, err := FromUserAgent(ua)
		switch {
		case err == nil && !Valid(got):
			t.Errorf("FromUserAgent(%q) = %q, which is no token", ua, got)
		case err == nil && !strings.Contains(ua, got):
			t.Errorf("FromUserAgent(%q) = %q, which it does not hold", ua, got)
		case err == nil && isBrowser(got):
			t.Errorf("FromUserAgent(%q) = %q, a browser", ua, got)
		case err != nil && got != "":
			t.Errorf("FromUserAgent(%q) = %q with error %v, want no token", ua, got, err)
		}
	})
}
