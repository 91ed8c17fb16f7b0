package report

import (
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() { children["full"] = onAFullDisk }

// onAFullDisk records 20 skips in a process that may not write files past 1000 bytes, so that a write ends in the middle of a line as on a full disk, and then may.
func onAFullDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: was.Max}); err != nil {
		return err
	}
	r, err := New(Options{Path: path, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	for i := range 20 {
		r.Record(Skip{Reason: Stopped, URL: fmt.Sprintf("http://shop.test/%d?%s", i, strings.Repeat("x", 100))})
	}
	r.journal.relieve()
	if text, err := os.ReadFile(path); err != nil || len(text) != 1000 || text[999] == '\n' {
		return fmt.Errorf("the file has %d bytes, %v, want 1000 and a torn line", len(text), err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	return r.Close()
}

func TestWhatAFullDiskTookInHalfIsWrittenAgainWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips.jsonl")
	if out, err := child("full", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seen, torn := 0, 0
	for line := range strings.Lines(contents(t, path)[""]) {
		l, err := parseLine([]byte(line))
		if err != nil {
			torn++
		} else if want := fmt.Sprintf("http://shop.test/%d?", seen); strings.HasPrefix(l.URL, want) {
			seen++
		} else {
			t.Errorf("line %q, want %s", line, want)
		}
	}
	if seen != 20 || torn != 1 {
		t.Errorf("%d skips and %d torn lines, want 20 and 1", seen, torn)
	}
}
