package main

import (
	"strings"
	"testing"
)

func TestTheTableShowsEachRule(t *testing.T) {
	var out strings.Builder
	if err := compare(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][2]string{
		{"named.test/members/list", "line 5 of robots.txt: disallow: /members/"},
		{"named.test/news", "fetched"},
		{"shop.test/prices.pdf", "line 2 of robots.txt: disallow: /*.pdf$"},
		{"shop.test/archive/2019", "line 3 of robots.txt: disallow: /archive/"},
		{"shop.test/archive/public/2020", "fetched"},
		{"broken.test/", "robots_unreachable"},
		{"free.test/a", "fetched"},
		{"redirect.test/private", "line 2 of robots.txt: disallow: /private"},
		{"http://named.test", "2s"},
	} {
		if !hasRow(out.String(), want[0], want[1]) {
			t.Errorf("no row with %q and %q in\n%s", want[0], want[1], out.String())
		}
	}
}

// hasRow reports a line that begins with the first cell and ends with the second's text.
func hasRow(text, begins, ends string) bool {
	for line := range strings.Lines(text) {
		first, rest, _ := strings.Cut(line, " ")
		if first == begins && strings.Contains(rest, ends) {
			return true
		}
	}
	return false
}

func TestARealSiteNeedsAContact(t *testing.T) {
	for _, agent := range []string{"", "MyBot/1.0", "/1.0 (+https://bot.example)"} {
		var out strings.Builder
		if err := crawlSite(&out, "http://127.0.0.1:1/", agent); err == nil {
			t.Errorf("crawlSite with agent %q = nil, want an error that asks for a contact", agent)
		}
	}
}
