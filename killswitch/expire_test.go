package killswitch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAClockThatIsSetWrongAndRightAgainLosesNoStop(t *testing.T) {
	dir := t.TempDir()
	path := stopFilePath(t, `{"version": 1, "rules": [{"id": "f", "host": "f.test", "until": "2100-01-01T00:00:00Z", "reason": "asked"}]}`)
	s := newSwitch(t, Options{StateDir: dir, File: path, Poll: 24 * time.Hour})
	mustStop(t, s, Rule{ID: "a", Host: "a.test", Until: time.Now().Add(72 * time.Hour), Reason: "asked"})
	wrong := time.Now().AddDate(200, 0, 0)
	for range 20 { // ten seconds of looking at a wrong clock
		s.expire(wrong)
		wrong = wrong.Add(DefaultPoll)
	}
	for _, id := range []string{"a", "f"} {
		if rep, err := s.Report(id); err != nil || rep.Lifted.IsZero() {
			t.Errorf("Report(%s) = %+v, %v, want one that has ended", id, rep, err)
		}
	}
	s.expire(time.Now())
	wantStopped(t, s, true, "http://a.test/", "http://f.test/")
	for _, id := range []string{"a", "f"} {
		if rep, err := s.Report(id); err != nil || !rep.Lifted.IsZero() {
			t.Errorf("Report(%s) = %+v, %v, want one in force", id, rep, err)
		}
	}
	s.Close()
	wantStopped(t, newSwitch(t, Options{StateDir: dir, File: path}), true, "http://a.test/", "http://f.test/")
}

func TestARuleThatIsLongOverIsForgottenOnTheDiskToo(t *testing.T) {
	dir := t.TempDir()
	s := newSwitch(t, Options{StateDir: dir, Poll: 24 * time.Hour})
	mustStop(t, s, Rule{ID: "a", Host: "a.test", Until: time.Now().Add(time.Hour), Reason: "asked"})
	mustStop(t, s, Rule{ID: "b", Host: "b.test", Reason: "asked"})
	other := newSwitch(t, Options{StateDir: dir, Poll: 24 * time.Hour})
	for _, later := range []time.Duration{time.Hour, 90 * time.Minute, 121 * time.Minute} {
		s.expire(time.Now().Add(later))
		other.expire(time.Now().Add(later))
	}
	text, _ := os.ReadFile(filepath.Join(dir, stopsFile))
	if got := strings.Count(string(text), `"op":"lift","id":"a"`); got != 1 {
		t.Errorf("%d lifts of a by two processes, want 1:\n%s", got, text)
	}
	if rep, err := s.Report("a"); err != nil || rep.LiftReason != "expired" {
		t.Errorf("Report = %+v, %v, want one that expired", rep, err)
	}
	wantStopped(t, s, true, "http://b.test/")
}

// The ID of a rule that has ended by itself is free: a new rule under it is not forgotten together with the old one.
func TestANewRuleUnderTheIDOfOneThatIsOver(t *testing.T) {
	dir := t.TempDir()
	s := newSwitch(t, Options{StateDir: dir, Poll: 24 * time.Hour})
	mustStop(t, s, Rule{ID: "a", Host: "a.test", Until: time.Now().Add(50 * time.Millisecond), Reason: "asked"})
	<-time.After(60 * time.Millisecond)
	s.expire(time.Now())
	mustStop(t, s, Rule{ID: "a", Host: "a.test", Reason: "asked again"})
	s.expire(time.Now().Add(3 * time.Hour))
	wantStopped(t, s, true, "http://a.test/")
	if rep, err := s.Report("a"); err != nil || rep.Rule.Reason != "asked again" || !rep.Lifted.IsZero() {
		t.Errorf("Report = %+v, %v, want the rule in force", rep, err)
	}
	s.Close()
	s = newSwitch(t, Options{StateDir: dir})
	wantStopped(t, s, true, "http://a.test/")
	if err := s.Lift("a", "agreed"); err != nil {
		t.Errorf("Lift = %v, want nil", err)
	}
	wantStopped(t, s, false, "http://a.test/")
}
