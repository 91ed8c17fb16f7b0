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

// scraper is the name of a process that records skips until it is killed; empty in the tests themselves.
const scraper = "REPORT_TEST_SCRAPER"

func TestMain(m *testing.M) {
	if name := os.Getenv(scraper); name != "" {
		r, err := New(Options{Path: os.Args[1], MaxFileBytes: 20_000, KeepFiles: 100_000})
		if err != nil {
			panic(err)
		}
		for i := 0; ; i++ {
			r.Record(Skip{Reason: Stopped, URL: fmt.Sprintf("http://%s.test/%d", name, i)})
			time.Sleep(100 * time.Microsecond)
		}
	}
	os.Exit(m.Run())
}

func TestTwoProcessesThatAreKilledLeaveWholeLinesAndNoGap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips.jsonl")
	var running []*exec.Cmd
	for _, name := range []string{"a", "b"} {
		cmd := exec.Command(os.Args[0], path)
		cmd.Env = append(os.Environ(), scraper+"="+name)
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
