package killswitch

import (
	"errors"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestOnChangeIsCalledAfterEveryChangeOfTheRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, path := t.TempDir(), stopFilePath(t, fileOf(1, "a.test"))
		var calls atomic.Int64
		s := newSwitch(t, Options{File: path, StateDir: dir, OnChange: func() { calls.Add(1) }})
		other := newSwitch(t, Options{StateDir: dir})
		s.Rules()
		other.Rules()
		synctest.Wait()
		if got := calls.Load(); got != 0 {
			t.Errorf("%d calls for what New found, want 0", got)
		}
		for _, x := range []struct {
			name   string
			change func()
			wait   time.Duration
		}{
			{"a stop in code", func() { mustStop(t, s, Rule{ID: "b", Host: "b.test", Reason: "asked"}) }, 0},
			{"a lift in code", func() { _ = s.Lift("b", "agreed") }, 0},
			{"a stop of another process", func() { mustStop(t, other, Rule{ID: "c", Host: "c.test", Reason: "asked"}) }, time.Second},
			{"a lift of another process", func() { _ = other.Lift("c", "agreed") }, time.Second},
			{"a rule with an end", func() {
				mustStop(t, s, Rule{ID: "d", Host: "d.test", Until: time.Now().Add(time.Minute), Reason: "asked"})
			}, 0},
			{"the end", func() {}, time.Minute + time.Second},
			{"a rule more in the file", func() { rename(t, path, fileOf(2, "a.test", "e.test")) }, time.Second},
			{"a rule less in the file", func() { rename(t, path, fileOf(3, "a.test")) }, 4 * time.Second},
		} {
			before := calls.Load()
			x.change()
			time.Sleep(x.wait)
			synctest.Wait()
			if got := calls.Load() - before; got != 1 {
				t.Errorf("%s: OnChange called %d times, want once", x.name, got)
			}
		}
		before := calls.Load()
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := calls.Load() - before; got != 0 {
			t.Errorf("OnChange called %d times in an hour without a change, want never", got)
		}
	})
}

func TestAnEndIsNoticedWithoutFilesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		s := newSwitch(t, Options{OnChange: func() { calls.Add(1) }})
		mustStop(t, s, Rule{Host: "a.test", Until: time.Now().Add(time.Minute), Reason: "asked"})
		time.Sleep(time.Minute + DefaultPoll)
		synctest.Wait()
		if got := calls.Load(); got != 2 {
			t.Errorf("OnChange called %d times, want twice: the stop and its end", got)
		}
	})
}

// A function of the program that hangs, or calls the Switch, must not keep a stop from coming into force.
func TestWhatTheProgramDoesWhenItIsCalledHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := stopFilePath(t, fileOf(1, "a.test"))
		hang := make(chan struct{})
		alarms := 0
		var s *Switch
		s = newSwitch(t, Options{File: path, OnAlarm: func(error) {
			_ = s.Reload()
			_ = s.Rules()
			alarms++
			<-hang
		}, OnChange: func() { mustStop(t, s, Rule{ID: "from-within", Host: "w.test", Reason: "asked"}) }})
		wantStopped(t, s, true, "http://a.test/")
		time.Sleep(100 * time.Millisecond) // from here on nothing is written at the moment of a poll
		writeFile(t, path, "{")
		time.Sleep(time.Second) // OnAlarm hangs now
		os.Remove(path)
		time.Sleep(time.Second)
		writeFile(t, path, fileOf(2, "a.test", "b.test"))
		time.Sleep(time.Second)
		wantStopped(t, s, true, "http://a.test/", "http://b.test/")
		close(hang)
		synctest.Wait()
		wantStopped(t, s, true, "http://w.test/")
		if alarms != 2 {
			t.Errorf("%d alarms, want 2", alarms)
		}
	})
}

func TestNothingIsCalledAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		s := newSwitch(t, Options{OnChange: func() { calls.Add(1) }})
		s.Close()
		mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
		synctest.Wait()
		if got := calls.Load(); got != 0 {
			t.Errorf("OnChange called %d times after Close, want never", got)
		}
	})
}

func TestTheFilterOfAFrontierGivesTheErrorOfTheRequest(t *testing.T) {
	s := newSwitch(t, Options{})
	mustStop(t, s, Rule{ID: "ks-1", Domain: "a.test", Reason: "asked"})
	u, _ := url.Parse("https://u:p@www.a.test/x")
	err := s.Filter(u)
	var e *Error
	if !errors.As(err, &e) || e.Rule.ID != "ks-1" || e.Host != "www.a.test" || strings.Contains(e.URL, ":p@") || !errors.Is(err, ErrStopped) {
		t.Errorf("Filter = %v, want an *Error of rule ks-1 for www.a.test without the password", err)
	}
	if err := s.Filter(mustURL(t, "https://b.test/")); err != nil {
		t.Errorf("Filter of another host = %v, want nil", err)
	}
}
