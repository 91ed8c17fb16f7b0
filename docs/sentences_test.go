package docs_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/progress"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/metrics"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// readme is README.md.
func readme(t *testing.T) page {
	t.Helper()
	all := pages(t)
	return all[slices.IndexFunc(all, func(p page) bool { return p.name == "README.md" })]
}

func TestEveryPolicyInTheTextsIsRead(t *testing.T) {
	blocks := allBlocks(t, "yaml")
	if len(blocks) < 2 {
		t.Errorf("%d policies, want those of README.md and docs/cron.md", len(blocks))
	}
	for _, b := range blocks {
		file := filepath.Join(t.TempDir(), "etiquette.yaml")
		if err := os.WriteFile(file, []byte(b.code), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := etiquette.ReadPolicy(file)
		if err != nil {
			t.Errorf("%s:%d: ReadPolicy = %v, want nil", b.page, b.line, err)
			continue
		}
		for _, sentence := range p.Lint() {
			t.Errorf("%s:%d: a policy in a text is impolite: %s", b.page, b.line, sentence)
		}
	}
}

func TestEveryStopFileInTheTextsIsRead(t *testing.T) {
	blocks := allBlocks(t, "json")
	if len(blocks) < 2 {
		t.Errorf("%d stop files, want those of README.md and docs/cron.md", len(blocks))
	}
	for _, b := range blocks {
		file := filepath.Join(t.TempDir(), "stops.json")
		if err := os.WriteFile(file, []byte(b.code), 0o600); err != nil {
			t.Fatal(err)
		}
		sw, err := killswitch.New(killswitch.Options{File: file, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Errorf("%s:%d: killswitch.New = %v, want nil", b.page, b.line, err)
			continue
		}
		if got, want := len(sw.Rules()), strings.Count(b.code, `"id"`); got != want {
			t.Errorf("%s:%d: %d rules were read, want %d", b.page, b.line, got, want)
		}
		if err := sw.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

func TestTheVersionsInTheREADMEAreThoseOfGoMod(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`Go (\S+) or newer, Colly (\S+)\.`).FindStringSubmatch(readme(t).text)
	if said == nil {
		t.Fatal("README.md does not say which Go and which Colly")
	}
	for _, want := range []string{"\ngo " + said[1] + ".0\n", "github.com/gocolly/colly/v2 v" + said[2] + "\n"} {
		if !strings.Contains(string(mod), want) {
			t.Errorf("README.md says Go %s and Colly %s, but go.mod lacks %q", said[1], said[2], want)
		}
	}
}

func TestTheOptionsInTheREADMEAreThere(t *testing.T) {
	_, table, _ := strings.Cut(readme(t).text, "## Options")
	table, _, _ = strings.Cut(table, "\n## ")
	found := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[1], -1) {
			found++
			if _, ok := reflect.TypeFor[collyrobots.Options]().FieldByName(name[1]); !ok {
				t.Errorf("README.md explains the option %s, which collyrobots.Options does not have", name[1])
			}
		}
	}
	if found < 12 {
		t.Errorf("%d options found, want more: this test looks for the wrong thing", found)
	}
}

func TestTheDefaultsInTheTextsAreThoseOfTheCode(t *testing.T) {
	for _, x := range []struct {
		text string
		is   bool
	}{
		{"more than `MaxCrawlDelay` (5 min)", throttle.DefaultMaxCrawlDelay == 5*time.Minute},
		{"more than `MaxBlockWait` (5 min)", throttle.DefaultMaxBlockWait == 5*time.Minute},
		{"at most `DrawAhead` (10,000)", throttle.DefaultDrawAhead == 10_000},
		{"one request a second to a host, one at a time", throttle.DefaultDelay == time.Second},
	} {
		if !strings.Contains(readme(t).text, x.text) {
			t.Errorf("README.md no longer says %q: change this test with it", x.text)
		}
		if !x.is {
			t.Errorf("README.md says %q, which does not hold", x.text)
		}
	}
}

func TestTheProgressInTheREADMEIsWhatIsDrawn(t *testing.T) {
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	f := progress.Frame{
		Now: noon, UnderWay: 2, Waiting: 1214, Sent: 10320, Skipped: 17, Done: noon.Add(20 * time.Minute), Hosts: 41,
		Rows: []progress.Row{
			{Host: "busy.test", Waiting: 1200, Next: noon.Add(92 * time.Second), Why: "blocked by 429 or 503", Done: noon.Add(20 * time.Minute)},
			{Host: "shop.test", Waiting: 14, Next: noon.Add(800 * time.Millisecond), Why: "crawl delay 5s", Done: noon.Add(time.Minute)},
			{Host: "away.test", Waiting: 3, Held: true, Why: "parked: access denied"},
			{Host: "wiki.test", UnderWay: 1, Why: "1 under way"},
		},
	}
	if drawn := strings.Join(f.Lines(120, 24), "\n"); !strings.Contains(readme(t).text, "\n"+drawn+"\n") {
		t.Errorf("README.md does not show what is drawn:\n%s", drawn)
	}
}

func TestEveryMetricInTheTextsIsThere(t *testing.T) {
	g, err := etiquette.New(etiquette.Policy{UserAgent: "DeclaredBot/1.0 (+https://bot.somewhere.org/about)"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	r := prometheus.NewRegistry()
	r.MustRegister(metrics.New(g))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range families {
		names = append(names, f.GetName())
	}
	if got, want := len(names), 12; got != want {
		t.Errorf("%d metrics, README.md says twelve", got)
	}
	for _, p := range pages(t) {
		for _, name := range regexp.MustCompile(`\betiquette_[a-z_]+`).FindAllString(p.text, -1) {
			if !slices.Contains(names, name) {
				t.Errorf("%s speaks of %s, want one of %q", p.name, name, names)
			}
		}
	}
}

func TestEveryReasonInTheTextsIsOne(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		for _, m := range regexp.MustCompile("\\(`?([a-z]+(?:_[a-z]+)+)`?\\)").FindAllStringSubmatch(p.prose(), -1) {
			found++
			if !slices.Contains(report.Reasons(), report.Reason(m[1])) {
				t.Errorf("%s names the reason %s, which is none", p.name, m[1])
			}
		}
	}
	if found < 3 {
		t.Errorf("%d reasons found, want more: this test looks for the wrong thing", found)
	}
}

func TestThereAreTwentyAnswers(t *testing.T) {
	for _, p := range pages(t) {
		if p.name != "docs/how-do-i.md" {
			continue
		}
		for i, m := range regexp.MustCompile(`(?m)^## (\d+)\. `).FindAllStringSubmatch(p.text, -1) {
			if want := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20"}; i >= len(want) || m[1] != want[i] {
				t.Errorf("question %d has the number %s", i+1, m[1])
			}
		}
		answers := strings.Split(p.text, "\n## ")[1:]
		if got, want := len(answers), 20; got != want {
			t.Errorf("%d answers, want %d", got, want)
		}
		for _, a := range answers {
			title, _, _ := strings.Cut(a, "\n")
			if !strings.Contains(a, "```go") {
				t.Errorf("the answer to %q has no snippet", title)
			}
			if !strings.Contains(p.text, "](#"+anchorOf(title)+")") {
				t.Errorf("%q is not in the list at the top", title)
			}
		}
	}
}
