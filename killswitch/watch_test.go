package killswitch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAFileThatIsRenamedIntoPlaceStopsWithinOnePoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := stopFilePath(t, fileOf(1, "a.test"))
		s := newSwitch(t, Options{File: path})
		wantStopped(t, s, true, "http://a.test/")
		wantStopped(t, s, false, "http://b.test/")
		rename(t, path, fileOf(2, "a.test", "b.test"))
		time.Sleep(DefaultPoll + time.Millisecond)
		wantStopped(t, s, true, "http://a.test/", "http://b.test/")
	})
}

func TestTheFileIsReadAtTheFirstUse(t *testing.T) {
	path := stopFilePath(t, emptyFile)
	s := newSwitch(t, Options{File: path})
	rename(t, path, fileOf(1, "a.test")) // between New and the first use
	wantStopped(t, s, true, "http://a.test/")
}

func TestAnEditOfEqualSizeAndTimeIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := stopFilePath(t, fileOf(1, "a.test"))
		at := time.Unix(1e9, 0)
		_ = os.Chtimes(path, at, at)
		s := newSwitch(t, Options{File: path})
		wantStopped(t, s, false, "http://b.test/")
		writeFile(t, path, fileOf(1, "b.test"))
		_ = os.Chtimes(path, at, at)
		time.Sleep(DefaultPoll + time.Millisecond)
		wantStopped(t, s, true, "http://b.test/")
	})
}

func TestALiftWaitsUntilTheFileHasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := stopFilePath(t, fileOf(1, "a.test", "b.test"))
		s := newSwitch(t, Options{File: path})
		s.Check(mustURL(t, "http://a.test/"))
		rename(t, path, fileOf(2, "b.test"))
		seen := time.Now()
		for stopped(t, s, "http://a.test/") {
			if !s.Status().Settling && time.Since(seen) > DefaultPoll {
				t.Fatal("Status().Settling = false while a lift waits, want true")
			}
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(seen); took < DefaultSettle || took > DefaultSettle+2*DefaultPoll {
			t.Errorf("lifted after %s, want between %s and %s", took, DefaultSettle, DefaultSettle+2*DefaultPoll)
		}
		wantStopped(t, s, true, "http://b.test/")

		// A file that keeps changing lifts nothing.
		for i := range 20 {
			rename(t, path, fileOf(3+i, fmt.Sprintf("c%d.test", i)))
			time.Sleep(time.Second)
			wantStopped(t, s, true, "http://b.test/")
		}
		time.Sleep(4 * time.Second)
		wantStopped(t, s, false, "http://b.test/", "http://c0.test/")
		wantStopped(t, s, true, "http://c19.test/")
	})
}

func TestABadFileLiftsNothingAndRaisesOneAlarm(t *testing.T) {
	for name, spoil := range map[string]func(path string){
		"empty":               func(p string) { os.Truncate(p, 0) },
		"no JSON":             func(p string) { os.WriteFile(p, []byte("stop everything"), 0o600) },
		"deleted":             func(p string) { os.Remove(p) },
		"a directory":         func(p string) { os.Remove(p); os.Mkdir(p, 0o700) },
		"cut":                 func(p string) { os.Truncate(p, 70) },
		"an older generation": func(p string) { os.WriteFile(p, []byte(fileOf(4)), 0o600) },
		"no generation":       func(p string) { os.WriteFile(p, []byte(emptyFile), 0o600) },
		"version 2":           func(p string) { os.WriteFile(p, []byte(`{"version": 2, "generation": 6, "rules": []}`), 0o600) },
		"a rule with a typo": func(p string) {
			os.WriteFile(p, []byte(`{"version":1,"generation":6,"rules":[{"id":"x","hots":"x","reason":"x"}]}`), 0o600)
		},
		"rules misspelt":        func(p string) { os.WriteFile(p, []byte(`{"version":1,"generation":6,"rulez":[]}`), 0o600) },
		"a link to nowhere":     func(p string) { os.Remove(p); os.Symlink("nowhere", p) },
		"another file appended": func(p string) { os.WriteFile(p, []byte(fileOf(6)+fileOf(7)), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := stopFilePath(t, fileOf(5, "a.test"))
				var alarms []error
				s := newSwitch(t, Options{File: path, OnAlarm: func(err error) { alarms = append(alarms, err) }})
				s.Check(mustURL(t, "http://a.test/"))
				spoil(path)
				time.Sleep(time.Hour)
				wantStopped(t, s, true, "http://a.test/")
				wantStopped(t, s, false, "http://b.test/")
				synctest.Wait()
				if st := s.Status(); len(alarms) != 1 || st.Err == nil || time.Since(st.Since) < 59*time.Minute {
					t.Errorf("%d alarms %v, status %+v, want one alarm, and stale for an hour", len(alarms), alarms, st)
				}
				os.RemoveAll(path)
				writeFile(t, path, fileOf(8))
				time.Sleep(3 * time.Second)
				wantStopped(t, s, false, "http://a.test/")
				if st := s.Status(); st.Err != nil || st.Generation != 8 {
					t.Errorf("status %+v after a good file, want no error and generation 8", st)
				}
			})
		})
	}
}

