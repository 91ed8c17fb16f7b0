// Package check judges the task of lesson 2.
package check

import (
	"testing"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// cases are decisions, each with the one thing that it is about.
var cases = []struct{ about, file, token, path string }{
	{"a path that no rule matches is allowed", "User-agent: *\nDisallow: /a\n", "TeaBot", "/b"},
	{"an empty Disallow disallows nothing", "User-agent: *\nDisallow:\n", "TeaBot", "/b"},

	{"the longest rule wins, wherever it stands", "User-agent: *\nDisallow: /shop/\nAllow: /shop/public/\n", "TeaBot", "/shop/public/1"},
	{"the longest rule wins, wherever it stands", "User-agent: *\nAllow: /page/\nDisallow: /page/hidden\n", "TeaBot", "/page/hidden"},
	{"the longest rule wins, and a * counts as one character", "User-agent: *\nAllow: /shop/a\nDisallow: /*/a\n", "TeaBot", "/shop/a"},
	{"of two rules of the same length the Allow wins", "User-agent: *\nDisallow: /list\nAllow: /list\n", "TeaBot", "/list"},
	{"of two rules of the same length the Allow wins", "User-agent: *\nAllow: /list\nDisallow: /list\n", "TeaBot", "/list"},

	{"the group that names us takes the place of the group for *", "User-agent: *\nDisallow: /cart\n\nUser-agent: TeaBot\nDisallow: /private\n", "TeaBot", "/cart"},
	{"the group that names us takes the place of the group for *", "User-agent: TeaBot\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n", "TeaBot", "/tea"},
	{"a group that names us and has no rules allows everything", "User-agent: *\nDisallow: /\n\nUser-agent: TeaBot\n", "TeaBot", "/tea"},
	{"who is not named keeps to the group for *", "User-agent: TeaBot\nAllow: /\n\nUser-agent: *\nDisallow: /cart\n", "CoffeeBot", "/cart"},
	{"a group for another crawler is not ours", "User-agent: CoffeeBot\nDisallow: /\n", "TeaBot", "/tea"},
	{"a name must be the same, not only begin the same", "User-agent: Tea\nDisallow: /\n", "TeaBot", "/tea"},

	{"capital and small letters of a name are the same", "User-agent: teabot\nDisallow: /private\n", "TeaBot", "/private"},
	{"several agent lines share the rules below them", "User-agent: TeaBot\nUser-agent: CoffeeBot\nDisallow: /private\n", "TeaBot", "/private"},
	{"an agent line behind a rule begins another group", "User-agent: TeaBot\nDisallow: /a\nUser-agent: CoffeeBot\nDisallow: /b\n", "TeaBot", "/b"},
	{"groups with the same name count as one", "User-agent: TeaBot\nDisallow: /a\n\nUser-agent: CoffeeBot\nDisallow: /\n\nUser-agent: TeaBot\nDisallow: /b\n", "TeaBot", "/b"},
	{"groups with the same name count as one", "User-agent: TeaBot\nDisallow: /b/\n\nUser-agent: TeaBot\nAllow: /b/c\n", "TeaBot", "/b/c"},
}

// Allowed fails for each case that allowed decides in another way than the pack.
func Allowed(t *testing.T, allowed func(file, token, path string) bool) {
	for _, c := range cases {
		want := collyrobots.Compile([]byte(c.file), c.token).Match(c.path)
		if got := allowed(c.file, c.token, c.path); got != want.Allowed {
			why := "no rule matches"
			if want.Line > 0 {
				why = "the rule that decides is " + want.Rule
			}
			t.Errorf("%s.\nFor %s and the path %s Allowed says %t, want %t: %s, in\n%s", c.about, c.token, c.path, got, want.Allowed, why, c.file)
		}
	}
}
