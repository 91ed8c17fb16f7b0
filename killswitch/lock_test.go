package killswitch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A process that hangs with the lock in its hand costs durability, not the promise: stops of the file and of code come into force as ever.
func TestAHungProcessKeepsNoStopFromComingIntoForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, path := t.TempDir(), stopFilePath(t, emptyFile)
		alarms := make(chan error, 10)
		s := newSwitch(t, Options{StateDir: dir, File: path, StopAllOnCorrupt: true, OnAlarm: func(err error) { alarms <- err }})
		wantStopped(t, s, false, "http://a.test/")
		hung, err := openState(dir)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := tryLock(hung.lock); !ok || err != nil {
			t.Fatalf("tryLock = %v, %v", ok, err)
		}
		time.Sleep(3 * time.Second)
		rename(t, path, fileOf(1, "a.test"))
		time.Sleep(1100 * time.Millisecond)
		wantStopped(t, s, true, "http://a.test/")
		if _, err := s.Stop(Rule{ID: "b", Host: "b.test", Reason: "asked"}); !errors.Is(err, ErrNotSaved) {
			t.Errorf("Stop = %v, want ErrNotSaved", err)
		}
		wantStopped(t, s, true, "http://b.test/")
		rename(t, path, fileOf(2, "a.test", "c.test")) // while the stop of b waits for the lock
		time.Sleep(1100 * time.Millisecond)
		wantStopped(t, s, true, "http://c.test/")
		wantStopped(t, s, false, "http://other.test/")
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(alarms) == 0 {
			t.Error("no alarm after a minute, want one")
		}

		unlock(hung.lock)
		_ = hung.close()
		time.Sleep(time.Second)
		s.Close()
		audit, _ := os.ReadFile(filepath.Join(dir, auditFile))
		for _, want := range []string{`"rule.add"`, `"a.test"`, `"b.test"`} {
			if !bytes.Contains(audit, []byte(want)) {
				t.Errorf("the audit log lacks %s, which could not be written at once:\n%s", want, audit)
			}
		}
		wantStopped(t, newSwitch(t, Options{StateDir: dir}), true, "http://b.test/")
	})
}

func TestTheLockHoldsThoughItsFileIsRemoved(t *testing.T) {
	dir := t.TempDir()
	one, err := openState(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer one.close()
	two, err := openState(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer two.close()
	if err := os.Remove(filepath.Join(dir, lockFile)); err != nil {
		t.Fatal(err)
	}
	err = one.locked(time.Second, func() error {
		var busy *errBusy
		if err := two.locked(20*time.Millisecond, func() error { return nil }); !errors.As(err, &busy) {
			t.Errorf("locked by two while one holds it = %v, want that it is busy", err)
		}
		return nil
	})
	if err != nil {
		t.Errorf("locked = %v, want nil", err)
	}
}

func TestALogThatIsMovedAwayBeginsAnewAndSaysSo(t *testing.T) {
	dir := t.TempDir()
	s := newSwitch(t, Options{StateDir: dir, Poll: time.Hour})
	path := filepath.Join(dir, auditFile)
	mustStop(t, s, Rule{ID: "a", Host: "a.test", Reason: "asked"})
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	mustStop(t, s, Rule{ID: "b", Host: "b.test", Reason: "asked"})
	text, _ := os.ReadFile(path)
	if !bytes.Contains(text, []byte("log.begin")) || !bytes.Contains(text, []byte("b.test")) {
		t.Errorf("the new log is %s, want its beginning and the stop of b.test", text)
	}
	for _, p := range []string{path, path + ".1"} {
		if err := VerifyAudit(p); err != nil {
			t.Errorf("VerifyAudit(%s) = %v, want nil", p, err)
		}
	}
}

func TestEventsThatCannotBeWrittenAreCountedOnceThereIsNoRoomForThem(t *testing.T) {
	dir := t.TempDir()
	s := newSwitch(t, Options{StateDir: dir, Poll: time.Hour})
	for i := range 3 {
		s.state.hold(make([]event, 700))
		if got, want := len(s.state.held), min(maxHeld, 700*(i+1)); got != want {
			t.Fatalf("%d events are held, want %d", got, want)
		}
	}
	s.audit(event{Event: "test"})
	text, _ := os.ReadFile(filepath.Join(dir, auditFile))
	first, _, _ := bytes.Cut(text, []byte("\n"))
	// 999 of 2,100 are there, the others are said to be lost.
	if !bytes.Contains(first, []byte(`"log.lost"`)) || !bytes.Contains(first, []byte(`"count":1101`)) || bytes.Count(text, []byte("\n")) != maxHeld+1 {
		t.Errorf("%d lines that begin with %s, want %d and a count of 1101", bytes.Count(text, []byte("\n")), first, maxHeld+1)
	}
	if err := VerifyAudit(filepath.Join(dir, auditFile)); err != nil {
		t.Errorf("VerifyAudit = %v, want nil", err)
	}
}
