package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contents are the files at path and what was renamed from it, by their names in short.
func contents(t *testing.T, path string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got[strings.TrimPrefix(name, path)] = string(text)
	}
	return got
}

func writeAll(t *testing.T, l *logFile, lines ...string) {
	t.Helper()
	for _, s := range lines {
		if n, err := l.write([]byte(s)); err != nil || n != len(s) {
			t.Fatalf("write(%q) = %d, %v, want all of it", s, n, err)
		}
	}
}

func TestAFullFileIsRenamedAndTheOldestGoes(t *testing.T) {
	l := &logFile{path: filepath.Join(t.TempDir(), "new", "skips"), max: 4, keep: 2}
	writeAll(t, l, "a\nb\n", "c\n", "d\ne\nf\n", "longer than a file\n", "g\n")
	want := map[string]string{".2": "e\nf\n", ".1": "longer than a file\n", "": "g\n"}
	if diff := cmp.Diff(want, contents(t, l.path)); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
}

func TestFewerRenamedFilesAreKeptFromNowOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips")
	writeAll(t, &logFile{path: path, max: 2, keep: 5}, "a\n", "b\n", "c\n", "d\n")
	writeAll(t, &logFile{path: path, max: 2, keep: 1}, "e\n")
	if diff := cmp.Diff(map[string]string{".1": "d\n", "": "e\n"}, contents(t, path)); diff != "" {
		t.Errorf("files after keep 1 (-want +got)\n%s", diff)
	}
	writeAll(t, &logFile{path: path, max: 2, keep: -1}, "f\n")
	if got, want := contents(t, path)[""], "f\n"; got != want {
		t.Errorf("file after keep -1 = %q, want %q", got, want)
	}
}

func TestALineThatWasLeftTornEndsBeforeTheNext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips")
	if err := os.WriteFile(path, []byte("a\nto"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeAll(t, &logFile{path: path, max: 100, keep: 1}, "b\n")
	if got, want := contents(t, path)[""], "a\nto\nb\n"; got != want {
		t.Errorf("file = %q, want %q", got, want)
	}
}

func TestTwoWritersShareAFileAndLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips")
	one, two := &logFile{path: path, max: 200, keep: 1000}, &logFile{path: path, max: 200, keep: 1000}
	done := make(chan error, 2)
	for i, l := range []*logFile{one, two} {
		go func() {
			for n := range 300 {
				line := fmt.Sprintf("%d %03d %s\n", i, n, strings.Repeat("x", n%50))
				if _, err := l.write([]byte(line)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	seen := make(map[string]int)
	for _, text := range contents(t, path) {
		for line := range strings.Lines(text) {
			if line == "\n" {
				continue // one saw the other's line halfway
			}
			var i, n int
			var rest string
			if _, err := fmt.Sscanf(line, "%d %d %s", &i, &n, &rest); len(line) != 7+n%50 || err != nil && n%50 != 0 {
				t.Errorf("line %q is not whole", line)
			}
			seen[line]++
		}
	}
	if got, want := len(seen), 600; got != want {
		t.Errorf("%d different lines, want %d", got, want)
	}
}

func TestTheFileIsFoundAgainWhenAnotherProcessRenamedOrRemovedIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips")
	l := &logFile{path: path, max: 100, keep: 3}
	writeAll(t, l, "a\n")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	writeAll(t, l, "b\n")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	writeAll(t, l, "c\n")
	if diff := cmp.Diff(map[string]string{".1": "a\n", "": "c\n"}, contents(t, path)); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
}

func TestAFileThatCannotBeRenamedGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips")
	if err := os.MkdirAll(filepath.Join(path+".1", "not empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	l := &logFile{path: path, max: 2, keep: 1}
	writeAll(t, l, "a\n")
	if n, err := l.write([]byte("b\nc\n")); n != 4 || err == nil {
		t.Errorf("write = %d, %v, want 4 and an error", n, err)
	}
	text, err := os.ReadFile(path)
	if want := "a\nb\nc\n"; err != nil || string(text) != want {
		t.Errorf("file = %q, %v, want %q", text, err, want)
	}
}
