package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// crawl runs the program once and returns what it printed.
func crawl(t *testing.T, dir string, mail <-chan struct{}) string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), &out, dir, mail); err != nil {
		t.Fatalf("run = %v\n%s", err, out.String())
	}
	return out.String()
}

func TestTheTeamsScrapersKeepToThePolicy(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	mail := buildWeb(web)
	dir := t.TempDir()
	out := crawl(t, dir, mail)

	for host, least := range map[string]time.Duration{
		"shop.test": 300 * time.Millisecond, "busy.test": 300 * time.Millisecond, "forum.test": 300 * time.Millisecond, "news.test": 500 * time.Millisecond,
	} {
		hits := web.HitsOf(host)
		if len(hits) < 4 || hits[0].URI != "/robots.txt" {
			t.Fatalf("%s: requests %q, want robots.txt and pages", host, hits)
		}
		for i, gap := range testweb.Gaps(hits[1:]) {
			if gap < least {
				t.Errorf("%s: %s between %q and %q, want %s", host, gap, hits[i+1], hits[i+2], least)
			}
		}
		for _, h := range hits {
			if got := h.Header.Get("User-Agent"); !strings.HasPrefix(got, "TeamBot/1.4 (+https://bot.team.example/about") {
				t.Errorf("%s went out as %q", h, got)
			}
		}
	}
	for line, want := range map[string]int{
		"GET http://shop.test/cart": 0, "GET http://news.test/essays/1": 0, "GET http://news.test/essays/2": 0,
		"GET http://shop.test/poster.jpg": 1, "GET http://shop.test/export/prices": 1,
		"GET http://shop.test/export/orders": 0, "GET http://shop.test/item/3": 1, "GET http://news.test/today?from=old": 1,
		"GET http://busy.test/item/2": 2, "GET http://busy.test/item/3": 1,
	} {
		if got := web.Count(line); got != want {
			t.Errorf("%q stands %d times in the log, want %d", line, got, want)
		}
	}
	if gap := afterTooMany(web); gap < time.Second {
		t.Errorf("busy.test was asked again %s after its 429, want the second that it asked for", gap)
	}
	stopped, err := os.Stat(filepath.Join(dir, "stops.json"))
	if err != nil {
		t.Fatal(err)
	}
	forum := web.HitsOf("forum.test")
	if last := forum[len(forum)-1].Time; last.After(stopped.ModTime().Add(4*time.Second)) || len(forum) > 20 {
		t.Errorf("forum.test was asked %d times, the last time %s after its stop", len(forum), last.Sub(stopped.ModTime()))
	}
	wantTold(t, dir, out)
	wantSkip(t, filepath.Join(dir, "skips.jsonl"), "http://news.test/essays/1", report.RobotsDisallowed)
}

// wantSkip is an error unless the file has the skip.
func wantSkip(t *testing.T, path, url string, reason report.Reason) {
	t.Helper()
	lines, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		var s report.Skip
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if s.URL == url && s.Reason == reason {
			return
		}
	}
	t.Errorf("%s has no skip of %s as %s:\n%s", path, url, reason, lines)
}

// afterTooMany is how long busy.test was left alone after its 429.
func afterTooMany(web *testweb.Web) time.Duration {
	hits := web.HitsOf("busy.test")
	for i, h := range hits {
		if h.URI == "/item/2" && i+1 < len(hits) {
			return hits[i+1].Time.Sub(h.Time)
		}
	}
	return 0
}

// wantTold is an error unless the table and the page say what was not taken, and why.
func wantTold(t *testing.T, dir, out string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"disallow: /cart", "disallow: /export/", "disallow: /essays/", "mail-17", "unwanted", "shop.test", "news.test", "forum.test"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table has no %q:\n%s", want, out)
		}
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, want := range []string{"prices  9 pages, 1 refused, 0 failed", "the owner asked by mail", "OPS-17", "by leave of its owner (OPS-12): 1 request for shop.test/export/prices", "self-audit: every promise was kept", "report.html"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestASecondRunKnowsWhatTheFirstOneKnew(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	mail := buildWeb(web)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "stops.json"), []byte(stopForum), 0o600); err != nil {
		t.Fatal(err)
	}
	crawl(t, dir, mail)
	web.Reset()
	crawl(t, dir, mail)
	if got := web.HitsOf("forum.test"); len(got) != 0 {
		t.Errorf("a stop that was there before: forum.test saw %q", got)
	}
	for _, host := range []string{"shop.test", "news.test", "busy.test"} {
		if got := web.Count("GET http://" + host + "/robots.txt"); got != 0 {
			t.Errorf("%s: robots.txt was asked for again within its life", host)
		}
	}
	if web.Count("GET http://news.test/today") != 1 || web.Count("GET http://news.test/essays/1") != 0 {
		t.Errorf("news.test saw %q", web.LogOf("news.test"))
	}
}
