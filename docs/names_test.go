package docs_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// variables are what the texts call a thing, and the type that it has.
var variables = map[string][2]string{
	"guard": {module, "Guard"}, "Guard": {module, "Guard"}, "Policy": {module, "Policy"}, "Take": {module, "Take"},
	"robots": {module + "/collyrobots", "Robots"}, "t": {module + "/throttle", "Throttle"}, "Throttle": {module + "/throttle", "Throttle"},
	"f": {module + "/throttle", "Frontier"}, "sw": {module + "/killswitch", "Switch"}, "id": {module + "/identity", "Identity"},
	"Report": {module + "/report", "Report"}, "Rules": {module + "/collyrobots", "Rules"}, "c": {"github.com/gocolly/colly/v2", "Collector"},
}

var (
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	dotted     = regexp.MustCompile(`(?:^|[^\w.])(\w+)((?:\.[A-Z]\w*)+)`)
)

// Whatever the prose names in code must be there: `guard.Clone`, `throttle.Options`, `Policy.MaxRequests`.
func TestEveryNameInTheTextsIsThere(t *testing.T) {
	files := exports(t)
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	packages := make(map[string]*types.Package)
	for _, path := range imports {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		packages[p.Name()] = p
	}
	byPath := func(path string) *types.Package {
		for _, p := range packages {
			if p.Path() == path {
				return p
			}
		}
		t.Fatalf("no package %s", path)
		return nil
	}
	found := 0
	for _, p := range pages(t) {
		for _, code := range inlineCode.FindAllStringSubmatch(p.prose(), -1) {
			for _, m := range dotted.FindAllStringSubmatch(code[1], -1) {
				names := strings.Split(m[2][1:], ".")
				var at types.Object
				if v, ok := variables[m[1]]; ok {
					at = byPath(v[0]).Scope().Lookup(v[1])
				} else if pkg := packages[m[1]]; pkg != nil {
					at, names = pkg.Scope().Lookup(names[0]), names[1:]
				} else if m[1] == "Options" {
					found++
					if !isAnOption(packages, names[0]) {
						t.Errorf("%s names %s, which no Options has", p.name, m[0])
					}
					continue
				} else {
					continue // of somebody else
				}
				found++
				for _, name := range names {
					if at == nil {
						break
					}
					at, _, _ = types.LookupFieldOrMethod(at.Type(), true, at.Pkg(), name)
				}
				if at == nil {
					t.Errorf("%s names %s%s, which is not there", p.name, m[1], m[2])
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("%d names found, want more: this test looks for the wrong thing", found)
	}
}

// isAnOption reports whether one of the Options has the field.
func isAnOption(packages map[string]*types.Package, field string) bool {
	for _, p := range packages {
		if o := p.Scope().Lookup("Options"); o != nil && strings.HasPrefix(p.Path(), module) {
			if f, _, _ := types.LookupFieldOrMethod(o.Type(), true, p, field); f != nil {
				return true
			}
		}
	}
	return false
}
