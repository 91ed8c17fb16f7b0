package killswitch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestStopsAndLiftsSurviveARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := newSwitch(t, Options{StateDir: dir})
	mustStop(t, s, Rule{ID: "a", Host: "a.test", Reason: "asked"})
	mustStop(t, s, Rule{ID: "b", Domain: "b.test", Path: "/x*", Reason: "asked"})
	if err := s.Lift("a", "agreed"); err != nil {
		t.Fatal(err)
	}
	mustStop(t, s, Rule{ID: "a", Host: "c.test", Reason: "asked again"})
	s.Close()
	s = newSwitch(t, Options{StateDir: dir})
	wantStopped(t, s, true, "http://www.b.test/xy", "http://c.test/")
	wantStopped(t, s, false, "http://a.test/", "http://b.test/")
	if rep, err := s.Report("a"); err != nil || rep.Source != FromCode || rep.Received.IsZero() || rep.Applied.Before(rep.Received) {
		t.Errorf("Report = %+v, %v, want one from code with its times", rep, err)
	}
	if err := s.Lift("b", "agreed"); err != nil {
		t.Errorf("Lift after a restart = %v, want nil", err)
	}
}

func TestTwoProcessesHaveTheSameStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		one, two := newSwitch(t, Options{StateDir: dir}), newSwitch(t, Options{StateDir: dir})
		wantStopped(t, two, false, "http://a.test/")
		mustStop(t, one, Rule{ID: "a", Host: "a.test", Reason: "asked"})
		time.Sleep(DefaultPoll + time.Millisecond)
		wantStopped(t, two, true, "http://a.test/")
		if err := two.Lift("a", "agreed"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(DefaultPoll + time.Millisecond)
		wantStopped(t, one, false, "http://a.test/")
	})
}

func TestManyWritersLoseNoStop(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for p := range 4 {
		s := newSwitch(t, Options{StateDir: dir})
		wg.Go(func() {
			for i := range 25 {
				_, err := s.Stop(Rule{Host: fmt.Sprintf("h%d-%d.test", p, i), Reason: "x"})
				if err != nil && !errors.Is(err, ErrNotSaved) { // on a slow disk the others may keep the lock for longer than it waits
					t.Errorf("Stop = %v, want nil", err)
				}
			}
			for len(s.failedSaves()) > 0 { // it tries again by itself; here without a pause
				s.look()
			}
		})
	}
	wg.Wait()
	s := newSwitch(t, Options{StateDir: dir})
	if got := len(s.Rules()); got != 100 {
		t.Errorf("%d rules after a restart, want 100", got)
	}
	if err := VerifyAudit(filepath.Join(dir, auditFile)); err != nil {
		t.Errorf("VerifyAudit = %v, want nil", err)
	}
}

func TestTwoProcessesThatTakeOneIDKeepBothRules(t *testing.T) {
	dir := t.TempDir()
	one, two := newSwitch(t, Options{StateDir: dir, Poll: time.Hour}), newSwitch(t, Options{StateDir: dir, Poll: time.Hour})
	one.Rules()
	two.Rules()
	mustStop(t, one, Rule{ID: "x", Host: "a.test", Reason: "asked"})
	mustStop(t, two, Rule{ID: "x", Host: "b.test", Reason: "asked"})
	again := newSwitch(t, Options{StateDir: dir})
	wantStopped(t, again, true, "http://a.test/", "http://b.test/")
	wantStopped(t, two, true, "http://a.test/", "http://b.test/")
	if err := again.Lift("x", "agreed"); err != nil {
		t.Fatal(err)
	}
	wantStopped(t, again, false, "http://a.test/", "http://b.test/")
}

func TestADamagedStateIsAnErrorOrStopsEverything(t *testing.T) {
	for name, spoil := range map[string]func(text []byte) []byte{
		"cut in half":           func(b []byte) []byte { return b[:len(b)/2] },
		"cut after a line":      func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] },
		"without its last byte": func(b []byte) []byte { return b[:len(b)-1] },
		"empty":                 func([]byte) []byte { return nil },
		"a line of something":   func(b []byte) []byte { return append([]byte("x\n"), b...) },
		"an unknown operation":  func(b []byte) []byte { return bytes.Replace(b, []byte(`"stop"`), []byte(`"pause"`), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := newSwitch(t, Options{StateDir: dir})
			mustStop(t, s, Rule{ID: "a", Host: "a.test", Reason: "asked"})
			mustStop(t, s, Rule{ID: "b", Host: "b.test", Reason: "asked"})
			s.Close()
			path := filepath.Join(dir, stopsFile)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, string(spoil(text)))
			if _, err := New(Options{StateDir: dir, Logger: quiet}); err == nil {
				t.Error("New = nil, want an error")
			}
			alarms := make(chan error, 10)
			s = newSwitch(t, Options{StateDir: dir, StopAllOnCorrupt: true, OnAlarm: func(err error) { alarms <- err }})
			wantStopped(t, s, true, "http://a.test/", "http://b.test/", "http://other.test/")
			<-alarms
		})
	}
}

