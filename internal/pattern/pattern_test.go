package pattern

import (
	"strings"
	"testing"
)

func TestPatternsOfRFC9309(t *testing.T) {
	for _, tt := range []struct {
		rule, pattern, path string
		want                bool
	}{
		{"2.2.2 from the first octet on", "/fish", "/fish", true},
		{"2.2.2 from the first octet on", "/fish", "/fishing?x=1", true},
		{"2.2.2 from the first octet on", "/fish", "/a/fish", false},
		{"2.2.2 case counts", "/fish", "/Fish", false},
		{"2.2.2 the query is part of the match", "/s?q=a", "/s?q=ab", true},
		{"2.2.3 * is any octets", "/*.php", "/index.php?x", true},
		{"2.2.3 * is no octet", "/a*b", "/ab", true},
		{"2.2.3 * crosses slashes", "/a*b", "/a/x/b", true},
		{"2.2.3 * at the end changes nothing", "/fish*", "/fishing", true},
		{"2.2.3 pieces in order", "/*b*a", "/xaxb", false},
		{"2.2.3 pieces in order", "/*b*a", "/xaxba", true},
		{"2.2.3 pieces do not overlap", "/*aa*aa", "/aaa", false},
		{"2.2.3 pieces do not overlap", "/*aa*aa", "/aaaa", true},
		{"2.2.3 the literal prefix is no part of a piece", "/a*/a", "/a", false},
		{"2.2.3 $ is the end", "/*.php$", "/a.php", true},
		{"2.2.3 $ is the end", "/*.php$", "/a.php?x", false},
		{"2.2.3 $ takes the last place, not the leftmost", "/*a$", "/aba", true},
		{"2.2.3 the last piece does not overlap", "/*ab*b$", "/ab", false},
		{"2.2.3 $ without *", "/fish$", "/fish", true},
		{"2.2.3 $ without *", "/fish$", "/fish/", false},
		{"2.2.3 *$ is everything below", "/fish*$", "/fishing", true},
		{"2.2.3 * alone", "*", "/", true},
		{"2.2.3 * first", "*.gif$", "/a/b.gif", true},
		{"2.2.3 $ inside is an octet", "/a$b", "/a$b", true},
		{"2.2.3 $ inside is an octet", "/a$b", "/a", false},
		{"2.2.3 of $$ the first is an octet", "/a$$", "/a$", true},
		{"2.2.3 of $$ the first is an octet", "/a$$", "/a$$", false},
		{"2.2.3 fig. 6 %24 is an octet", "/a%24", "/a$b", true},
		{"2.2.3 fig. 6 %2A is an octet", "/a%2Ab", "/a*b", true},
		{"2.2.3 fig. 6 %2A is an octet", "/a%2Ab", "/axb", false},
		{"2.2.3 * covers a raw *", "/a*", "/a*b", true},
		{"2.2.2 fig. 4 UTF-8", "/foo/bar/ツ", "/foo/bar/%E3%83%84", true},
		{"2.2.2 fig. 4 UTF-8", "/foo/bar/%E3%83%84", "/foo/bar/ツ", true},
		{"2.2.2 fig. 4 unreserved", "/foo/bar/%62%61%7A", "/foo/bar/baz", true},
		{"2.2.2 fig. 4 unreserved", "/foo/bar/baz", "/foo/bar/%62%61%7A", true},
		{"2.2.2 fig. 4 reserved", "/a%2Fb", "/a%2fb", true},
		{"2.2.2 fig. 4 reserved", "/a%2Fb", "/a/b", false},
		{"2.2.2 fig. 4 reserved", "/a/b", "/a%2Fb", false},
		{"RFC 3986, 2 no octet of a URI", "/a|b", "/a%7Cb", true},
		{"decoded once", "/a%2561", "/aa", false},
		{"decoded once", "/a%2561", "/a%2561", true},
		{"% alone is an octet", "/100%", "/100%", true},
		{"% alone is an octet", "/100%$", "/100%25", false},
		{"% alone is an octet", "/%zz", "/%zz", true},
		{"% before an escape", "/%%41", "/%A", true},
		{"cannot match", "fish", "/fish", false},
		{"cannot match", "%2Ffish", "/fish", false},
		{"empty", "", "/anything", true},
	} {
		p := Compile(tt.pattern)
		if got := p.Match(TextPath(tt.path)); got != tt.want {
			t.Errorf("%s: Compile(%q).Match(%q) = %v, want %v (compiled: %q)", tt.rule, tt.pattern, tt.path, got, tt.want, p)
		}
	}
}

func TestCompiledForm(t *testing.T) {
	for _, tt := range []struct {
		raw, text, literal string
		priority           int
		matchable          bool
	}{
		{"", "", "", 0, false},
		{"/", "/", "/", 1, true},
		{"/a/b", "/a/b", "/a/b", 4, true},
		{"/a$", "/a$", "/a", 3, true},
		{"/a*", "/a*", "/a", 3, true},
		{"/a*b$", "/a*b$", "/a", 5, true},
		{"/a***b**", "/a*b*", "/a", 8, true},
		{"*", "*", "", 1, true},
		{"$", "$", "", 1, false},
		{"/$a", "/%24a", "/%24a", 5, true},
		{"/$*", "/%24*", "/%24", 5, true},
		{"/%61%2f%2a", "/a%2F%2A", "/a%2F%2A", 8, true},
		{"/é", "/%C3%A9", "/%C3%A9", 7, true},
		{"/a b", "/a%20b", "/a%20b", 6, true},
		{"a", "a", "a", 1, false},
	} {
		p := Compile(tt.raw)
		if got := p.String(); got != tt.text {
			t.Errorf("Compile(%q).String() = %q, want %q", tt.raw, got, tt.text)
		}
		if got := p.Literal(); got != tt.literal {
			t.Errorf("Compile(%q).Literal() = %q, want %q", tt.raw, got, tt.literal)
		}
		if got := p.Priority(); got != tt.priority {
			t.Errorf("Compile(%q).Priority() = %d, want %d", tt.raw, got, tt.priority)
		}
		if got := p.Matchable(); got != tt.matchable {
			t.Errorf("Compile(%q).Matchable() = %v, want %v", tt.raw, got, tt.matchable)
		}
	}
}

func TestPatternsThatMeanTheSameAreEqual(t *testing.T) {
	for _, pair := range [][2]string{
		{"/%7Eann/", "/~ann/"},
		{"/caf%c3%a9", "/café"},
		{"/a%2fb", "/a%2Fb"},
		{"/a$b", "/a%24b"},
	} {
		if got, want := Compile(pair[0]), Compile(pair[1]); got != want {
			t.Errorf("Compile(%q) = %q with priority %d, want %q with priority %d", pair[0], got, got.Priority(), want, want.Priority())
		}
	}
}

func TestMatchingAllocatesNothing(t *testing.T) {
	p := Compile("/*/private/*.php$")
	path := "/" + strings.Repeat("private/a.ph", 50) + "p"
	if got, want := testing.AllocsPerRun(100, func() { p.Match(path) }), 0.0; got != want {
		t.Errorf("Match allocates %v times, want %v", got, want)
	}
	if got, want := testing.AllocsPerRun(100, func() { Compile("/*/private/*.php$") }), 0.0; got != want {
		t.Errorf("Compile of a normal pattern allocates %v times, want %v", got, want)
	}
}
