// Package docs_test keeps README.md, CONTRIBUTING.md and docs/ true: their snippets compile, their links lead somewhere, and what can be tried is tried.
package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	module = "github.com/collyetiquette/etiquette"
	root   = ".." // the repository's folder, seen from here
)

// page is one text in Markdown.
type page struct {
	name string // relative to root
	text string
}

// pages are all texts that are kept true.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, page{filepath.ToSlash(rel), string(text)})
		}
	}
	if len(all) < 7 {
		t.Fatalf("%d pages, want README.md, CONTRIBUTING.md, CHANGELOG.md and those of docs", len(all))
	}
	return all
}

// block is a piece of code in a page.
type block struct {
	page     string
	line     int // of its first line, counted from 1
	language string
	code     string
}

// blocks are the fenced blocks of a page.
func (p *page) blocks() []block {
	var all []block
	var open *block
	for i, line := range strings.SplitAfter(p.text, "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && open == nil:
			open = &block{page: p.name, line: i + 2, language: fence}
		case isFence:
			all = append(all, *open)
			open = nil
		case open != nil:
			open.code += line
		}
	}
	return all
}

// prose is the page without its fenced blocks.
func (p *page) prose() string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(p.text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
			continue
		}
		if !inside {
			out.WriteString(line)
		}
	}
	return out.String()
}

// allBlocks are the blocks of all pages in a language.
func allBlocks(t *testing.T, language string) []block {
	t.Helper()
	var all []block
	for _, p := range pages(t) {
		for _, b := range p.blocks() {
			if b.language == language {
				all = append(all, b)
			}
		}
	}
	return all
}
