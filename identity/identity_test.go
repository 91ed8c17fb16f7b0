package identity

import (
	"bytes"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"testing"
)

// quiet is a logger whose lines can be looked at.
func quiet() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

func mustNew(t *testing.T, o Options) *Identity {
	t.Helper()
	if o.Logger == nil {
		o.Logger, _ = quiet()
	}
	id, err := New(o)
	if err != nil {
		t.Fatalf("New(%+v) = %v, want nil", o, err)
	}
	return id
}

func TestAUserAgentIsBuiltFromItsParts(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Product: "AcmeBot", Version: "1.2", ContactURL: "https://bot.acme.dev/crawler", ContactEmail: "crawl@acme.dev"},
			"AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev) colly/2.3.0"},
		{Options{Product: "AcmeBot", ContactURL: "https://bot.acme.dev/"}, "AcmeBot (+https://bot.acme.dev/) colly/2.3.0"},
		{Options{Product: "AcmeBot", ContactEmail: "crawl@acme.dev", Suffix: []string{}}, "AcmeBot (mailto:crawl@acme.dev)"},
		{Options{Product: "AcmeBot", ContactEmail: "crawl@acme.dev", Suffix: []string{"acmelib/3", "x"}}, "AcmeBot (mailto:crawl@acme.dev) acmelib/3 x"},
		{Options{Product: "AcmeBot", Version: "1.2", ContactURL: "https://bot.acme.dev/c", Form: Compatible},
			"Mozilla/5.0 (compatible; AcmeBot/1.2; +https://bot.acme.dev/c)"},
		{Options{Product: "AcmeBot", ContactURL: "https://bücher.dev:8443/a(b);c,d", Suffix: []string{}},
			"AcmeBot (+https://xn--bcher-kva.dev:8443/a%28b%29%3Bc%2Cd)"},
		{Options{Product: "AcmeBot", ContactEmail: "crawl@bücher.dev", Suffix: []string{}}, "AcmeBot (mailto:crawl@xn--bcher-kva.dev)"},
		{Options{UserAgent: good}, good},
	} {
		id := mustNew(t, tt.o)
		if got := id.UserAgent(); got != tt.want {
			t.Errorf("New(%+v).UserAgent() = %q, want %q", tt.o, got, tt.want)
		}
		if got, want := id.ProductToken(), "AcmeBot"; got != want {
			t.Errorf("New(%+v).ProductToken() = %q, want %q", tt.o, got, want)
		}
	}
}

func TestTheVersionOfCollyIsTheOneOfGoMod(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "github.com/gocolly/colly/v2 v" + builtWith; !strings.Contains(string(mod), want) {
		t.Errorf("go.mod does not hold %q", want)
	}
}

