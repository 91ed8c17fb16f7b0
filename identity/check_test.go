package identity

import (
	"slices"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/token"
)

const (
	good   = "AcmeBot/1.2 (+https://bot.acme.dev/c; mailto:c@acme.dev) colly/2.3.0"
	chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
)

func codes(ps []Problem) string {
	var c []string
	for _, p := range ps {
		c = append(c, p.Code)
	}
	return strings.Join(c, " ")
}

// identities are User-Agents with the codes of all their problems, in order.
var identities = []struct{ rule, ua, token, want string }{
	{"URL and email", good, "", ""},
	{"the token is compared without case", good, "acmebot", ""},
	{"Colly's default", "colly - https://github.com/gocolly/colly", "", "library-default not-your-contact no-contact grammar"},
	{"Colly's default, newer", "colly - https://github.com/gocolly/colly/v2", "", "library-default not-your-contact no-contact grammar"},
	{"nothing", "", "", "empty"},
	{"white space", " \t ", "AcmeBot", "empty"},

	// contacts
	{"URL without plus", "AcmeBot/1.0 (https://bot.acme.dev/c)", "", ""},
	{"URL behind the products", "AcmeBot/1.0 https://bot.acme.dev/c", "", "grammar"},
	{"mailto", "AcmeBot/1.0 (mailto:c@acme.dev)", "", ""},
	{"plus mailto", "AcmeBot/1.0 (+mailto:c@acme.dev)", "", ""},
	{"mailto with a subject", "AcmeBot/1.0 (MAILTO:c@acme.dev?subject=bot)", "", ""},
	{"bare email", "AcmeBot/1.0 (c@acme.dev)", "", ""},
	{"plus email", "AcmeBot/1.0 (+c+bots@acme.dev)", "", ""},
	{"labelled email", "AcmeBot/1.0 (contact=c@acme.dev)", "", ""},
	{"email in angle brackets", "AcmeBot/1.0 (Acme <c@acme.dev>)", "", ""},
	{"email behind the products", "AcmeBot/1.0 c@acme.dev", "", "grammar"},
	{"onion", "AcmeBot/1.0 (+https://abcdef.onion/bot)", "", ""},
	{"international name", "AcmeBot/1.0 (+https://xn--bcher-kva.dev/)", "", ""},
	{"http is no contact", "AcmeBot/1.0 (+http://bot.acme.dev/c)", "", "no-contact"},
	{"http beside an email", "AcmeBot/1.0 (+http://bot.acme.dev/c; c@acme.dev)", "", ""},
	{"a telephone number", "AcmeBot/1.0 (call +1 555 0100)", "", "no-contact"},
	{"a handle", "AcmeBot/1.0 (@acmebot)", "", "no-contact"},
	{"a name without scheme", "AcmeBot/1.0 (bot.acme.dev)", "", "no-contact"},
	{"a port that is none", "AcmeBot/1.0 (+https://bot.acme.dev:99999/)", "", "no-contact"},
	{"no contact at all", "AcmeBot/1.0", "", "no-contact"},

	// reserved names
	{"example.com", "AcmeBot/1.0 (+https://example.com/bot)", "", "reserved-domain no-contact"},
	{"below example.org, capitals, trailing dot", "AcmeBot/1.0 (+https://WWW.Example.ORG./bot)", "", "reserved-domain no-contact"},
	{"whole labels: notexample.com", "AcmeBot/1.0 (+https://notexample.com/bot)", "", ""},
	{"whole labels: example.community", "AcmeBot/1.0 (+https://example.community/bot)", "", ""},
	{"example as a mail domain", "AcmeBot/1.0 (+mailto:data-team@mycompany.example)", "", "reserved-domain no-contact"},
	{"test", "AcmeBot/1.0 (+https://bot.test/)", "", "reserved-domain no-contact"},
	{"local", "AcmeBot/1.0 (me@printer.local)", "", "reserved-domain no-contact"},
	{"internal", "AcmeBot/1.0 (+https://wiki.acme.internal/bot)", "", "reserved-domain no-contact"},
	{"home.arpa", "AcmeBot/1.0 (+https://nas.home.arpa/)", "", "reserved-domain no-contact"},
	{"lan", "AcmeBot/1.0 (me@printer.lan)", "", "reserved-domain no-contact"},
	{"no dot", "AcmeBot/1.0 (ops@acme)", "", "reserved-domain no-contact"},
	{"localhost with a port", "AcmeBot/1.0 (+https://localhost:8080/)", "", "reserved-domain no-contact"},
	{"an address", "AcmeBot/1.0 (+https://192.0.2.7/bot)", "", "reserved-domain no-contact"},
	{"an address in disguise", "AcmeBot/1.0 (+https://0xC0000207/bot)", "", "reserved-domain no-contact"},
	{"an IPv6 address", "AcmeBot/1.0 (+https://[2001:db8::1]/bot)", "", "reserved-domain no-contact"},
	{"an address in an email", "AcmeBot/1.0 (ops@[192.0.2.7])", "", "reserved-domain no-contact"},
	{"userinfo hides nothing", "AcmeBot/1.0 (+https://bot.acme.dev@example.com/)", "", "reserved-domain no-contact"},
	{"http too", "AcmeBot/1.0 (+http://example.com/bot)", "", "reserved-domain no-contact"},
	{"a real contact beside", "AcmeBot/1.0 (+https://example.com/bot; c@acme.dev)", "", "reserved-domain"},

	// placeholders
	{"yourdomain", "AcmeBot/1.0 (you@yourdomain.com)", "", "placeholder no-contact"},
	{"your-domain", "AcmeBot/1.0 (+https://www.your-domain.dev/bot)", "", "placeholder no-contact"},
	{"yoursite", "AcmeBot/1.0 (+https://yoursite.org/bot)", "", "placeholder no-contact"},
	{"mydomain", "AcmeBot/1.0 (me@mydomain.net)", "", "placeholder no-contact"},
	{"company.com", "AcmeBot/1.0 (crawl@company.com)", "", "placeholder no-contact"},
	{"www.company.com", "AcmeBot/1.0 (+https://www.Company.com/bot)", "", "placeholder no-contact"},
	{"domain.com", "AcmeBot/1.0 (+https://domain.com)", "", "placeholder no-contact"},
	{"whole labels: mycompany.com", "AcmeBot/1.0 (crawl@mycompany.com)", "", ""},
	{"whole labels: company.com.au", "AcmeBot/1.0 (+https://company.com.au/)", "", ""},
	{"whole labels: yourdomains.dev", "AcmeBot/1.0 (+https://yourdomains.dev/)", "", ""},
	{"whole labels: notmydomain.dev", "AcmeBot/1.0 (+https://notmydomain.dev/)", "", ""},
	{"angle brackets", "AcmeBot/1.0 (+https://<your page>)", "", "placeholder no-contact"},
	{"braces", "AcmeBot/1.0 (+{{contact}})", "", "placeholder no-contact"},
	{"your.email", "AcmeBot/1.0 (your.email@gmail.com)", "", "placeholder no-contact"},
	{"your.name", "AcmeBot/1.0 (mailto:Your.Name@gmail.com)", "", "placeholder no-contact"},
	{"you", "AcmeBot/1.0 (you@gmail.com)", "", "placeholder no-contact"},
	{"foo", "AcmeBot/1.0 (foo@bar.com)", "", "placeholder no-contact"},
	{"whole parts: bayou", "AcmeBot/1.0 (bayou@acme.dev)", "", ""},
	{"whole parts: your.friends", "AcmeBot/1.0 (your.friends@acme.dev)", "", ""},
	{"mywebsite.com", "AcmeBot/1.0 (+https://www.mywebsite.com/bot)", "", "placeholder no-contact"},
	{"whole labels: mywebsite.community", "AcmeBot/1.0 (+https://mywebsite.community/bot)", "", ""},
	{"Heritrix's template", "AcmeBot/@VERSION@ (+@OPERATOR_CONTACT_URL@)", "", "placeholder no-contact grammar"},
	{"a variable of Windows", "AcmeBot/1.0 (%CONTACT_EMAIL%)", "", "placeholder no-contact"},
	{"a variable of a shell", "AcmeBot/1.0 (+$CONTACT_URL)", "", "placeholder no-contact"},
	{"a variable within a URL", "AcmeBot/1.0 (+https://acme.dev/$PAGE)", "", "placeholder no-contact"},
	{"a variable of Jenkins", "AcmeBot/1.0 (__EMAIL__)", "", "placeholder no-contact"},
	{"square brackets", "AcmeBot/1.0 ([EMAIL ADDRESS])", "", "placeholder no-contact"},
	{"escapes are none", "AcmeBot/1.0 (+https://acme.dev/%ABCD%ABCDEF%20x)", "", ""},
	{"an address in brackets is none", "AcmeBot/1.0 (+https://[2001:DB8::ABCD]/; c@acme.dev)", "", "reserved-domain"},
	{"TBD", "AcmeBot/1.0 (TBD)", "", "placeholder no-contact"},
	{"YOUR_", "AcmeBot/1.0 (YOUR_EMAIL)", "", "placeholder no-contact"},
	{"your_", "AcmeBot/1.0 (your_email@gmail.com)", "", "placeholder no-contact"},
	{"your-email", "AcmeBot/1.0 (your-email@gmail.com)", "", "placeholder no-contact"},
	{"YOUR_ in the product", "YOUR_BOT/1.0 (+https://bot.acme.dev)", "", "placeholder"},
	{"CHANGEME", "AcmeBot/1.0 (CHANGEME)", "", "placeholder no-contact"},
	{"changeme", "AcmeBot/1.0 (changeme@changeme.com)", "", "placeholder no-contact"},
	{"TODO", "AcmeBot/1.0 (TODO: contact)", "", "placeholder no-contact"},
	{"TODO in a URL", "AcmeBot/1.0 (+https://acme.dev/TODO)", "", "placeholder no-contact"},
	{"words in capitals only", "AcmeBot/1.0 (+https://todo.dev/insert)", "", ""},
	{"REPLACE", "AcmeBot/1.0 (REPLACE_WITH_EMAIL)", "", "placeholder no-contact"},
	{"INSERT", "AcmeBot/1.0 (INSERT-EMAIL-HERE)", "", "placeholder no-contact"},
	{"ENTER-A-", "AcmeBot/1.0 (+ENTER-A-CONTACT-HTTP-URL)", "", "placeholder no-contact"},
	{"enter-an-", "AcmeBot/1.0 (enter-an-email@acme.dev)", "", "placeholder no-contact"},
	{"xxx", "AcmeBot/1.0 (xxx@xxx.com)", "", "placeholder no-contact"},
	{"whole labels: xxxlutz.de", "AcmeBot/1.0 (+https://xxxlutz.de/)", "", ""},
	{"xxx as top-level domain", "AcmeBot/1.0 (+https://acme.xxx/)", "", ""},
	{"a format without its value", "AcmeBot/1.0 (+%!s(MISSING))", "", "placeholder no-contact"},

	// names of others
	{"a browser", chrome, "", "token-missing browser no-contact"},
	{"a browser, our token asked for", chrome, "AcmeBot", "token-missing browser no-contact"},
	{"a browser with a contact only", chrome + " (+https://bot.acme.dev)", "", "token-missing browser"},
	{"a browser with our token only", "Mozilla/5.0 (compatible; AcmeBot/1.2)", "", "browser no-contact"},
	{"compatible form", "Mozilla/5.0 (compatible; AcmeBot/1.2; +https://bot.acme.dev/c)", "", ""},
	{"compatible form of a tutorial", "Mozilla/5.0 (compatible; AcmeBot/1.2; +https://example.com/c)", "", "reserved-domain no-contact"},
	{"a browser and ourselves", chrome + " AcmeBot/1.2 (+https://bot.acme.dev/c)", "", ""},
	{"like Googlebot", "AcmeBot/1.0 (like Googlebot; +https://bot.acme.dev)", "", "impersonation"},
	{"like GOOGLEBOT/2.1", "AcmeBot/1.0 (like GOOGLEBOT/2.1; +https://bot.acme.dev)", "", "impersonation"},
	{"an AI crawler's name as our own", "GPTBot/1.3 (+https://bot.acme.dev)", "", "impersonation"},
	{"the owner says so", "GPTBot/1.3 (+https://bot.acme.dev)", "gptbot", ""},
	{"whole products: GooglebotWatcher", "GooglebotWatcher/1.0 (+https://bot.acme.dev)", "", ""},
	{"in quotation marks", `AcmeBot/1.0 "Googlebot/2.1" (+https://bot.acme.dev)`, "", "impersonation grammar"},
	{"in apostrophes", "AcmeBot/1.0 'Googlebot/2.1' (+https://bot.acme.dev)", "", "impersonation"},
	{"in square brackets", "AcmeBot/1.0 [Googlebot/2.1] (+https://bot.acme.dev)", "", "impersonation grammar"},
	{"between stars", "AcmeBot/1.0 *GoogleBot* (+https://bot.acme.dev)", "", "impersonation"},
	{"behind an equals sign", "AcmeBot/1.0 (like=Googlebot; +https://bot.acme.dev)", "", "impersonation"},
	{"before a colon", "AcmeBot/1.0 (Googlebot:2.1; +https://bot.acme.dev)", "", "impersonation"},
	{"before a full stop", "AcmeBot/1.0 Googlebot.2 (+https://bot.acme.dev)", "", "impersonation"},
	{"as version", "AcmeBot/Googlebot (+https://bot.acme.dev)", "", "impersonation"},
	{"behind another version", "AcmeBot/1.0/Googlebot/2.1 (+https://bot.acme.dev)", "", "impersonation grammar"},
	{"right behind a comment", "AcmeBot/1.0 (+https://bot.acme.dev)Googlebot/2.1", "", "impersonation grammar"},
	{"in brackets within", "AcmeBot/1.0 (Googlebot(x); +https://bot.acme.dev)", "", "impersonation"},
	{"right before a contact", "AcmeBot/1.0 (Googlebot=https://bot.acme.dev)", "", "impersonation"},
	{"the owner says so, in brackets", "ClaudeBot/1.0 ([ClaudeBot] +https://bot.acme.dev)", "ClaudeBot", ""},
	{"whole products: Googlebot2", "AcmeBot/1.0 (Googlebot2 archive; +https://bot.acme.dev)", "", ""},
	{"not in addresses", "AcmeBot/1.0 (Googlebot@acme.dev)", "", ""},
	{"not in URLs", "AcmeBot/1.0 (+https://bot.acme.dev/Googlebot)", "", ""},
	{"plain words in comments", "AcmeBot/1.0 (Code by the operator Spider; +https://bot.acme.dev)", "", ""},
	{"plain words as product", "Spider/1.0 (+https://bot.acme.dev)", "", "impersonation"},
	{"curl", "curl/8.5.0", "", "library-default no-contact"},
	{"Go", "Go-http-client/1.1", "", "library-default no-contact"},
	{"a library with a contact", "PYTHON-requests/2.31 (+https://bot.acme.dev)", "", "library-default"},
	{"a headless browser", "AcmeBot/1.0 HeadlessChrome", "", "browser no-contact"},
	{"a headless browser's name", "HeadlessChrome (+https://bot.acme.dev)", "", "token-missing browser"},
	{"a text browser", "Lynx/2.8.9 (+https://bot.acme.dev)", "", "library-default"},
	{"a phone's run time", "Dalvik/2.1.0 (Linux; U; Android 9) (+https://bot.acme.dev)", "", "library-default"},
	{"a driver of browsers", "Puppeteer (c@acme.dev)", "", "library-default"},
	{"a language", "Python/3.9 aiohttp/3.8 (c@acme.dev)", "", "library-default"},
	{"a client of Go's", "go-resty/2.7.0 (c@acme.dev)", "", "library-default"},
	{"a library in compatible form", "Mozilla/5.0 (compatible; colly/2.3; +https://bot.acme.dev)", "", "library-default"},
	{"a library's own page", "Scrapy/2.11 (+https://scrapy.org)", "", "library-default not-your-contact no-contact"},
	{"a library behind", "AcmeBot/1.0 (+https://bot.acme.dev) Scrapy/2.11", "", ""},
	{"somebody else's page", "AcmeBot/1.0 (+https://github.com/gocolly/colly)", "", "not-your-contact no-contact"},
	{"somebody else's page beside", "AcmeBot/1.0 (c@acme.dev) colly/2.3.0 (https://go-colly.org)", "", ""},
	{"somebody else's page with a slash more", "AcmeBot/1.0 (+https://github.com//gocolly/colly)", "", "not-your-contact no-contact"},
	{"somebody else's page behind dots", "AcmeBot/1.0 (+https://github.com/x/../GoColly/./colly)", "", "not-your-contact no-contact"},
	{"somebody else's page, escaped", "AcmeBot/1.0 (+https://github.com/%67ocolly/colly)", "", "not-your-contact no-contact"},
	{"somebody else's page on another host", "AcmeBot/1.0 (+https://raw.githubusercontent.com/gocolly/colly/master/README.md)", "", "not-your-contact no-contact"},
	{"somebody else's manual", "AcmeBot/1.0 (+https://godoc.org/github.com/gocolly/colly)", "", "not-your-contact no-contact"},
	{"somebody else's manual, newer", "AcmeBot/1.0 (+https://pkg.go.dev/github.com/gocolly/colly/v2)", "", "not-your-contact no-contact"},
	{"whole labels: mygo.dev", "AcmeBot/1.0 (+https://mygo.dev/)", "", ""},
	{"our own repository", "AcmeBot/1.0 (+https://github.com/acme/crawler)", "", ""},
	{"whole segments: gocolly-fans", "AcmeBot/1.0 (+https://github.com/gocolly-fans/bot)", "", ""},

	// tokens
	{"part of a word", "MyAcmeBotX/1.0 (+https://bot.acme.dev)", "AcmeBot", "token-missing"},
	{"part of a URL", "Acme/1.0 (+https://bot.acme.dev/AcmeBot )", "AcmeBot", "token-missing"},
	{"part of an address", "Acme/1.0 (AcmeBot@acme.dev)", "AcmeBot", "token-missing"},
	{"part of a name with a dot", "AcmeBot.org/1.0 (+https://bot.acme.dev)", "AcmeBot", "token-missing"},
	{"right behind a bracket", "Acme/1.0 (x)AcmeBot/1 (+https://bot.acme.dev)", "AcmeBot", "token-missing grammar"},
	{"within a comment", "Acme/1.0 (AcmeBot; +https://bot.acme.dev)", "AcmeBot", ""},
	{"digits", "Acme2Bot/1.0 (+https://bot.acme.dev)", "Acme2Bot", "token-invalid"},
	{"digits, derived", "Acme2Bot/1.0 (+https://bot.acme.dev)", "", "token-invalid"},
	{"a version in the token", good, "AcmeBot/1.2", "token-invalid token-missing"},
	{"too short", "AB/1.0 (+https://bot.acme.dev)", "", "token-invalid"},
	{"too long", strings.Repeat("a", 65) + " (+https://bot.acme.dev)", "", "token-invalid"},
	{"no product in front", "(AcmeBot; +https://bot.acme.dev)", "", "token-missing grammar"},
	{"a stump of Crawl4AI", "Crawl/1.0 (+https://bot.acme.dev)", "", "token-stump"},

	// syntax and grammar
	{"a second header", "AcmeBot/1.0 (+https://bot.acme.dev)\r\nX-Evil: 1", "", "syntax grammar"},
	{"NUL", "AcmeBot/1.0 (+https://bot.acme.dev\x00)", "", "syntax"},
	{"not ASCII", "AcmeBot/1.0 (+https://bücher.dev)", "", "syntax"},
	{"bracket left open", "AcmeBot/1.0 (+https://bot.acme.dev", "", "syntax grammar"},
	{"bracket never opened", "AcmeBot/1.0 +https://bot.acme.dev)", "", "syntax grammar"},
	{"brackets the wrong way round", "AcmeBot/1.0 )+https://bot.acme.dev(", "", "syntax grammar"},
	{"brackets within brackets", "AcmeBot/1.0 (a (b) +https://bot.acme.dev)", "", ""},
	{"a quoted bracket", `AcmeBot/1.0 (smile :-\) +https://bot.acme.dev)`, "", ""},
	{"256 bytes", long(256), "", ""},
	{"257 bytes", long(257), "", "syntax"},
	{"what is far too long is not read", strings.Repeat("(<", 1<<20), "AcmeBot", "syntax"},
	{"a semicolon outside brackets", "AcmeBot/1.0; (+https://bot.acme.dev)", "", "grammar"},
	{"SEC's form", "Acme Research crawl@acme.dev", "Acme", "grammar"},

	// as well-known crawlers send them
	{"GPTBot", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot", "GPTBot", "grammar"},
	{"ClaudeBot", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "ClaudeBot", ""},
	{"CCBot", "CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot", ""},
	{"Applebot", "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
		"Applebot", "browser no-contact"},
}

func long(n int) string {
	const head = "AcmeBot/1.0 (+https://bot.acme.dev/"
	return head + strings.Repeat("a", n-len(head)-1) + ")"
}

func TestCheckListsAllProblems(t *testing.T) {
	for _, tt := range identities {
		if got := codes(Check(tt.ua, tt.token)); got != tt.want {
			t.Errorf("%s: Check(%q, %q) = %q, want %q", tt.rule, tt.ua, tt.token, got, tt.want)
		}
	}
}

func TestAProblemSaysWhatItIsAbout(t *testing.T) {
	for _, tt := range []struct{ ua, code, names string }{
		{"AcmeBot/1.0 (you@yourdomain.com)", CodePlaceholder, `"yourdomain"`},
		{"AcmeBot/1.0 (+https://example.com/bot)", CodeReserved, "example.com"},
		{"AcmeBot/1.0 (+https://bücher.dev)", CodeSyntax, "xn--bcher-kva.dev"},
		{"AcmeBot/1.0 (+http://bot.acme.dev/c)", CodeNoContact, "http://bot.acme.dev/c"},
		{"AcmeBot/1.0 (like Googlebot; +https://bot.acme.dev)", CodeImpersonation, "Googlebot"},
		{"Acme2Bot/1.0 (+https://bot.acme.dev)", CodeTokenInvalid, `"Acme"`},
	} {
		ps := Check(tt.ua, "")
		i := slices.IndexFunc(ps, func(p Problem) bool { return p.Code == tt.code })
		if i < 0 || !strings.Contains(ps[i].Text, tt.names) {
			t.Errorf("Check(%q) = %v, want code %s with a text that names %s", tt.ua, ps, tt.code, tt.names)
		}
	}
}

func TestContactsAreListedAsTheyStand(t *testing.T) {
	got := Contacts("AcmeBot/1.2 (+https://bot.acme.dev/c; mailto:c@acme.dev) +http://b.test")
	want := []string{"https://bot.acme.dev/c", "c@acme.dev", "http://b.test"}
	if !slices.Equal(got, want) {
		t.Errorf("Contacts = %q, want %q", got, want)
	}
}

func FuzzCheck(f *testing.F) {
	for _, tt := range identities {
		f.Add(tt.ua, tt.token)
	}
	f.Fuzz(func(t *testing.T, ua, tok string) {
		ps := Check(ua, tok)
		seen := map[string]bool{}
		for _, p := range ps {
			if p.Code == "" || p.Text == "" || seen[p.Code] {
				t.Errorf("Check(%q, %q): %v: a problem is empty or said twice", ua, tok, ps)
			}
			seen[p.Code] = true
		}
		if !fatal(ps) && strings.ContainsFunc(ua, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("Check(%q, %q) lets it into a header: %v", ua, tok, ps)
		}
		if tok == "" && !fatal(ps) {
			derived, err := token.FromUserAgent(ua)
			if err != nil || !token.Contains(ua, derived) {
				t.Errorf("Check(%q) lets it pass, but its token is %q, %v", ua, derived, err)
			}
			if len(Contacts(ua)) == 0 && unreal(ps) == nil {
				t.Errorf("Check(%q) lets it pass, but nobody can be reached", ua)
			}
			if again := Check(ua, derived); fatal(again) {
				t.Errorf("Check(%q, %q) = %v, but without the token it passes", ua, derived, again)
			}
		}
	})
}