func TestARestartWithABadStopFileKeepsWhatTheLastGoodOneSaid(t *testing.T) {
	for name, spoil := range map[string]func(path string){
		"missing":             func(p string) { os.Remove(p) },
		"empty":               func(p string) { os.Truncate(p, 0) },
		"an older generation": func(p string) { os.WriteFile(p, []byte(fileOf(4, "old.test")), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := t.TempDir(), stopFilePath(t, fileOf(5, "a.test"))
			s := newSwitch(t, Options{StateDir: dir, File: path})
			s.Rules()
			s.Close()
			spoil(path)
			s = newSwitch(t, Options{StateDir: dir, File: path})
			wantStopped(t, s, true, "http://a.test/")
			if s.Status().Err == nil {
				t.Error("Status().Err = nil, want why the file is not used")
			}
			if _, err := New(Options{File: path, Logger: quiet}); (err == nil) != (name == "an older generation") {
				t.Errorf("New without a saved copy = %v", err)
			}
		})
	}
}

func TestAValidStopFileAtARestartIsInForceAlone(t *testing.T) {
	dir, path := t.TempDir(), stopFilePath(t, fileOf(5, "a.test"))
	s := newSwitch(t, Options{StateDir: dir, File: path})
	s.Rules()
	s.Close()
	rename(t, path, fileOf(6, "b.test"))
	s = newSwitch(t, Options{StateDir: dir, File: path})
	wantStopped(t, s, true, "http://b.test/")
	wantStopped(t, s, false, "http://a.test/")
}

func TestAnExpiryIsRecordedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := newSwitch(t, Options{StateDir: dir})
		mustStop(t, s, Rule{ID: "a", Host: "a.test", Until: time.Now().Add(time.Hour), Reason: "asked"})
		time.Sleep(2 * time.Hour)
		s.Close()
		s = newSwitch(t, Options{StateDir: dir})
		wantStopped(t, s, false, "http://a.test/")
		time.Sleep(time.Hour)
		audit, _ := os.ReadFile(filepath.Join(dir, auditFile))
		if n := bytes.Count(audit, []byte("rule.expire")); n != 1 {
			t.Errorf("%d rule.expire records, want 1:\n%s", n, audit)
		}
		if rep, err := s.Report("a"); err != nil || rep.Lifted.IsZero() {
			t.Errorf("Report = %+v, %v, want one that has ended", rep, err)
		}
	})
}

func TestAnEditedAuditLogShows(t *testing.T) {
	for name, x := range map[string]struct {
		edit func([]string) []string
		want string
	}{
		"a line changed":   {func(l []string) []string { l[1] = strings.Replace(l[1], "b.test", "x.test", 1); return l }, "seq 2"},
		"a line taken out": {func(l []string) []string { return append(l[:1], l[2:]...) }, "seq 3 stands where 2 should"},
		"a line cut":       {func(l []string) []string { l[2] = l[2][:20]; return l }, "seq 3"},
		"the first gone":   {func(l []string) []string { return l[1:] }, "seq 2 stands where 1 should"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := newSwitch(t, Options{StateDir: dir})
			for _, h := range []string{"a", "b", "c", "d"} {
				mustStop(t, s, Rule{ID: h, Host: h + ".test", Reason: "asked"})
			}
			path := filepath.Join(dir, auditFile)
			if err := VerifyAudit(path); err != nil {
				t.Fatalf("VerifyAudit of the log as it is = %v, want nil", err)
			}
			text, _ := os.ReadFile(path)
			writeFile(t, path, strings.Join(x.edit(strings.SplitAfter(string(text), "\n")), ""))
			if err := VerifyAudit(path); err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("VerifyAudit = %v, want an error with %q", err, x.want)
			}
		})
	}
}

func TestRefusalsAreAuditedByTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := newSwitch(t, Options{StateDir: dir})
		mustStop(t, s, Rule{ID: "a", Host: "a.test", Reason: "asked"})
		time.Sleep(150 * time.Second) // in the middle of a minute, so that all 50 fall into one
		for range 50 {
			_ = s.refuse(mustURL(t, "http://a.test/"), mustURL(t, "http://a.test/"), "GET")
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait() // for the line to be written
		audit, _ := os.ReadFile(filepath.Join(dir, auditFile))
		if n := bytes.Count(audit, []byte(`"refused"`)); n != 1 || !bytes.Contains(audit, []byte(`"count":50`)) {
			t.Errorf("audit log, want one line with 50 refusals:\n%s", audit)
		}
	})
}

// A scraper that is started each minute must not write down each minute what was in the stop file all the time.
func TestARestartRecordsOnlyWhatChangedInTheStopFile(t *testing.T) {
	dir := t.TempDir()
	hosts := make([]string, 300)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("h%d.test", i)
	}
	path := stopFilePath(t, fileOf(1, hosts...))
	count := func(kind string) int {
		text, err := os.ReadFile(filepath.Join(dir, auditFile))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte(kind))
	}
	for range 3 {
		s := newSwitch(t, Options{StateDir: dir, File: path})
		s.Rules()
		s.Close()
	}
	if got := count("rule.add"); got != 300 {
		t.Errorf("%d rule.add records after three starts, want 300", got)
	}
	rename(t, path, fileOf(2, append(hosts[2:], "new.test")...))
	s := newSwitch(t, Options{StateDir: dir, File: path})
	wantStopped(t, s, true, "http://h2.test/", "http://new.test/")
	wantStopped(t, s, false, "http://h1.test/")
	if add, lift := count("rule.add"), count("rule.lift"); add != 301 || lift != 2 {
		t.Errorf("%d rule.add and %d rule.lift records, want 301 and 2", add, lift)
	}
	if err := VerifyAudit(filepath.Join(dir, auditFile)); err != nil {
		t.Errorf("VerifyAudit = %v, want nil", err)
	}
}