func TestAFileMayStartWithAMistakeThatHidesNoStop(t *testing.T) {
	path := stopFilePath(t, `{"version": 1, "rules": [{"id": "a", "host": "a.test", "color": "red"}]}`)
	s := newSwitch(t, Options{File: path})
	wantStopped(t, s, true, "http://a.test/")
	if s.Status().Err == nil {
		t.Error("Status().Err = nil, want the mistake")
	}
	for _, text := range []string{"", "{", `{"version": 1, "rules": [{"id": "a", "hots": "a.test"}]}`} {
		if _, err := New(Options{File: stopFilePath(t, text), Logger: quiet}); err == nil {
			t.Errorf("New with the file %q = nil, want an error: a stop may be lost", text)
		}
	}
}

func TestMaxStaleStopsEverythingUntilTheFileIsGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := stopFilePath(t, emptyFile)
		s := newSwitch(t, Options{File: path, MaxStale: 15 * time.Minute})
		wantStopped(t, s, false, "http://b.test/")
		os.Remove(path)
		time.Sleep(14 * time.Minute)
		wantStopped(t, s, false, "http://b.test/")
		time.Sleep(2 * time.Minute)
		wantStopped(t, s, true, "http://b.test/")
		writeFile(t, path, emptyFile)
		time.Sleep(time.Second)
		wantStopped(t, s, false, "http://b.test/")
	})
}

func TestAllowMissingUsesTheFileOnceItExists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "stop.json")
		s := newSwitch(t, Options{File: path, AllowMissing: true})
		wantStopped(t, s, false, "http://a.test/")
		if err := s.Status().Err; err != nil {
			t.Errorf("Status().Err = %v, want nil", err)
		}
		writeFile(t, path, fileOf(1, "a.test"))
		time.Sleep(time.Second)
		wantStopped(t, s, true, "http://a.test/")
	})
}

func TestReloadReadsNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := stopFilePath(t, emptyFile)
		s := newSwitch(t, Options{File: path, Poll: time.Hour})
		wantStopped(t, s, false, "http://a.test/")
		rename(t, path, fileOf(1, "a.test"))
		if err := s.Reload(); err != nil {
			t.Errorf("Reload = %v, want nil", err)
		}
		wantStopped(t, s, true, "http://a.test/")
		writeFile(t, path, "{")
		if err := s.Reload(); err == nil {
			t.Error("Reload of half a file = nil, want an error")
		}
		wantStopped(t, s, true, "http://a.test/")
	})
}

func TestTheFilesRulesAreNotLiftedInCode(t *testing.T) {
	path := stopFilePath(t, fileOf(1, "a.test"))
	s := newSwitch(t, Options{File: path})
	if err := s.Lift("ks-a.test", "done"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Lift = %v, want an error that names the file", err)
	}
	mustStop(t, s, Rule{ID: "ks-a.test", Host: "a.test", Reason: "asked by mail"})
	if err := s.Lift("ks-a.test", "done"); err != nil {
		t.Errorf("Lift of the rule made in code under the same ID = %v, want nil", err)
	}
	wantStopped(t, s, true, "http://a.test/")
}

// A writer puts text where the switch finds it, with pauses in the middle.
type writer struct {
	name  string
	setup func(t *testing.T, dir, text string) (path string)
	write func(t *testing.T, dir, text string, pause func())
}

var writers = []writer{
	{"in place", func(t *testing.T, dir, text string) string {
		writeFile(t, filepath.Join(dir, "stop.json"), text)
		return filepath.Join(dir, "stop.json")
	}, func(t *testing.T, dir, text string, pause func()) {
		f, err := os.OpenFile(filepath.Join(dir, "stop.json"), os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for len(text) > 0 {
			pause()
			n := 1 + rand.IntN(len(text))
			if _, err := f.WriteString(text[:n]); err != nil {
				t.Fatal(err)
			}
			text = text[n:]
		}
	}},
	{"rename", func(t *testing.T, dir, text string) string {
		writeFile(t, filepath.Join(dir, "stop.json"), text)
		return filepath.Join(dir, "stop.json")
	}, func(t *testing.T, dir, text string, pause func()) {
		writeFile(t, filepath.Join(dir, "new"), text)
		pause()
		if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "stop.json")); err != nil {
			t.Fatal(err)
		}
	}},
	{"ConfigMap", func(t *testing.T, dir, text string) string {
		if err := os.Symlink(filepath.Join("..data", "stop.json"), filepath.Join(dir, "stop.json")); err != nil {
			t.Fatal(err)
		}
		swapConfigMap(t, dir, text, func() {})
		return filepath.Join(dir, "stop.json")
	}, swapConfigMap},
}

