package page_test

import (
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoScraperLinksTheBrowsersDriver(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "chromedp") {
				t.Errorf("%s imports %s: it belongs into tests", path, i.Path.Value)
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("looked at %d files, %v", files, err)
	}
}
