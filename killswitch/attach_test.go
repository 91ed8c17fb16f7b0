package killswitch

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestAttachOfAMissingFileSaysWhatToCreateAndTheCollectorSendsNothing(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("a.test").Page("/", "a")
	path := filepath.Join(t.TempDir(), "stop.json")
	c := colly.NewCollector()
	if _, err := Attach(c, path); err == nil || !strings.Contains(err.Error(), emptyFile) || !strings.Contains(err.Error(), path) {
		t.Errorf("Attach = %v, want an error with the path and %s", err, emptyFile)
	}
	if err := c.Visit("http://a.test/"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Visit after the failed Attach = %v, want an error with its reason", err)
	}
	wantLog(t, web)
	writeFile(t, path, emptyFile)
	s, err := Attach(c, path)
	if err != nil {
		t.Fatalf("Attach once the file is there = %v, want nil", err)
	}
	defer s.Close()
	if err := c.Visit("http://a.test/?2"); err != nil {
		t.Errorf("Visit = %v, want nil", err)
	}
	mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
	if err := c.Visit("http://a.test/?3"); err != nil {
		t.Errorf("Visit of the stopped = %v, want a silent skip", err)
	}
	wantLog(t, web, "GET http://a.test/?2")
}

func TestASecondAttachReturnsTheFirstAndAnotherSwitchIsAnError(t *testing.T) {
	path := stopFilePath(t, emptyFile)
	c := colly.NewCollector()
	first, err := Attach(c, path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if again, err := Attach(c, path); err != nil || again != first {
		t.Errorf("Attach again = %p, %v, want %p, nil", again, err, first)
	}
	if _, err := Attach(c, stopFilePath(t, emptyFile)); err == nil {
		t.Error("Attach with another file = nil, want an error")
	}
	if err := newSwitch(t, Options{}).Attach(c); err == nil {
		t.Error("Attach of another switch = nil, want an error")
	}
	if err := first.Attach(c); err != nil {
		t.Errorf("Attach of the same switch = %v, want nil", err)
	}
	if _, err := Attach(c, ""); err == nil {
		t.Error("Attach without a path = nil, want an error")
	}
}

func TestNothingRunsBeforeTheFirstUseAndAfterClose(t *testing.T) {
	s := newSwitch(t, Options{File: stopFilePath(t, emptyFile)})
	wantWatchers(t, "New", 0)
	wantStopped(t, s, false, "http://a.test/")
	wantWatchers(t, "Check", 1)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v, want nil", err)
		}
	}
	wantWatchers(t, "Close", 0)
	unused := newSwitch(t, Options{File: stopFilePath(t, fileOf(1, "a.test"))})
	if err := unused.Close(); err != nil {
		t.Errorf("Close before the first use = %v, want nil", err)
	}
	wantStopped(t, unused, true, "http://a.test/")
	wantWatchers(t, "Close of an unused one", 0)
}

// wantWatchers counts the goroutines of this package. Others come and go.
func wantWatchers(t *testing.T, after string, want int) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if got := strings.Count(string(stacks), "created by github.com/collyetiquette/etiquette/killswitch.("); got != want {
		t.Errorf("%d goroutines after %s, want %d:\n%s", got, after, want, stacks)
	}
}