func TestNewRefusesWhatMustNotGoOut(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		code string // "" for errors that are about Options themselves
	}{
		{Options{}, CodeEmpty},
		{Options{UserAgent: "  "}, CodeEmpty},
		{Options{Product: "Acme2Bot", ContactEmail: "c@acme.dev"}, CodeTokenInvalid},
		{Options{Product: "AB", ContactEmail: "c@acme.dev"}, CodeTokenInvalid},
		{Options{Version: "1.0", ContactEmail: "c@acme.dev"}, CodeTokenInvalid},
		{Options{Product: "AcmeBot"}, CodeNoContact},
		{Options{Product: "AcmeBot", ContactURL: "http://bot.acme.dev/"}, CodeNoContact},
		{Options{Product: "AcmeBot", ContactURL: "https://a:b@bot.acme.dev/"}, CodeNoContact},
		{Options{Product: "AcmeBot", ContactURL: "bot.acme.dev"}, CodeNoContact},
		{Options{Product: "AcmeBot", ContactURL: "https://github.com/gocolly/colly"}, CodeNotYourContact},
		{Options{Product: "AcmeBot", ContactEmail: "ops@acme"}, CodeBadFrom},
		{Options{Product: "AcmeBot", ContactEmail: "Ops <ops@acme.dev>"}, CodeBadFrom},
		{Options{Product: "AcmeBot", ContactEmail: "mailto:ops@acme.dev"}, CodeBadFrom},
		{Options{Product: "AcmeBot", Version: "1 0", ContactEmail: "c@acme.dev"}, CodeSyntax},
		{Options{Product: "AcmeBot", Version: "1\r\nX: y", ContactEmail: "c@acme.dev"}, CodeSyntax},
		{Options{Product: "AcmeBot", ContactEmail: "c@acme.dev", Suffix: []string{"a b"}}, CodeGrammar},
		{Options{Product: "colly", ContactEmail: "c@acme.dev"}, CodeLibrary},
		{Options{UserAgent: good, From: "ops@[192.0.2.1]"}, CodeBadFrom},
		{Options{UserAgent: good, Product: "OtherBot"}, CodeTokenMissing},
		{Options{UserAgent: good, PerHost: map[string]string{"a.dev": "OtherBot/1.0 (c@acme.dev)"}}, CodeTokenMissing},
		{Options{UserAgent: good, PerHost: map[string]string{"a.dev": "AcmeBot/1.0"}}, CodeNoContact},
		{Options{UserAgent: good, PerHost: map[string]string{"a.dev": chrome}, TokenOptional: []string{"a.dev"}}, CodeBrowser},
		{Options{UserAgent: good, PerHost: map[string]string{"a.dev": ""}}, CodeEmpty},
		{Options{UserAgent: good, PerHost: map[string]string{"a.dev": "AcmeBot/1 (c@acme.dev)", "A.dev.": "AcmeBot/2 (c@acme.dev)"}}, ""},
		{Options{UserAgent: good, PerHost: map[string]string{"*.dev": good}}, ""},
		{Options{UserAgent: good, PerHost: map[string]string{"a.dev:8080": good}}, ""},
		{Options{UserAgent: good, PerHost: map[string]string{"https://a.dev": good}}, ""},
		{Options{UserAgent: good, BrowserLike: map[string]string{"a.dev/x": "why"}}, ""},
		{Options{UserAgent: good, TokenOptional: []string{"a.dev"}}, ""},
		{Options{UserAgent: good, BrowserLike: map[string]string{"a.dev": ""}}, ""},
		{Options{UserAgent: good, BrowserLike: map[string]string{"a.dev": "why"}, PerHost: map[string]string{"a.dev": good}}, ""},
		{Options{UserAgent: good, Version: "1"}, ""},
		{Options{UserAgent: good, ContactEmail: "c@acme.dev"}, ""},
		{Options{UserAgent: good, NoFrom: true, From: "c@acme.dev"}, ""},
		{Options{UserAgent: good, Mode: 7}, ""},
		{Options{UserAgent: good, Require: 7}, ""},
		{Options{UserAgent: good, Form: 7}, ""},
	} {
		tt.o.Logger, _ = quiet()
		id, err := New(tt.o)
		if err == nil || id != nil {
			t.Errorf("New(%+v) = %v, %v, want an error", tt.o, id, err)
			continue
		}
		var bad *InvalidError
		switch {
		case !errors.As(err, &bad) && tt.code != "":
			t.Errorf("New(%+v) = %v, want an *InvalidError with %s", tt.o, err, tt.code)
		case tt.code != "" && !strings.Contains(codes(bad.Problems), tt.code):
			t.Errorf("New(%+v) = %v, want code %s", tt.o, err, tt.code)
		case !strings.HasPrefix(err.Error(), "identity: ") || !strings.Contains(err.Error(), tt.code):
			t.Errorf("New(%+v) = %q: the text lacks the package or the code %s", tt.o, err, tt.code)
		}
	}
}

func TestContactsOfTutorialsAreLetThroughWithAWarning(t *testing.T) {
	for _, tt := range []struct{ ua, code string }{
		{"AcmeBot/1.0 (+https://example.com/bot)", CodeReserved},
		{"AcmeBot/1.0 (you@yourdomain.com)", CodePlaceholder},
		{"AcmeBot/1.0 (TODO)", CodePlaceholder},
		{"Mozilla/5.0 (compatible; AcmeBot/1.0; +http://localhost/bot)", CodeReserved},
	} {
		logger, lines := quiet()
		id := mustNew(t, Options{UserAgent: tt.ua, Logger: logger})
		if got := lines.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "code="+tt.code) {
			t.Errorf("New(%q) logged %q, want one warning with code %s", tt.ua, got, tt.code)
		}
		for target, permitted := range map[string]bool{
			"http://127.0.0.1:8080/": true, "http://[::1]/": true, "http://localhost/": true, "http://a.localhost./": true,
			"https://shop.test/": true, "https://shop.example/": true, "https://SHOP.invalid/": true,
			"https://example.com/": false, "https://shop.dev/": false, "http://10.0.0.1/": false, "http://printer.local/": false,
			"http://test.dev/": false, "http://mytest/": false, "http://127.0.0.1.nip.io/": false, "http://a b/": false, "/": false,
		} {
			u, err := url.Parse(target)
			if err != nil {
				u = &url.URL{Scheme: "http", Host: "a b"}
			}
			got := id.Permits(u)
			var e *Error
			if (got == nil) != permitted || got != nil && (!errors.As(got, &e) || e.Problem.Code != tt.code) {
				t.Errorf("New(%q).Permits(%s) = %v, want permitted: %v", tt.ua, target, got, permitted)
			}
		}
	}
	if err := mustNew(t, Options{UserAgent: good}).Permits(&url.URL{Scheme: "https", Host: "shop.dev"}); err != nil {
		t.Errorf("Permits with a real contact = %v, want nil", err)
	}
}

