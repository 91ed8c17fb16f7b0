//go:build ratios

package collyrobots

import (
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/ratio"
	"github.com/jimsmart/grobotstxt"
)

// No decision on a file of 500 KiB may take long, whatever the file and the URL.
func TestHostileDecisionRatios(t *testing.T) {
	for _, tt := range []struct {
		length int
		most   time.Duration
	}{
		{2000, 10 * time.Millisecond},
		{8000, 50 * time.Millisecond},
	} {
		for _, f := range hostileFiles(tt.length) {
			rules := Compile([]byte(f.body), "FooBot")
			for _, u := range f.urls {
				r := ratio.ByTurns(rounds, time.Millisecond, ratio.Contender{Name: "ours", Run: func(n int) {
					for range n {
						rules.Match(u)
					}
				}})
				got := r.PerCall("ours")
				t.Logf("%s, URL of %d octets: %v", f.name, tt.length, got)
				if got > tt.most {
					t.Errorf("%s: a decision on a URL of %d octets takes %v, want %v at most", f.name, tt.length, got, tt.most)
				}
			}
		}
	}
}

// Two of these files are measured against the peers too, which need seconds for them.
func TestHostilePeersRatios(t *testing.T) {
	for name, want := range map[string]struct{ grobotstxt, colly float64 }{
		"half a match everywhere": {30, 150},
		"a word after many":       {200, 2000},
	} {
		for _, f := range hostileFiles(2000) {
			if f.name != name {
				continue
			}
			f.urls = f.urls[:1]
			urls := f.parsed(t)
			r := ratio.ByTurns(3, time.Millisecond,
				asking("ours", urls, keep(t, f).allowed),
				askingGrobotstxt(f),
				asking("Colly's check", urls, newCollyCheck(t, f).allowed))
			times(t, r, f.name, "grobotstxt", want.grobotstxt, want.grobotstxt)
			times(t, r, f.name, "Colly's check", want.colly, want.colly)
		}
	}
}

func TestHostileCompileRatios(t *testing.T) {
	files := append(hostileFiles(100), testFile{name: "records without a value", body: strings.Repeat("A:\n", parsingLimit/3)})
	for _, f := range files {
		most := 10.0
		switch f.name {
		case "stars", "one line of stars", "allow everything", "records without a value":
			most = 5
		}
		body := []byte(f.body)
		r := ratio.ByTurns(rounds, time.Millisecond,
			ratio.Contender{Name: "ours", Run: func(n int) {
				for range n {
					Compile(body, "FooBot")
				}
			}},
			ratio.Contender{Name: "parse", Run: func(n int) {
				for range n {
					grobotstxt.Parse(f.body, nothing{})
				}
			}})
		got := r.Times("ours", "parse")
		t.Logf("%s: compiled in %v, %.1f times grobotstxt.Parse", f.name, r.PerCall("ours"), got)
		if got > most {
			t.Errorf("%s: compiled in %.1f times grobotstxt.Parse, want %.0f at most\n%v", f.name, got, most, r)
		}
	}
}
