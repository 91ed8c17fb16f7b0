package report

import "testing"

func TestRedactURL(t *testing.T) {
	for _, x := range []struct{ in, want string }{
		{"http://shop.test/a?q=1&page=2", "http://shop.test/a?q=1&page=2"},
		{"http://ann:pw@shop.test/a", "http://shop.test/a"},
		{"http://ann:pw@shop.test/a#b", "http://shop.test/a#b"},
		{"http://shop.test/a?Access_Token=abc&q=1", "http://shop.test/a?Access_Token=xxxxx&q=1"},
		{"http://shop.test/a?b=1;c&api%5Fkey=7&x", "http://shop.test/a?b=1;c&api%5Fkey=xxxxx&x"},
		{"http://shop.test/a?b=1;token=7;c=2", "http://shop.test/a?b=1;token=xxxxx;c=2"},
		{"http://shop.test/a#access_token=7&b=1", "http://shop.test/a#access_token=xxxxx&b=1"},
		{"http://shop.test/a?x=1#/b?sid=7", "http://shop.test/a?x=1#/b?sid=xxxxx"},
		{"http://shop.test/keyboard?monkey=1", "http://shop.test/keyboard?monkey=1"},
		{"http://shop.test/@ann/posts?pageNumber=2", "http://shop.test/@ann/posts?pageNumber=2"},
		{"http://shop.test/a?q=caf\xe9", "http://shop.test/a?q=caf\xe9"},
		{"http:ann:pw@shop.test/a", "shop.test/a"},
		{"http://u:p@%zz/?token=1", "%zz/"},
		{"http://%zz/?token=1", "http://%zz/"},
		{"//@//ann:pw@shop.test/", "shop.test/"},
	} {
		if got := RedactURL(x.in); got != x.want {
			t.Errorf("RedactURL(%q) = %q, want %q", x.in, got, x.want)
		}
	}
}

func FuzzRedactURL(f *testing.F) {
	f.Add("http://ann:hunter2@shop.test/a?x=1#y")
	f.Add("http://shop.test/a?a=1;access_token=hunter2&b=2")
	f.Add("http://shop.test/#/b?sid=hunter2")
	f.Fuzz(func(t *testing.T, u string) {
		once := RedactURL(u)
		if got := RedactURL(once); got != once {
			t.Errorf("RedactURL(%q) = %q, and of that %q, want nothing left to redact", u, once, got)
		}
	})
}

func TestLookingForSecretsAllocatesNothing(t *testing.T) {
	u := "http://shop.test/a?pageNumber=2&filter%5Bcolor%5D=red#top"
	if got := testing.AllocsPerRun(100, func() { RedactURL(u) }); got != 0 {
		t.Errorf("RedactURL(%q) allocates %v times, want 0", u, got)
	}
}
