package throttle

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

func restart(t *testing.T, o Options) *Throttle {
	t.Helper()
	th, err := New(o)
	if err != nil {
		t.Fatalf("New = %v, want nil", err)
	}
	return th
}

func TestWhatIsOwedSurvivesARestart(t *testing.T) {
	for _, closed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			o := Options{StateDir: filepath.Join(t.TempDir(), "state"), Rules: []LimitRule{{Delay: 10 * time.Second}}}
			start := time.Now()
			before := restart(t, o)
			mustWait(t, before, "http://blocked.test/").Done(&http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"120"}}}, nil)
			for range 10 {
				mustWait(t, before, "http://denied.test/").Done(&http.Response{StatusCode: 403}, nil)
			}
			if closed {
				if err := before.Close(); err != nil {
					t.Fatal(err)
				}
			}

			after := restart(t, o)
			if s, _ := after.Snapshot("denied.test"); s.Parked != report.AccessDenied || s.Until.Sub(start) < 24*time.Hour {
				t.Errorf("closed %v: Snapshot(denied.test) = %+v, want it parked for a day", closed, s)
			}
			if s, _ := after.Snapshot("blocked.test"); s.Level != 1 || s.Until.Sub(start) < 120*time.Second {
				t.Errorf("closed %v: Snapshot(blocked.test) = %+v, want its block", closed, s)
			}
			mustWait(t, after, "http://blocked.test/").Done(nil, nil)
			if got := time.Since(start); got < 120*time.Second {
				t.Errorf("closed %v: blocked.test was asked after %v, want 120 s", closed, got)
			}
		})
	}
}

func TestANextStartSurvivesACrashInTheMiddleOfARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{StateDir: t.TempDir(), Rules: []LimitRule{{Delay: 10 * time.Second}}}
		start := time.Now()
		_ = mustWait(t, restart(t, o), "http://a.test/") // never ended
		mustWait(t, restart(t, o), "http://a.test/").Done(nil, nil)
		if got := time.Since(start); got != 10*time.Second {
			t.Errorf("asked again after %v, want 10 s", got)
		}
	})
}

func TestTwoProcessesShareADirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{StateDir: t.TempDir()}
		a, b := restart(t, o), restart(t, o)
		mustWait(t, a, "http://a.test/").Done(&http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {"60"}}}, nil)
		start := time.Now()
		mustWait(t, b, "http://a.test/").Done(nil, nil) // the first time that b asks
		if got := time.Since(start); got < 60*time.Second {
			t.Errorf("the other process asked after %v, want 60 s", got)
		}
		for range 10 {
			mustWait(t, a, "http://c.test/").Done(&http.Response{StatusCode: 403}, nil)
		}
		if err := a.Unpark("c.test", "let in"); err != nil {
			t.Fatal(err)
		}
		mustWait(t, b, "http://c.test/").Done(nil, nil)
	})
}

func TestOfTwoEndsTheLaterCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		now := time.Now().UnixMilli()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		line := func(at, next int64) string {
			return fmt.Sprintf(`{"host":"a.test","at":%d,"next":%d}`+"\n", now+at, now+next)
		}
		write("throttle-1-a.log", line(0, 50_000)+line(1, 30_000))
		write("throttle-2-b.log", "no json\n"+line(2, 40_000)+`{"host":"a.test","at":1,"next":9999999999`) // being written
		th := restart(t, Options{StateDir: dir})
		s, ok := th.Snapshot("a.test")
		if got := time.Until(s.NextStart); !ok || got != 50*time.Second {
			t.Errorf("next start in %v, want 50 s", got)
		}
	})
}

func TestFilesInWhichNothingIsOwedAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		old := filepath.Join(dir, "throttle-1-a.log")
		if err := os.WriteFile(old, []byte(`{"host":"a.test","at":1,"next":2}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(old, time.Now(), time.Now().Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
		th := restart(t, Options{StateDir: dir})
		if err := th.Close(); err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("files left %v, want none", left)
		}
	})
}

func TestTheFileIsWrittenAnewWhenItIsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		th := restart(t, Options{StateDir: dir, Rules: []LimitRule{{Delay: time.Second}}})
		th.state.limit = 2000
		for range 50 {
			mustWait(t, th, "http://a.test/").Done(nil, nil)
		}
		names, _ := filepath.Glob(filepath.Join(dir, "*"))
		info, err := os.Stat(names[0])
		if err != nil || len(names) != 1 || info.Size() > 2000+compactAt {
			t.Errorf("files %v, %v, want one short one", names, err)
		}
		if th.state.limit != compactAt {
			t.Error("the file was never written anew")
		}
		start := time.Now()
		mustWait(t, restart(t, Options{StateDir: dir}), "http://a.test/").Done(nil, nil)
		if got := time.Since(start); got != time.Second {
			t.Errorf("after the restart the host was asked after %v, want 1 s", got)
		}
	})
}

func TestAStateDirThatCannotBeMadeIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{StateDir: file}); err == nil || !strings.Contains(err.Error(), "Options.StateDir") {
		t.Errorf("New = %v, want an error that names Options.StateDir", err)
	}
}
