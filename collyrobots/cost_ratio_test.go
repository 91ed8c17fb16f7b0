//go:build ratios

package collyrobots

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/ratio"
	"github.com/jimsmart/grobotstxt"
)

// A turn is long enough for the clock, and short enough for a round to be over before the machine turns to other work.
const (
	rounds = 5
	turn   = 30 * time.Millisecond
)

// floor is what any check must do: build the path and look up one key.
type floor map[string]bool

func (f floor) allowed(u *url.URL) bool {
	path := u.EscapedPath()
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return f[u.Host] && path != ""
}

func asking(name string, urls []*url.URL, allowed func(u *url.URL) bool) ratio.Contender {
	return ratio.Contender{Name: name, Run: func(n int) {
		for i := range n {
			allowed(urls[i%len(urls)])
		}
	}}
}

func askingGrobotstxt(f testFile) ratio.Contender {
	return ratio.Contender{Name: "grobotstxt", Run: func(n int) {
		for i := range n {
			grobotstxt.AgentAllowed(f.body, "FooBot", f.urls[i%len(f.urls)])
		}
	}}
}

// times checks a ratio: got times must be at least want. Nothing is asserted about what is only aimed at.
func times(t *testing.T, r ratio.Result, what, peer string, want, aim float64) {
	t.Helper()
	got := r.Times(peer, "ours")
	t.Logf("%s: %.1f times cheaper than %s, required %.0f, aimed at %.0f", what, got, peer, want, aim)
	if got < want {
		t.Errorf("%s: %.1f times cheaper than %s, want %.0f at least\n%v", what, got, peer, want, r)
	}
}

func TestDecisionRatios(t *testing.T) {
	for _, tt := range []struct {
		rules                                  int
		colly, collyAim, grobotstxt, grobotAim float64
	}{
		{10, 4, 9, 50, 60},
		{100, 25, 55, 250, 400},
		{1000, 200, 450, 1000, 2000},
		{10_000, 1000, 2600, 5000, 11_000},
	} {
		for _, f := range []testFile{ordinaryFile(tt.rules), sectionsFile(tt.rules)} {
			urls := f.parsed(t)
			r := ratio.ByTurns(rounds, turn,
				asking("ours", urls, keep(t, f).allowed),
				asking("Colly's check", urls, newCollyCheck(t, f).allowed),
				askingGrobotstxt(f),
				asking("floor", urls, floor{urls[0].Host: true}.allowed))
			times(t, r, f.name, "Colly's check", tt.colly, tt.collyAim)
			times(t, r, f.name, "grobotstxt", tt.grobotstxt, tt.grobotAim)
			t.Logf("%s: %v a decision, %.1f times the floor", f.name, r.PerCall("ours"), r.Times("ours", "floor"))
		}
	}
}

func TestGrowthRatio(t *testing.T) {
	small, large := ordinaryFile(10), ordinaryFile(10_000)
	smallSections, largeSections := sectionsFile(10), sectionsFile(10_000)
	r := ratio.ByTurns(rounds, turn,
		asking("10", small.parsed(t), keep(t, small).allowed), asking("10000", large.parsed(t), keep(t, large).allowed),
		asking("10 sections", smallSections.parsed(t), keep(t, smallSections).allowed),
		asking("10000 sections", largeSections.parsed(t), keep(t, largeSections).allowed))
	t.Logf("10,000 rules cost %.1f times as much as 10, of sections %.1f times", r.Times("10000", "10"), r.Times("10000 sections", "10 sections"))
	if got, most := r.Times("10000 sections", "10 sections"), 4.0; got > most {
		t.Errorf("10,000 rules cost %.1f times as much as 10, want %.0f at most\n%v", got, most, r)
	}
}

func TestCompileRatios(t *testing.T) {
	for _, tt := range []struct {
		rules            int
		parse, agentOnce float64
	}{
		{10, 3, 2}, {100, 3, 2}, {1000, 3, 2}, {10_000, 5, 4},
	} {
		f := ordinaryFile(tt.rules)
		body := []byte(f.body)
		r := ratio.ByTurns(rounds, turn,
			ratio.Contender{Name: "ours", Run: func(n int) {
				for range n {
					Compile(body, "FooBot")
				}
			}},
			ratio.Contender{Name: "parse", Run: func(n int) {
				for range n {
					grobotstxt.Parse(f.body, nothing{})
				}
			}},
			ratio.Contender{Name: "first decision", Run: func(n int) {
				for i := range n {
					Compile(body, "FooBot").Match(f.urls[i%len(f.urls)])
				}
			}},
			askingGrobotstxt(f))
		compile, first := r.Times("ours", "parse"), r.Times("first decision", "grobotstxt")
		t.Logf("%s: compiled in %.1f times grobotstxt.Parse, first decision %.1f times one of grobotstxt's", f.name, compile, first)
		if compile > tt.parse {
			t.Errorf("%s: compiled in %.1f times grobotstxt.Parse, want %.0f at most\n%v", f.name, compile, tt.parse, r)
		}
		if first > tt.agentOnce {
			t.Errorf("%s: first decision costs %.1f times one of grobotstxt's, want %.0f at most\n%v", f.name, first, tt.agentOnce, r)
		}
	}
}

// TestRealFilesRatio compares decisions on real files with the least that a decision can cost.
func TestRealFilesRatio(t *testing.T) {
	folder := os.Getenv("ETIQUETTE_CORPUS")
	if folder == "" {
		t.Skip("ETIQUETTE_CORPUS names no folder")
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	var kept []*keptRules
	var all [][]*url.URL
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := testFile{body: string(body)}
		for _, rule := range ask(f.body, "", "").rules {
			path := strings.Trim(strings.ReplaceAll(rule.value, "*", "x"), "$")
			if u, err := url.Parse("https://h.example" + path); err == nil && strings.HasPrefix(path, "/") && len(f.urls) < 64 {
				f.urls = append(f.urls, u.String(), u.String()+"/more.html")
			}
		}
		if len(f.urls) == 0 {
			continue
		}
		k := keep(t, f)
		for _, rules := range k.rules {
			for _, set := range rules.sets {
				if set.len() <= 273 { // 99 % of real files have no more
					kept, all = append(kept, k), append(all, f.parsed(t))
				}
			}
		}
	}
	each := func(allowed func(i int, u *url.URL)) func(n int) { // a crawl asks for many URLs of a site before the next
		return func(n int) {
			for i := range n {
				file := i / 128 % len(all)
				allowed(file, all[file][i%len(all[file])])
			}
		}
	}
	least := floor{"h.example": true}
	r := ratio.ByTurns(rounds, turn,
		ratio.Contender{Name: "ours", Run: each(func(i int, u *url.URL) { kept[i].allowed(u) })},
		ratio.Contender{Name: "floor", Run: each(func(_ int, u *url.URL) { least.allowed(u) })})
	got := r.Times("ours", "floor")
	t.Logf("%d files of up to 273 rules: %v a decision, %.1f times the floor, 3 at most wanted", len(all), r.PerCall("ours"), got)
	if most := 3.0; got > most {
		t.Errorf("a decision on real files costs %.1f times the floor, want %.0f at most\n%v", got, most, r)
	}
}
