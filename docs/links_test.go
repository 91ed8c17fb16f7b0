package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	all := pages(t)
	anchors := make(map[string][]string)
	for _, p := range all {
		anchors[p.name] = headings(p)
	}
	found := 0
	for _, p := range all {
		for _, m := range link.FindAllStringSubmatch(p.prose(), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			found++
			file, anchor, hasAnchor := strings.Cut(m[1], "#")
			name := p.name
			if file != "" {
				name = path.Join(path.Dir(p.name), file)
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("%s links to %s, which is not there", p.name, m[1])
					continue
				}
			}
			if hasAnchor && !slices.Contains(anchors[name], anchor) {
				t.Errorf("%s links to %s, but %s has the headings %q", p.name, m[1], name, anchors[name])
			}
		}
	}
	if found < 10 {
		t.Errorf("%d links found, want more: this test looks for the wrong thing", found)
	}
}

// headings are the anchors of a page as GitHub makes them.
func headings(p page) []string {
	var all []string
	for line := range strings.Lines(p.prose()) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			all = append(all, anchorOf(title))
		}
	}
	return all
}

func anchorOf(title string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsNumber(c):
			return unicode.ToLower(c)
		}
		return -1
	}, strings.TrimSpace(title))
}

var goCommand = regexp.MustCompile(`go (?:run|test|build|vet)((?: -[a-z]+(?: [A-Za-z0-9]+)??)*) (\./[A-Za-z0-9_/.-]*)`)

func TestEveryFolderOfACommandIsThere(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		for _, m := range goCommand.FindAllStringSubmatch(p.text, -1) {
			found++
			dir := strings.TrimSuffix(m[2], "...")
			files, err := filepath.Glob(filepath.Join(root, dir, "*"))
			if err != nil || len(files) == 0 {
				t.Errorf("%s says %q, but there is no %s", p.name, m[0], dir)
			}
		}
	}
	if found < 8 {
		t.Errorf("%d commands found, want more: this test looks for the wrong thing", found)
	}
}
