package killswitch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What stands in the place of the file may be something that keeps a reader waiting for ever.
func TestAPipeOrADeviceInThePlaceOfTheFileKeepsNobodyWaiting(t *testing.T) {
	makes := map[string]func(path string) error{
		"a pipe":              makePipe,
		"a device":            func(path string) error { return os.Symlink("/dev/zero", path) },
		"a directory":         func(path string) error { return os.Mkdir(path, 0o700) },
		"a link to itself":    func(path string) error { return os.Symlink(path, path) },
		"a link to somewhere": func(path string) error { return os.Symlink(filepath.Dir(path), path) },
	}
	for name, make := range makes {
		t.Run(name, func(t *testing.T) {
			path := stopFilePath(t, fileOf(1, "a.test"))
			s := newSwitch(t, Options{File: path, Poll: 10 * time.Millisecond})
			wantStopped(t, s, true, "http://a.test/")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := make(path); err != nil {
				t.Skip(err)
			}
			if err := s.Reload(); err == nil {
				t.Error("Reload = nil, want an error")
			}
			wantStopped(t, s, true, "http://a.test/")
			wantStopped(t, s, false, "http://b.test/")
			if err := s.Close(); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
			if _, err := New(Options{File: path, Logger: quiet}); err == nil {
				t.Error("New = nil, want an error")
			}
		})
	}
}

func TestAFileThatIsTooLongStopsWhatItsBeginningSays(t *testing.T) {
	whole := fileOf(1, "a.test", "b.test")
	path := stopFilePath(t, whole)
	most := strings.Index(whole, "b.test")
	text, err := readFile(path, int64(most))
	if len(text) != most || !errors.Is(err, errCut) {
		t.Fatalf("readFile of %d bytes = %q, %v, want so many and %v", most, text, err, errCut)
	}
	f := parseRead(text, err)
	if f.valid() || !f.lost || !hasHost(f, "a.test") || hasHost(f, "b.test") {
		t.Errorf("rules %+v, problems %q, want a.test alone in a file that is not valid", f.rules, f.problems)
	}
	// White space behind the rules makes a cut file look whole.
	writeFile(t, path, fileOf(1, "a.test")+strings.Repeat(" ", 500))
	text, err = readFile(path, 300)
	if f := parseRead(text, err); f.valid() || !f.lost || !hasHost(f, "a.test") {
		t.Errorf("rules %+v, problems %q, want a.test in a file that is not valid", f.rules, f.problems)
	}
}

func TestThePathsStayThoughTheProgramChangesItsDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFile(t, "stop.json", fileOf(1, "a.test"))
	writeFile(t, "token", testToken)
	s := newSwitch(t, Options{File: "stop.json", StateDir: "state", TokenFile: "token"})
	t.Chdir(t.TempDir())
	wantStopped(t, s, true, "http://a.test/")
	mustStop(t, s, Rule{ID: "b", Host: "b.test", Reason: "asked"})
	rename(t, filepath.Join(dir, "stop.json"), fileOf(2, "a.test", "c.test"))
	if err := s.Reload(); err != nil {
		t.Errorf("Reload = %v, want nil", err)
	}
	wantStopped(t, s, true, "http://c.test/")
	if w := (call{method: "GET", path: "/v1/rules"}).do(t, s.Handler()); w.Code != 200 {
		t.Errorf("a call with the token of the file = %d, want 200", w.Code)
	}
	wantStopped(t, newSwitch(t, Options{StateDir: filepath.Join(dir, "state")}), true, "http://b.test/")
}
