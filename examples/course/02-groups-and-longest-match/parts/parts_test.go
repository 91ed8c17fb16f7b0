package parts

import (
	"testing"

	"github.com/collyetiquette/etiquette/collyrobots"
)

func TestMatchesAgreesWithThePack(t *testing.T) {
	paths := []string{"/", "/a", "/ab", "/a/b", "/a/b/a/b", "/a.pdf", "/a.pdf?x", "/a?b=.pdf", "/b/a.pdf.pdf"}
	for _, pattern := range []string{"/", "/a", "/a$", "/*", "/*$", "/*a", "/*a$", "/*.pdf", "/*.pdf$", "/a*b", "/a*b$", "/*/a*", "*a", "/**b$", "/$"} {
		rules := collyrobots.Compile([]byte("User-agent: *\nDisallow: "+pattern+"\n"), "CourseBot")
		for _, path := range paths {
			if got, want := Matches(pattern, path), !rules.Match(path).Allowed; got != want {
				t.Errorf("Matches(%q, %q) = %t, want %t", pattern, path, got, want)
			}
		}
	}
}

func TestSplitTakesALineApart(t *testing.T) {
	for line, want := range map[string][2]string{
		"Allow: /tea # please\n": {"allow", "/tea"}, " DISALLOW :/a:b ": {"disallow", "/a:b"}, "User-agent:": {"user-agent", ""}, "# x: y": {}, "hello": {}, "": {},
	} {
		if key, value := Split(line); key != want[0] || value != want[1] {
			t.Errorf("Split(%q) = %q, %q, want %q", line, key, value, want)
		}
	}
}
