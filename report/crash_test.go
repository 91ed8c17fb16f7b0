package report

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// children are what this test's binary does when it is started again, by name; the path of a report file is given to it.
var children = map[string]func(path string) error{
	"scraper a": func(path string) error { return untilKilled("a", path) },
	"scraper b": func(path string) error { return untilKilled("b", path) },
}

const childName = "REPORT_TEST_CHILD"

func TestMain(m *testing.M) {
	name, is := os.LookupEnv(childName)
	if !is {
		os.Exit(m.Run())
	}
	if err := children[name](os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(name, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), childName+"="+name)
	return cmd
}

// untilKilled records skips of a host.
func untilKilled(host, path string) error {
	r, err := New(Options{Path: path, MaxFileBytes: 20_000, KeepFiles: 100_000})
	for i := 0; err == nil; i++ {
		r.Record(Skip{Reason: Stopped, URL: fmt.Sprintf("http://%s.test/%d", host, i)})
		time.Sleep(100 * time.Microsecond)
	}
	return err
}

func TestTwoProcessesThatAreKilledLeaveWholeLinesAndNoGap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips.jsonl")
	var running []*exec.Cmd
	for _, name := range []string{"scraper a", "scraper b"} {
		cmd := child(name, path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	wrote := func() bool {
		text := strings.Join(allFiles(t, path), "")
		return strings.Contains(text, "http://a.test/100\"") && strings.Contains(text, "http://b.test/100\"")
	}
	deadline := time.Now().Add(time.Minute)
	for !wrote() && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	for _, cmd := range running {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
	}

	next := make(map[string]int)
	for _, text := range allFiles(t, path) {
		for line := range strings.Lines(text) {
			if line == "\n" {
				continue // one saw the other's line halfway
			}
			l, err := parseLine([]byte(line))
			if err != nil {
				t.Errorf("line %q: %v", line, err)
				continue
			}
			var name string
			var n int
			_, _ = fmt.Sscanf(strings.NewReplacer("http://", "", ".test/", " ").Replace(l.URL), "%s %d", &name, &n)
			if n != next[name] {
				t.Fatalf("%s: skip %d stands where %d should", name, n, next[name])
			}
			next[name]++
		}
	}
	if next["a"] <= 100 || next["b"] <= 100 {
		t.Errorf("skips in the files %v, want more than 100 of each within a minute", next)
	}
}

// allFiles are the contents of the file and of those renamed from it, oldest first.
func allFiles(t *testing.T, path string) []string {
	t.Helper()
	files, err := openFiles(path)
	if err != nil {
		return nil // not there yet
	}
	defer closeFiles(files)
	var got []string
	for _, f := range files {
		text, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	return got
}
