// Package course keeps the course true: each lesson is whole, prints what its README shows, and has a task that is not solved yet.
package course

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
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
		for _, file := range []string{"main.go", "check/check.go", "task/task.go", "task/task_test.go", "solution/solution.go", "solution/solution_test.go"} {
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
	if testing.Short() {
		t.Skip("it builds and runs all lessons")
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

func TestEachLessonPrintsWhatItsREADMEShows(t *testing.T) {
	bin := t.TempDir()
	args := []string{"build", "-ldflags=-s -w", "-o", bin + string(filepath.Separator)}
	for _, dir := range lessons(t) {
		args = append(args, "./"+dir)
	}
	if out, err := goTool(t, args...); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, dir := range lessons(t) {
		t.Run(dir, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting politely
			_, rest, _ := strings.Cut(read(t, filepath.Join(dir, "README.md")), "\n```text\n")
			want, _, ok := strings.Cut(rest, "```\n")
			if !ok {
				t.Fatalf("%s/README.md shows no output: there is no block of text", dir)
			}
			out, err := exec.CommandContext(t.Context(), filepath.Join(bin, dir)).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", dir, err, out)
			}
			if err := prints(string(out), want); err != nil {
				t.Errorf("%v; all of it:\n%s", err, out)
			}
		})
	}
}

// seconds is a time as the lessons print it.
var seconds = regexp.MustCompile(`\d+(\.\d)? s\b`)

// prints says where got is not what a README shows. A time may be longer than there: the machine may be slow, a polite crawl is never faster.
func prints(got, want string) error {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) {
			return fmt.Errorf("%d lines, and the README shows %d", len(g), len(w))
		}
		if seconds.ReplaceAllString(g[i], "#") != seconds.ReplaceAllString(w[i], "#") {
			return fmt.Errorf("line %d is %q, and the README shows %q", i+1, g[i], w[i])
		}
		shown := seconds.FindAllString(w[i], -1)
		for j, s := range seconds.FindAllString(g[i], -1) {
			if count(s) < count(shown[j]) {
				return fmt.Errorf("line %d is %q, a shorter time than the %q of the README", i+1, g[i], w[i])
			}
		}
	}
	return nil
}

func count(s string) float64 {
	n, _ := strconv.ParseFloat(strings.TrimSuffix(s, " s"), 64)
	return n
}

func TestATimeMayBeLongerThanShownAndNothingElseDiffers(t *testing.T) {
	for _, tt := range []struct {
		got, want string
		ok        bool
	}{
		{"a 2 s b\n", "a 2 s b\n", true}, {"a 3 s", "a 2 s", true}, {"a 10 s", "a 9 s", true}, {"a 1.6 s", "a 1.5 s", true}, {"a 1.4 s", "a 1.5 s", false}, {"a 1 s", "a 2 s", false}, {"1 s, 1 s", "1 s, 2 s", false},
		{"a\nb", "a", false}, {"a", "a\nb", false}, {"a 2 s", "b 2 s", false}, {"3 pages", "2 pages", false},
	} {
		if err := prints(tt.got, tt.want); (err == nil) != tt.ok {
			t.Errorf("prints(%q, %q) = %v, want an error: %t", tt.got, tt.want, err, !tt.ok)
		}
	}
}

// event is a line of go test -json, as far as it is of use here.
type event struct{ Action, Package, Test, Output string }

// A task must compile, and its test must fail by telling what is wrong: not by a panic, a deadlock or a build that breaks.
func TestEachTaskFailsAsGiven(t *testing.T) {
	args := []string{"test", "-json", "-tags=task", "-timeout=60s", "-ldflags=-s -w"}
	for _, dir := range lessons(t) {
		args = append(args, "./"+dir+"/task")
	}
	out, err := goTool(t, args...)
	if err == nil {
		t.Error("go test passed all tasks")
	}
	failed, printed := make(map[string]bool), make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go test -json: %v\n%s", err, out)
		}
		dir := filepath.Base(filepath.Dir(e.Package))
		printed[dir] += e.Output
		if e.Action == "fail" && e.Test != "" {
			failed[dir] = true
		}
	}
	for _, dir := range lessons(t) {
		switch said := printed[dir]; {
		case !failed[dir]:
			t.Errorf("%s: no test of the task fails as given:\n%s", dir, said)
		case strings.Contains(said, "panic: ") || strings.Contains(said, "deadlock:") || !strings.Contains(said, "check.go:"):
			t.Errorf("%s: the task's test does not fail by saying what is wrong:\n%s", dir, said)
		}
	}
}
