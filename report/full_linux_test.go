package report

import (
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// limitFiles keeps this process from writing files past size, as a full disk does: in the middle of a line, too.
func limitFiles(t *testing.T, size uint64) (lift func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Skip(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: was.Max}); err != nil {
		t.Skip(err)
	}
	lift = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(lift)
	return lift
}

func TestWhatAFullDiskTookInHalfIsWrittenAgainWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, path := newFile(t, Options{})
		lift := limitFiles(t, 1000)
		for i := range 20 {
			r.Record(Skip{Reason: Stopped, URL: fmt.Sprintf("http://shop.test/%d?%s", i, strings.Repeat("x", 100))})
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := contents(t, path)[""]; len(got) != 1000 || strings.HasSuffix(got, "\n") {
			t.Fatalf("the file has %d bytes and ends in %q, want 1000 and a torn line", len(got), got[len(got)-1:])
		}
		lift()
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v, want nil: nothing was lost", err)
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
	})
}
