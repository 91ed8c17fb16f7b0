package docs_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath       string
	GoFiles, Imports []string
}

func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,GoFiles,Imports"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// drawn reports whether a package belongs into the drawing: those that only tests and examples use do not.
func drawn(p string) bool {
	short := strings.TrimPrefix(p, module)
	ours := p == module || strings.HasPrefix(p, module+"/")
	return ours && !strings.HasPrefix(short, "/examples/") && short != "/internal/testweb" && short != "/internal/ratio" && short != "/docs"
}

var arrow = regexp.MustCompile(`(?m)^\s*(\w+) --> (\w+)\s*$`)

func TestTheDrawingShowsTheImportsAsTheyAre(t *testing.T) {
	var got []string
	nodes := make(map[string]bool)
	for _, b := range allBlocks(t, "mermaid") {
		if b.page != "docs/architecture.md" {
			continue
		}
		for _, m := range arrow.FindAllStringSubmatch(b.code, -1) {
			got = append(got, m[1]+" --> "+m[2])
			nodes[m[1]], nodes[m[2]] = true, true
		}
	}
	var want []string
	for _, p := range goList(t, module+"/...") {
		if !drawn(p.ImportPath) || len(p.GoFiles) == 0 {
			continue
		}
		if !nodes[path.Base(p.ImportPath)] {
			t.Errorf("the drawing in docs/architecture.md lacks the package %s", p.ImportPath)
		}
		for _, to := range p.Imports {
			if drawn(to) {
				want = append(want, path.Base(p.ImportPath)+" --> "+path.Base(to))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the arrows in docs/architecture.md (-imports +drawing):\n%s", d)
	}
}

func TestTheREADMEListsThePackages(t *testing.T) {
	var readme string
	for _, p := range pages(t) {
		if p.name == "README.md" {
			_, readme, _ = strings.Cut(p.text, "## Packages")
		}
	}
	var got, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(readme, -1) {
		got = append(got, m[1])
	}
	for _, p := range goList(t, module+"/...") {
		if drawn(p.ImportPath) && !strings.Contains(p.ImportPath, "/internal/") && len(p.GoFiles) > 0 {
			want = append(want, path.Base(p.ImportPath))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the packages in README.md (-module +README):\n%s", d)
	}
}
