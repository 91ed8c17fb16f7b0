package collyrobots

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/token"
	"github.com/temoto/robotstxt"
)

// TestRealFiles goes over files that sites have served, in the folder that ETIQUETTE_CORPUS names: no decision may differ from
// grobotstxt's without a deviation that explains it, and on the mean a file takes a quarter of what temoto's rules take.
func TestRealFiles(t *testing.T) {
	folder := os.Getenv("ETIQUETTE_CORPUS")
	if folder == "" {
		t.Skip("ETIQUETTE_CORPUS names no folder")
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	r := rand.New(rand.NewPCG(9309, 8))
	explained := map[string]int{}
	var decisions, read int
	var ours, theirs float64
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		body := string(wholeLines(raw, parsingLimit))
		if data, err := robotstxt.FromString(body); err == nil && data != nil { // those it refuses it keeps nothing of
			read++
			ours += heapOf(compileCopy(body))
			theirs += heapOf(func() any { data, _ := robotstxt.FromString(strings.Clone(body)); return data })
		}
		file := ask(body, "", "")
		agents := []string{"Nobody"}
		for range min(2, len(file.who)) {
			if name := token.Cut(file.who[r.IntN(len(file.who))]); name != "" {
				agents = append(agents, name)
			}
		}
		for _, agent := range agents {
			rules := Compile([]byte(body), agent)
			for range 12 {
				file.agent, file.url = agent, urlFor(r, file.rules)
				m := rules.Match(file.url)
				checkRule(t, []byte(body), m)
				decisions++
				if m.Allowed == file.theirs() {
					continue
				}
				why, ok := file.explain()
				if !ok {
					t.Errorf("%s: no deviation explains %q for %s: grobotstxt allows: %v, we: %v (%+v)", filepath.Base(name), file.url, agent, !m.Allowed, m.Allowed, m)
				}
				explained[why]++
			}
		}
	}
	t.Logf("%d files, %d decisions, unlike grobotstxt: %v", len(names), decisions, explained)
	t.Logf("mean octets kept of the %d files that temoto reads: %.0f, temoto %.0f: %.2f of it", read, ours/float64(read), theirs/float64(read), ours/theirs)
	if ours > 0.25*theirs {
		t.Errorf("files take %.2f of what temoto's rules take, want 0.25 at most", ours/theirs)
	}
}

// urlFor makes a URL that one of the rules may match.
func urlFor(r *rand.Rand, rules []questionRule) string {
	if len(rules) == 0 {
		return "https://h.example/index.html?id=1"
	}
	path := strings.TrimSuffix(rules[r.IntN(len(rules))].value, "$")
	path = strings.ReplaceAll(path, "*", [...]string{"", "x", "/a/b"}[r.IntN(3)])
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	switch r.IntN(3) {
	case 0:
		path += "/more?x=1"
	case 1:
		path = path[:len(path)-r.IntN(min(3, len(path)))]
	}
	return "https://h.example" + path
}
