// Package course keeps the course true: each lesson is whole, prints what its README shows, and has a task that is not solved yet.
package course

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/collyetiquette/etiquette" // what the lessons show: when it changes, a result of these tests that go test has kept counts no more
)

// lessons are the folders of the lessons, in order.
func lessons(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob("[0-9][0-9]-*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("lessons: %q, %v, want some", dirs, err)
	}
	return dirs
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEachLessonIsWholeAndOnThePath(t *testing.T) {
	path := read(t, "README.md")
	for i, dir := range lessons(t) {
		if want := fmt.Sprintf("%02d-", i+1); !strings.HasPrefix(dir, want) {
			t.Errorf("lesson %s, want one that begins with %s", dir, want)
		}
		for _, file := range []string{"main.go", "check/check.go", "task/task.go", "task/task_test.go", "solution/solution.go"} {
			if read(t, filepath.Join(dir, file)) == "" {
				t.Errorf("%s/%s is empty", dir, file)
			}
		}
		if !strings.Contains(path, "("+dir+"/README.md)") {
			t.Errorf("README.md has no link to %s/README.md", dir)
		}
		page := read(t, filepath.Join(dir, "README.md"))
		for _, want := range []string{
			fmt.Sprintf("# Lesson %d: ", i+1), "\n## What to look at\n", "\n## The rule\n", "\n## Your task\n", "(task/task.go)", "(solution/solution.go)",
			"\ngo run ./examples/course/" + dir + "\n", "\ngo test -tags task ./examples/course/" + dir + "/task\n",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s/README.md has no %q", dir, want)
			}
		}
	}
}

func TestEachLinkOfTheCourseLeadsToAFile(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)\)`)
	pages := []string{"README.md"}
	for _, dir := range lessons(t) {
		pages = append(pages, filepath.Join(dir, "README.md"))
	}
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}

// goTool runs the go command in the folder of the course, and returns what it printed.
func goTool(t *testing.T, args ...string) (stdout []byte, err error) {
	t.Helper()
	if testing.Short() || raceEnabled {
		t.Skip("it builds and runs all lessons, and the race detector does not see into them")
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("there is no go command: %v", err)
	}
	if problems.Len() > 0 {
		t.Logf("go %q:\n%s", args, problems.String())
	}
	return out.Bytes(), err
}
