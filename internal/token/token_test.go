package token

import "testing"

func TestTokenEndsAtTheFirstOctetOutsideTheGrammar(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"FooBot", "FooBot"},
		{"foo-bot_x", "foo-bot_x"},
		{"FooBot/2.1", "FooBot"},
		{"FooBot*", "FooBot"},
		{"FooBot2", "FooBot"},
		{"FooBot, BarBot", "FooBot"},
		{"archive.org_bot", "archive"},
		{"Foo\u212Aot", "Foo"}, // the Kelvin sign is no K
		{"*", ""},
		{"(FooBot)", ""},
		{"7Bot", ""},
		{"\xffBot", ""},
		{"", ""},
	} {
		if got := Cut(tt.in); got != tt.want {
			t.Errorf("Cut(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if got, want := Valid(tt.in), tt.in != "" && tt.in == tt.want; got != want {
			t.Errorf("Valid(%q) = %v, want %v", tt.in, got, want)
		}
	}
}

func TestTokensAreComparedWithoutASCIICase(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"FooBot", "foobot", true},
		{"FOO-BOT_", "foo-bot_", true},
		{"foo-bot", "foo_bot", false},
		{"foobot", "foobo", false},
		{"", "", true},
		{"\u212A", "k", false},
		{"[", "{", false}, // the neighbours of the letters are no letters
		{"@", "`", false},
	} {
		if got := Equal(tt.a, tt.b); got != tt.want {
			t.Errorf("Equal(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := Fold(tt.a) == Fold(tt.b); got != tt.want {
			t.Errorf("Fold(%q) == Fold(%q) is %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestFoldingWhatIsFoldedCostsNothing(t *testing.T) {
	if got, want := testing.AllocsPerRun(100, func() { Fold("foo-bot"); _ = Equal("FooBot", "foobot") }), 0.0; got != want {
		t.Errorf("Fold and Equal allocate %v times, want %v", got, want)
	}
}

func TestAUserAgentContainsATokenAsAWholeWord(t *testing.T) {
	for _, tt := range []struct {
		ua, tok string
		want    bool
	}{
		{"Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.example)", "foobot", true},
		{"FooBot", "FooBot", true},
		{"FooBot/1.0 FooBotNet/2", "FooBotNet", true},
		{"FooBotNet/2", "FooBot", false},
		{"MyFooBot/2", "FooBot", false},
		{"MyFooBot/2 FooBot/1", "FooBot", true},
		{"Foo", "FooBot", false},
		{"FooBot", "", false},
	} {
		if got := Contains(tt.ua, tt.tok); got != tt.want {
			t.Errorf("Contains(%q, %q) = %v, want %v", tt.ua, tt.tok, got, tt.want)
		}
	}
}