func TestTheFromField(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{UserAgent: good}, "c@acme.dev"},
		{Options{UserAgent: good, From: "ops@acme.dev"}, "ops@acme.dev"},
		{Options{UserAgent: good, NoFrom: true}, ""},
		{Options{UserAgent: "AcmeBot/1.0 (+https://bot.acme.dev)"}, ""},
		{Options{UserAgent: "AcmeBot/1.0 (+https://bot.acme.dev)", From: "ops@acme.dev"}, "ops@acme.dev"},
		{Options{UserAgent: "AcmeBot/1.0 (ops@acme)"}, ""},
		{Options{Product: "AcmeBot", ContactEmail: "crawl@acme.dev"}, "crawl@acme.dev"},
	} {
		if got := mustNew(t, tt.o).From(); got != tt.want {
			t.Errorf("New(%+v).From() = %q, want %q", tt.o, got, tt.want)
		}
	}
	if err := mustNew(t, Options{UserAgent: "AcmeBot/1.0 (+https://bot.acme.dev)", From: "me@example.org"}).
		Permits(&url.URL{Scheme: "https", Host: "shop.dev"}); err == nil {
		t.Errorf("Permits with From at example.org = nil, want an error")
	}
}

func TestMailboxIsExactlyOneAddress(t *testing.T) {
	for in, want := range map[string]string{
		"c@acme.dev": "c@acme.dev", "c+b.d_e@ACME.dev": "c+b.d_e@ACME.dev", "c@acme.dev.": "c@acme.dev", "c@bücher.dev": "c@xn--bcher-kva.dev",
		"": "", "acme.dev": "", "@acme.dev": "", "c@": "", "c@acme": "", "c@[127.0.0.1]": "", "c@127.0.0.1": "", "c@0x7f.1": "",
		"C <c@acme.dev>": "", "<c@acme.dev>": "", "c@acme.dev, d@acme.dev": "", "c@acme.dev;": "", "c@d@acme.dev": "", "a b@acme.dev": "",
		".c@acme.dev": "", "c.@acme.dev": "", "c..d@acme.dev": "", `"c d"@acme.dev`: "", "c@acme.dev:25": "", "c@acme.dev\r\nBcc: x": "",
		"ć@acme.dev": "", "c@acme..dev": "", strings.Repeat("c", 65) + "@acme.dev": "", " c@acme.dev": "",
	} {
		if got, problem := mailbox(in); got != want || (problem == nil) != (want != "") {
			t.Errorf("mailbox(%q) = %q, %v, want %q", in, got, problem, want)
		}
	}
}

func TestCloseMayBeCalledTwice(t *testing.T) {
	id := mustNew(t, Options{UserAgent: good})
	for range 2 {
		if err := id.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
}

func TestATeamMayAskForBothContacts(t *testing.T) {
	const page, mail = "AcmeBot/1.0 (+https://bot.acme.dev)", "AcmeBot/1.0 (c@acme.dev)"
	for _, tt := range []struct {
		o    Options
		want bool
	}{
		{Options{UserAgent: page}, true},
		{Options{UserAgent: mail}, true},
		{Options{UserAgent: page, Require: URLContact}, true},
		{Options{UserAgent: mail, Require: URLContact}, false},
		{Options{UserAgent: page, Require: EmailContact}, false},
		{Options{UserAgent: mail, Require: EmailContact}, true},
		{Options{UserAgent: page, From: "c@acme.dev", Require: EmailContact}, true},
		{Options{UserAgent: page, Require: BothContacts}, false},
		{Options{UserAgent: page, From: "c@acme.dev", Require: BothContacts}, true},
		{Options{UserAgent: good, Require: BothContacts}, true},
		{Options{UserAgent: "AcmeBot/1.0 (+https://example.com/)", Require: URLContact}, true}, // there to be replaced
		{Options{UserAgent: "AcmeBot/1.0 (+https://go-colly.org/; c@acme.dev)", Require: URLContact}, false},
	} {
		tt.o.Logger, _ = quiet()
		_, err := New(tt.o)
		var bad *InvalidError
		if (err == nil) != tt.want || err != nil && (!errors.As(err, &bad) || codes(bad.Problems) != CodeNoContact) {
			t.Errorf("New(%+v) = %v, want accepted: %v, else code %s", tt.o, err, tt.want, CodeNoContact)
		}
	}
}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // Attach has no Logger
	os.Exit(m.Run())
}
