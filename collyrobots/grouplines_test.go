package collyrobots

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplainSaysWhereOurGroupsStand(t *testing.T) {
	for _, tt := range []struct {
		name string
		body string
		also []string
		want []GroupLines
	}{
		{"2.2.1 groups of one name are one", lines("User-agent: FooBot", "Disallow: /a", "", "User-agent: *", "Disallow: /", "", "# ours again", "user-agent: foobot", "Allow: /b"), nil,
			[]GroupLines{{1, 2}, {8, 9}}},
		{"2.2.1 without a group of our name that of everybody", lines("User-agent: BarBot", "Disallow: /", "User-agent: *", "Disallow: /x"), nil, []GroupLines{{3, 4}}},
		{"a group has several agent lines, and other records between them", lines("User-agent: BarBot", "Crawl-delay: 2", "User-agent: FooBot", "Disallow: /"), nil, []GroupLines{{1, 4}}},
		{"2.2.4 a sitemap is nobody's", lines("Sitemap: /s.xml", "User-agent: FooBot", "Disallow: /a", "", "Sitemap: /t.xml"), nil, []GroupLines{{2, 3}}},
		{"an empty rule ends the agent lines", lines("User-agent: FooBot", "Disallow:", "User-agent: BarBot", "Disallow: /"), nil, []GroupLines{{1, 2}}},
		{"those obeyed besides", lines("User-agent: GPTBot", "Disallow: /", "User-agent: *", "Disallow: /x"), []string{"GPTBot"}, []GroupLines{{1, 2}, {3, 4}}},
		{"nobody's rules", lines("Disallow: /a", "User-agent: BarBot", "Disallow: /"), nil, nil},
		{"an empty file", "", nil, nil},
	} {
		got := Explain([]byte(tt.body), "/", "FooBot", tt.also...).Groups
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestLinesAreCountedAsMatchDoes(t *testing.T) {
	var got []string
	for n, line := range Lines([]byte("\xEF\xBB\xBFUser-agent: *\r\n\r\nDisallow: /a\rAllow: /b\n")) {
		if n != len(got)+1 {
			t.Errorf("line %d has the number %d", len(got)+1, n)
		}
		got = append(got, line)
	}
	want := []string{"User-agent: *", "", "Disallow: /a", "Allow: /b", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Lines (-want +got):\n%s", diff)
	}
	for n := range Lines([]byte("a\nb\nc")) {
		if n == 2 {
			break // a loop that ends early does no harm
		}
	}
}
