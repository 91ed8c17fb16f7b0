package report

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func newFile(t *testing.T, o Options) (*Report, string) {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "skips.jsonl")
	}
	r, err := New(o)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	t.Cleanup(func() { r.Close() })
	return r, o.Path
}

// urls are the URLs in a file, in order.
func urls(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range bytes.Lines(text) {
		l, err := parseLine(line)
		if err != nil {
			t.Errorf("line %q: %v", line, err)
		}
		got = append(got, l.URL)
	}
	return got
}

func TestNothingButTheLastSecondIsLostOnACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, path := newFile(t, Options{})
		for i := range 50 {
			r.Record(Skip{Reason: Stopped, URL: fmt.Sprintf("http://shop.test/%d", i)})
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			// Had the process died now, this is what the file would hold.
			if got, least := len(urls(t, path)), i+1-10; got < least {
				t.Fatalf("after %d skips, one each 100 ms, the file has %d, want at least %d", i+1, got, least)
			}
		}
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if got, want := len(urls(t, path)), 50; got != want {
			t.Errorf("after Close the file has %d skips, want %d", got, want)
		}
	})
}

func TestTheWriterStartsWithTheFirstSkipAndSleepsWhileThereIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, path := newFile(t, Options{})
		if r.journal.started {
			t.Error("New started the writer")
		}
		r.Record(Skip{Reason: Stopped, URL: "http://shop.test/1"})
		time.Sleep(time.Hour)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if again, err := os.Stat(path); err != nil || !again.ModTime().Equal(info.ModTime()) {
			t.Error("the file was written though there was nothing new")
		}
	})
}

func TestABurstIsWrittenWhole(t *testing.T) {
	r, path := newFile(t, Options{})
	var wg sync.WaitGroup
	r.journal.room = 16 << 10
	const each = 200 // some 30 times what may be pending, in all
	for i := range 8 {
		wg.Go(func() {
			for n := range each {
				r.Record(Skip{Reason: Stopped, Host: "shop.test", URL: fmt.Sprintf("http://shop.test/%d/%d?%s", i, n, strings.Repeat("x", 200))})
			}
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	got := urls(t, path)
	if len(got) != 8*each || r.Lost() != 0 {
		t.Errorf("%d skips in the file and %d lost, want %d and 0", len(got), r.Lost(), 8*each)
	}
	next := make(map[byte]int)
	for _, u := range got {
		var i, n int
		_, _ = fmt.Sscanf(u, "http://shop.test/%d/%d", &i, &n)
		if n != next[byte(i)] {
			t.Fatalf("skip %d of goroutine %d stands where %d should", n, i, next[byte(i)])
		}
		next[byte(i)]++
	}
}

func TestAFullDiskStopsNoCrawlAndIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r, path := newFile(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		broken(t, path)
		r.journal.room = 64 << 10
		n := 5 * r.journal.room / 1000
		long := Skip{Reason: Stopped, URL: "http://shop.test/" + strings.Repeat("x", 1000)}
		start := time.Now()
		for range n {
			r.Record(long)
			time.Sleep(10 * time.Millisecond)
		}
		if got, want := time.Since(start), time.Duration(n)*10*time.Millisecond; got != want {
			t.Errorf("recording took %v, want %v: it waited for the disk", got, want)
		}
		if got := r.Lost(); got == 0 || got >= n {
			t.Errorf("Lost() = %d of %d, want those without room", got, n)
		}
		if got, want := strings.Count(log.String(), "cannot be written"), 1; got != want {
			t.Errorf("told %d times, want %d: %s", got, want, log.String())
		}
		lost := r.Lost()

		if err := os.RemoveAll(path); err != nil { // there is room again
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got, want := len(urls(t, path)), n-lost; got != want {
			t.Errorf("once there was room, %d skips came to the file, want the %d that were kept", got, want)
		}
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), fmt.Sprint(lost, " skips are not in")) {
			t.Errorf("Close = %v, want it to say that %d are not in the file", err, lost)
		}
	})
}

// broken puts a directory where the file was, so that it cannot be written.
func broken(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestAWriteThatHangsHoldsTheCrawlUpForASecondOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, path := newFile(t, Options{})
		r.journal.room = 64 << 10
		r.journal.turn <- struct{}{} // somebody writes, and does not come back
		r.journal.since.Store(int64(time.Since(r.journal.epoch)) + 1)
		start := time.Now()
		n := 2 * r.journal.room / 1000
		for range n {
			r.Record(Skip{Reason: Stopped, URL: "http://shop.test/" + strings.Repeat("x", 1000)})
		}
		if got, most := time.Since(start), patience+time.Millisecond; got > most {
			t.Errorf("recording took %v, want at most %v", got, most)
		}
		lost := r.Lost()
		if lost == 0 {
			t.Error("Lost() = 0, want what had no room")
		}
		r.journal.since.Store(0)
		<-r.journal.turn // it comes back after all
		if err := r.Close(); err == nil {
			t.Error("Close = nil, want an error that counts what was lost")
		}
		if got, want := len(urls(t, path)), n-lost; got != want {
			t.Errorf("%d skips in the file, want the %d that are not lost", got, want)
		}
	})
}

func TestCloseDoesNotWaitForEverForADiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newFile(t, Options{})
		r.Record(Skip{Reason: Stopped, URL: "http://shop.test/"})
		r.journal.turn <- struct{}{}
		start := time.Now()
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "hangs") {
			t.Errorf("Close = %v, want an error that says that the disk hangs", err)
		}
		if got, want := time.Since(start), closePatience; got != want {
			t.Errorf("Close took %v, want %v", got, want)
		}
		<-r.journal.turn // it comes back after all
		<-r.journal.done
	})
}

func TestCloseTwiceAndWithoutAFile(t *testing.T) {
	var zero Report
	r, path := newFile(t, Options{})
	r.Record(Skip{Reason: Stopped, URL: "http://shop.test/"})
	for i := range 2 {
		if err := zero.Close(); err != nil {
			t.Errorf("Close %d of a zero Report = %v, want nil", i+1, err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("Close %d = %v, want nil", i+1, err)
		}
	}
	r.Record(Skip{Reason: Stopped, URL: "http://shop.test/"})
	if got, want := [3]int{r.Total(), r.Lost(), len(urls(t, path))}, [3]int{2, 1, 1}; got != want {
		t.Errorf("total, lost and in the file after a skip too late = %v, want %v", got, want)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	dir := t.TempDir()
	for _, x := range []struct {
		o    Options
		want string
	}{
		{Options{MaxFileBytes: -1}, "Options.MaxFileBytes -1"},
		{Options{MaxHosts: -1}, "Options.MaxHosts -1"},
		{Options{Path: dir}, "Options.Path"},
	} {
		if _, err := New(x.o); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("New(%+v) = %v, want an error that names %s", x.o, err, x.want)
		}
	}
}
