package collyrobots

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatchTellsLineAndRule(t *testing.T) {
	body := strings.Join([]string{
		"User-agent: *",
		"Disallow: /private/*",
		"Allow: /private/open",
		"Disallow:",
		"disalow : /b%c3%bccher # books",
		"Disallow: /café",
		"Allow: /%7Eann",
		"Disallow: /a**b",
		"Disallow: /" + strings.Repeat("%41", 200),
	}, "\n")
	r := Compile([]byte(body), "FooBot")
	for url, want := range map[string]Match{
		"https://h.example/":                                  {Allowed: true},
		"https://h.example/private/x":                         {Line: 2, Rule: "disallow: /private/*"},
		"https://h.example/private/open":                      {Allowed: true, Line: 3, Rule: "allow: /private/open"},
		"https://h.example/b%C3%BCcher":                       {Line: 5, Rule: "disallow: /b%c3%bccher"},
		"https://h.example/café/x":                            {Line: 6, Rule: "disallow: /café"},
		"https://h.example/~ann":                              {Allowed: true, Line: 7, Rule: "allow: /%7Eann"},
		"https://h.example/axb":                               {Line: 8, Rule: "disallow: /a**b"},
		"https://h.example/" + strings.Repeat("A", 200) + "?": {Line: 9, Rule: "disallow: /" + strings.Repeat("A", 200)}, // too long to be kept as it stands
	} {
		if got := r.Match(url); got != want {
			t.Errorf("Match(%.60q) = %.200v, want %.200v", url, got, want)
		}
	}
}

func TestRobotsTxtItselfIsAlwaysAllowed(t *testing.T) {
	r := Compile([]byte("User-agent: *\nDisallow: /\n"), "FooBot")
	for path, want := range map[string]bool{
		"/robots.txt": true, "/robots%2Etxt": true, "/robots.txt#x": true,
		"/robots.txt?": false, "/robots.txt?x": false, "/Robots.txt": false, "/a/robots.txt": false, "/robots.txts": false,
	} {
		if got := r.Match("https://h.example" + path).Allowed; got != want {
			t.Errorf("Match(%q).Allowed = %v, want %v", path, got, want)
		}
	}
}

func TestZeroRulesAllowAll(t *testing.T) {
	var r Rules
	if got, want := r.Match("https://h.example/x"), (Match{Allowed: true}); got != want {
		t.Errorf("zero Rules: Match = %+v, want %+v", got, want)
	}
	if d, ok := r.CrawlDelay(); ok || d != 0 {
		t.Errorf("zero Rules: CrawlDelay() = %v, %v, want none", d, ok)
	}
	if got := r.Sitemaps(); got != nil {
		t.Errorf("zero Rules: Sitemaps() = %q, want none", got)
	}
}

// A decision on a parsed URL is about what is sent for it.
func TestMatchOfAParsedURL(t *testing.T) {
	r := Compile([]byte("User-agent: *\nDisallow: /a/b\nDisallow: /q?x=%2F\nDisallow: /s p\nDisallow: /*?$\n"), "FooBot")
	for raw, want := range map[string]bool{
		"https://h.example/a/b":     false,
		"https://h.example/a%2Fb":   true,
		"https://h.example/a%2Fb/é": false, // net/url sends it as /a/b/%C3%A9
		"https://h.example/q?x=%2f": false,
		"https://h.example/q?x=/":   true,
		"https://h.example/z?":      false,
		"https://h.example/z":       true,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.matchURL(u).Allowed; got != want {
			t.Errorf("matchURL(%q).Allowed = %v, want %v", raw, got, want)
		}
	}
}

func TestSitemapsInTheOrderOfTheFile(t *testing.T) {
	body := "Sitemap: https://h.example/1.xml\nUser-agent: A\nsite-map: /2.xml # relative\nDisallow: /\nSitemap\t/3.xml\n" +
		"Sitemap:\nSitemap-index: no\nUser-agent: *\nSITEMAP:https://h.example/ü.xml"
	r := Compile([]byte(body), "FooBot")
	want := []string{"https://h.example/1.xml", "/2.xml", "/3.xml", "https://h.example/ü.xml"}
	got := r.Sitemaps()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Sitemaps() (-want +got):\n%s", diff)
	}
	got[0] = "changed"
	if again := r.Sitemaps()[0]; again != want[0] {
		t.Errorf("Sitemaps()[0] after the caller changed its slice = %q, want %q", again, want[0])
	}
}

func TestRulesAreSafeForConcurrentUse(t *testing.T) {
	f := ordinaryFile(500)
	r := Compile([]byte(f.body), "FooBot")
	hostile := hostileFiles(300)[0]
	h := Compile([]byte(hostile.body[:60_000]), "FooBot") // its decisions take notes
	want := make([]Match, len(f.urls))
	for i, u := range f.urls {
		want[i] = r.Match(u)
	}
	wantHostile := h.Match(hostile.urls[0])
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, u := range f.urls {
				if got := r.Match(u); got != want[i] {
					t.Errorf("Match(%q) = %+v, want %+v", u, got, want[i])
				}
				if got := h.Match(hostile.urls[0]); got != wantHostile {
					t.Errorf("Match(%.40q) = %.60v, want %.60v", hostile.urls[0], got, wantHostile)
				}
			}
		})
	}
	wg.Wait()
}

func TestBytesFollowTheSize(t *testing.T) {
	last := 0
	for _, n := range []int{1, 10, 100, 1000, 10000} {
		f := ordinaryFile(n)
		got := Compile([]byte(f.body), "FooBot").bytes()
		if got <= last || got > 1000+100*n {
			t.Errorf("bytes() of %d rules = %d, want more than %d and at most %d", n, got, last, 1000+100*n)
		}
		last = got
	}
	small := Compile(nil, "FooBot").bytes()
	maps := Compile([]byte(strings.Repeat("Sitemap: https://h.example/sitemap.xml\n", 1000)), "FooBot").bytes()
	if maps-small < 30_000 {
		t.Errorf("bytes() with 1000 sitemaps is only %d more than without", maps-small)
	}
	also := fmt.Sprintf("User-agent: A\nDisallow: /a\n%s", strings.Repeat("User-agent: B\nUser-agent: A\nDisallow: /b\nUser-agent: B\nDisallow: /c\n", 10))
	if got, without := Compile([]byte(also), "A", "B").bytes(), Compile([]byte(also), "A").bytes(); got <= without {
		t.Errorf("bytes() with a group obeyed besides = %d, without %d", got, without)
	}
}
