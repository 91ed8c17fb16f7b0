package docs_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// imports are the packages that a snippet may use without saying so.
var imports = []string{
	"context", "errors", "fmt", "io", "log", "log/slog", "net/http", "net/http/cookiejar", "net/url", "os", "os/signal", "slices", "strings", "sync", "testing", "time",
	"github.com/gocolly/colly/v2", "github.com/gocolly/colly/v2/queue",
	"github.com/prometheus/client_golang/prometheus", "github.com/prometheus/client_golang/prometheus/promhttp",
	module, module + "/collyrobots", module + "/identity", module + "/internal/testweb", module + "/killswitch", module + "/metrics", module + "/report", module + "/throttle",
}

// given are the names that a snippet may use without making them.
const given = `c *colly.Collector, ctx context.Context, guard *etiquette.Guard, robots *collyrobots.Robots, t *throttle.Throttle, sw *killswitch.Switch,
	f *throttle.Frontier, storage queue.Storage, transport http.RoundTripper`

// source makes a whole file of a snippet: one that is a file already, declarations, or statements. Its lines keep their numbers.
func (b *block) source() string {
	if strings.HasPrefix(strings.TrimSpace(b.code), "package ") {
		return b.code
	}
	head := "package snippet;"
	for _, path := range imports {
		head += fmt.Sprintf("import %q;", path)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", head+b.code, 0); err == nil {
		return head + b.code
	}
	return head + "func _(" + strings.ReplaceAll(given, "\n", " ") + ") { {" + b.code + "\n} }"
}

// exports tells where the compiled form of each package is that the snippets may use, and of those on which they depend.
func exports(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, imports...)...).Output()
	if err != nil {
		var stderr *exec.ExitError
		if errors.As(err, &stderr) {
			t.Fatalf("go list: %s", stderr.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files
}

func TestEverySnippetCompiles(t *testing.T) {
	files := exports(t)
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("the snippets do not know the package %s: see imports", path)
		}
		return os.Open(files[path])
	})
	snippets := allBlocks(t, "go")
	if len(snippets) < 30 {
		t.Errorf("%d snippets, want those of all pages", len(snippets))
	}
	for _, b := range snippets {
		for _, err := range check(fset, from, &b) {
			t.Error(err)
		}
	}
}

// check are the errors of a snippet, each with the line of its page. A variable that it does not use is none: it shows how to get it.
func check(fset *token.FileSet, from types.Importer, b *block) (errs []error) {
	at := func(p token.Position, what string) error {
		return fmt.Errorf("%s:%d: %s", b.page, b.line+p.Line-1, what)
	}
	file, err := parser.ParseFile(fset, "", b.source(), parser.AllErrors|parser.SkipObjectResolution)
	if err != nil {
		return []error{fmt.Errorf("%s:%d: %w", b.page, b.line, err)}
	}
	config := types.Config{Importer: from, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && !e.Soft {
			errs = append(errs, at(fset.Position(e.Pos), e.Msg))
		}
	}}
	_, _ = config.Check("snippet", fset, []*ast.File{file}, nil) // its errors were told
	return errs
}

// The check must find what is wrong, and at the right line.
func TestASnippetThatIsWrongIsFound(t *testing.T) {
	files := exports(t)
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	for code, want := range map[string]string{
		"c.Visit(\"https://example.com/\")\nguard.Nothing()\n":           "page.md:11",
		"func crawl() {\n\tc := colly.NewCollector()\n\tc.Limit(1)\n}\n": "page.md:12",
		"package main\n\nfunc main() { missing() }\n":                    "page.md:12",
		"if {\n":                                 "page.md:10",
		"guard, err := etiquette.Attach(c, 1)\n": "page.md:10",
		"x := throttle.LimitRule{DomainGlob: \"*\",\n\tDelay: 1, Parallel: 2}\n_ = x\n": "page.md:11",
	} {
		errs := check(fset, from, &block{page: "page.md", line: 10, code: code})
		if len(errs) == 0 || !slices.ContainsFunc(errs, func(err error) bool { return strings.HasPrefix(err.Error(), want+":") }) {
			t.Errorf("the errors of %q are %v, want one at %s", code, errs, want)
		}
	}
	right := block{page: "page.md", line: 1, code: "unused := guard.Report.Skips()\n"}
	if errs := check(fset, from, &right); len(errs) > 0 {
		t.Errorf("the errors of what is right are %v", errs)
	}
}

// A snippet in Go that is not marked as one would not be looked at.
func TestEveryBlockSaysItsLanguage(t *testing.T) {
	known := []string{"go", "sh", "yaml", "json", "mermaid", "text", "crontab", "promql"}
	for _, p := range pages(t) {
		for _, b := range p.blocks() {
			looksLikeGo := bytes.Contains([]byte(b.code), []byte(":=")) || strings.Contains(b.code, "func ")
			if b.language != "go" && looksLikeGo || b.language != "" && !slices.Contains(known, b.language) {
				t.Errorf("%s:%d: a block of language %q, want one of %q", b.page, b.line, b.language, known)
			}
		}
	}
}
