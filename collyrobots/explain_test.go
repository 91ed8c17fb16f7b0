package collyrobots

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplainNamesEachRuleThatMatches(t *testing.T) {
	body := []byte(lines(
		"User-agent: *",      // 1
		"Disallow: /",        // 2
		"User-agent: FooBot", // 3
		"Disallow: /a",       // 4
		"Allow: /a/b",        // 5
		"Disallow: /a/b",     // 6
		"Disallow: /*/b$",    // 7
		"Disallow: /%7Ejoe",  // 8
		"Allow: /x",          // 9
		"User-agent: GPTBot", // 10
		"Disallow: /a/b",     // 11
		"User-agent: fooBot", // 12
		"Allow: /a/*",        // 13
	))
	for _, tt := range []struct {
		name, url, token string
		also             []string
		want             Explanation
	}{
		{"the longest wins", "https://shop.test/a/b", "FooBot", nil, Explanation{ProductToken: "foobot", Group: "named", GroupLine: 3, Groups: []GroupLines{{3, 9}, {12, 13}},
			Match: Match{false, 7, "disallow: /*/b$"}, Rules: []MatchedRule{
				{For: "foobot", Line: 7, Rule: "disallow: /*/b$", Octets: 5, Decides: true},
				{For: "foobot", Line: 5, Rule: "allow: /a/b", Allows: true, Octets: 4},
				{For: "foobot", Line: 13, Rule: "allow: /a/*", Allows: true, Octets: 4},
				{For: "foobot", Line: 6, Rule: "disallow: /a/b", Octets: 4},
				{For: "foobot", Line: 4, Rule: "disallow: /a", Octets: 2},
			}}},
		{"of two of the same length the allow", "/a/b/c", "FooBot", nil, Explanation{ProductToken: "foobot", Group: "named", GroupLine: 3, Groups: []GroupLines{{3, 9}, {12, 13}},
			Match: Match{true, 13, "allow: /a/*"}, Rules: []MatchedRule{
				{For: "foobot", Line: 13, Rule: "allow: /a/*", Allows: true, Octets: 4, Decides: true},
				{For: "foobot", Line: 5, Rule: "allow: /a/b", Allows: true, Octets: 4},
				{For: "foobot", Line: 6, Rule: "disallow: /a/b", Octets: 4},
				{For: "foobot", Line: 4, Rule: "disallow: /a", Octets: 2},
			}}},
		{"as it stands in the file", "/~joe", "FooBot", nil, Explanation{ProductToken: "foobot", Group: "named", GroupLine: 3, Groups: []GroupLines{{3, 9}, {12, 13}},
			Match: Match{false, 8, "disallow: /%7Ejoe"}, Rules: []MatchedRule{{For: "foobot", Line: 8, Rule: "disallow: /%7Ejoe", Octets: 5, Decides: true}}}},
		{"those obeyed besides", "/a/b/c", "FooBot", []string{"GPTBot", "CCBot"}, Explanation{ProductToken: "foobot", Group: "named", GroupLine: 3, Groups: []GroupLines{{3, 9}, {10, 11}, {12, 13}},
			Match: Match{false, 11, "disallow: /a/b"}, Rules: []MatchedRule{
				{For: "foobot", Line: 5, Rule: "allow: /a/b", Allows: true, Octets: 4},
				{For: "foobot", Line: 13, Rule: "allow: /a/*", Allows: true, Octets: 4},
				{For: "foobot", Line: 6, Rule: "disallow: /a/b", Octets: 4},
				{For: "foobot", Line: 4, Rule: "disallow: /a", Octets: 2},
				{For: "gptbot", Line: 11, Rule: "disallow: /a/b", Octets: 4, Decides: true},
			}}},
		{"everybody's group", "/a", "BarBot", nil, Explanation{ProductToken: "barbot", Group: "*", GroupLine: 1, Groups: []GroupLines{{1, 2}},
			Match: Match{false, 2, "disallow: /"}, Rules: []MatchedRule{{For: "*", Line: 2, Rule: "disallow: /", Octets: 1, Decides: true}}}},
		{"no name", "/a", "", nil, Explanation{ProductToken: "*", Group: "*", GroupLine: 1, Groups: []GroupLines{{1, 2}},
			Match: Match{false, 2, "disallow: /"}, Rules: []MatchedRule{{For: "*", Line: 2, Rule: "disallow: /", Octets: 1, Decides: true}}}},
		{"no rule matches", "/z", "FooBot", nil, Explanation{ProductToken: "foobot", Group: "named", GroupLine: 3, Groups: []GroupLines{{3, 9}, {12, 13}}, Match: Match{Allowed: true}}},
		{"robots.txt itself", "/robots.txt", "BarBot", nil, Explanation{ProductToken: "barbot", Group: "*", GroupLine: 1, Groups: []GroupLines{{1, 2}}, Match: Match{Allowed: true}}},
	} {
		if diff := cmp.Diff(tt.want, Explain(body, tt.url, tt.token, tt.also...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := Explain(nil, "/a", "FooBot"); got.Group != "none" || !got.Match.Allowed {
		t.Errorf("Explain of an empty file = %+v", got)
	}
}

func FuzzExplain(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a\nAllow: /a$\nUser-agent: GPTBot\nDisallow: /*\n"), "/a")
	f.Fuzz(func(t *testing.T, body []byte, url string) {
		e := Explain(body, url, "FooBot", "GPTBot")
		if want := Compile(body, "FooBot", "GPTBot").Match(url); e.Match != want {
			t.Errorf("%q: Explain says %+v, Match %+v", body, e.Match, want)
		}
		decides := 0
		for _, r := range e.Rules {
			if r.Decides {
				decides++
				if r.Rule != e.Match.Rule {
					t.Errorf("%q: %+v decides, and the rule is %q", body, r, e.Match.Rule)
				}
			}
		}
		if want := min(e.Match.Line, 1); decides != want {
			t.Errorf("%q, %q: %d rules decide, want %d: %+v", body, url, decides, want, e)
		}
	})
}
