package report

import "testing"

func TestRedactURL(t *testing.T) {
	for _, x := range []struct{ in, want string }{
		{"http://shop.test/a?q=1&page=2", "http://shop.test/a?q=1&page=2"},
		{"http://ann:pw@shop.test/a", "http://shop.test/a"},
		{"http://shop.test/a?Access_Token=abc&q=1", "http://shop.test/a?Access_Token=xxxxx&q=1"},
		{"http://shop.test/a?b=1;c&api%5Fkey=7&x", "http://shop.test/a?b=1;c&api%5Fkey=xxxxx&x"},
		{"http://shop.test/keyboard?monkey=1", "http://shop.test/keyboard?monkey=1"},
		{"http://u:p@%zz/?token=1", "%zz/"},
	} {
		if got := RedactURL(x.in); got != x.want {
			t.Errorf("RedactURL(%q) = %q, want %q", x.in, got, x.want)
		}
	}
}