// swapConfigMap does what a kubelet does: a fresh directory, a fresh link to it, and that link renamed over the old one.
func swapConfigMap(t *testing.T, dir, text string, pause func()) {
	fresh, err := os.MkdirTemp(dir, "..2026_")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(fresh, "stop.json"), text)
	pause()
	old, _ := os.Readlink(filepath.Join(dir, "..data"))
	tmp := filepath.Join(dir, "..data_tmp")
	if err := os.Symlink(filepath.Base(fresh), tmp); err != nil {
		t.Fatal(err)
	}
	pause()
	if err := os.Rename(tmp, filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	pause()
	if old != "" {
		os.RemoveAll(filepath.Join(dir, old))
	}
}

// The property for every way in which a file is written: at no moment is a host open that both the old and the new file stop, and what the new
// file adds is stopped one poll after the writing has ended.
func TestNoWriterOpensAStoppedHostAtAnyMoment(t *testing.T) {
	const rounds = 1000
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				generation := 1
				path := w.setup(t, dir, fileOf(generation, "always.test"))
				s := newSwitch(t, Options{File: path})
				var hosts []string
				round := 0
				check := func() {
					for _, h := range append(hosts, "always.test") {
						if !stopped(t, s, "http://"+h+"/") {
							t.Fatalf("round %d: %s is open, generation %d", round, h, generation)
						}
					}
				}
				pause := func() {
					for range rand.IntN(4) {
						time.Sleep(time.Duration(rand.Int64N(int64(time.Second))))
						check()
					}
				}
				for ; round < rounds; round++ {
					before := hosts
					generation++
					next := pick(before)
					hosts = both(before, next) // until the new file has settled, what both say is what must hold
					w.write(t, dir, fileOf(generation, append([]string{"always.test"}, next...)...), pause)
					time.Sleep(DefaultPoll + time.Millisecond)
					hosts = next
					check()
					if round%50 == 0 { // now and then it settles, and what is gone is open
						time.Sleep(DefaultSettle + 2*DefaultPoll)
						for _, h := range before {
							if !slices.Contains(next, h) {
								wantStopped(t, s, false, "http://"+h+"/")
							}
						}
					}
				}
			})
		})
	}
}

func pick(before []string) []string {
	var next []string
	for i := range 6 {
		h := fmt.Sprintf("h%d.test", i)
		if rand.IntN(2) == 0 {
			next = append(next, h)
		}
	}
	if rand.IntN(3) == 0 {
		next = both(before, before)
	}
	return next
}

func both(a, b []string) []string {
	var out []string
	for _, h := range a {
		if slices.Contains(b, h) {
			out = append(out, h)
		}
	}
	return out
}

// A bad file can add stops, never remove them: whatever is done to a file that is not valid afterwards, all that was in force still is.
func TestABadFileCanAddStopsNeverRemoveThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := stopFilePath(t, fileOf(1, "a.test", "b.test"))
		s := newSwitch(t, Options{File: path})
		s.Check(mustURL(t, "http://a.test/"))
		inForce := func() map[Rule]bool {
			m := make(map[Rule]bool)
			for _, r := range s.Rules() {
				m[r] = true
			}
			return m
		}
		generation := 1
		good := fileOf(generation, "a.test", "b.test")
		for round := range 1000 {
			before := inForce()
			text := good
			switch rand.IntN(6) {
			case 0: // torn: cut anywhere
				text = text[:rand.IntN(len(text))]
			case 1: // torn: a hole
				i := rand.IntN(len(text))
				text = text[:i] + text[min(len(text), i+rand.IntN(40)):]
			case 2: // two writers at once
				other := fileOf(generation+1, "c.test", fmt.Sprintf("d%d.test", round))
				i := rand.IntN(min(len(text), len(other)))
				text = text[:i] + other[i:]
			case 3: // an old copy restored
				text = fileOf(generation-1, "old.test")
			case 4: // an octet flipped
				b := []byte(text)
				b[rand.IntN(len(b))] ^= 1 << rand.IntN(8)
				text = string(b)
			case 5:
				generation++
				good = fileOf(generation, "a.test", "b.test", fmt.Sprintf("e%d.test", round))
				text = good
			}
			rename(t, path, text)
			time.Sleep(time.Duration(rand.Int64N(int64(5 * time.Second))))
			time.Sleep(DefaultPoll)
			after := inForce()
			if f := parseFile([]byte(text)); f.valid() && f.generation >= int64(generation) {
				continue // it may lift
			}
			for r := range before {
				if !after[r] {
					t.Fatalf("round %d: the file %q lifted %+v; before %v", round, text, r, slices.Collect(maps.Keys(before)))
				}
			}
		}
	})
}
