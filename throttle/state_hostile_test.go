package throttle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// otherFile puts a file of another process into the directory.
func otherFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// owedFor is how long a host is still left alone.
func owedFor(th *Throttle, host string) time.Duration {
	s, _ := th.Snapshot(host)
	if s.Until.IsZero() {
		return 0
	}
	return time.Until(s.Until)
}

func blockNote(host string, at, until time.Time) string {
	return fmt.Sprintf(`{"host":%q,"at":%d,"block":%d,"level":1}`+"\n", host, at.UnixMilli(), until.UnixMilli())
}

func TestADirectoryOfAnyNameIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "bot[1]*?")
		restart(t, Options{StateDir: dir})
		otherFile(t, dir, "throttle-1-a.log", blockNote("a.test", time.Now(), time.Now().Add(time.Hour)))
		if got := owedFor(restart(t, Options{StateDir: dir}), "a.test"); got != time.Hour {
			t.Errorf("the block is in force for %v, want 1h", got)
		}
	})
}

func TestARelativeDirectoryStaysWhereItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	th := restart(t, Options{StateDir: "state", Rules: []LimitRule{{Delay: time.Hour}}})
	t.Chdir(t.TempDir())
	mustWait(t, th, "http://a.test/").Done(nil, nil)
	s, _ := restart(t, Options{StateDir: filepath.Join(here, "state")}).Snapshot("a.test")
	if s.NextStart.IsZero() {
		t.Error("nothing is known of the host after the process went to another directory, want its next start")
	}
}

func TestGarbageAndWhatCannotBeReadKeepNothingElseFromBeingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		th := restart(t, Options{StateDir: dir, Logger: quiet()})
		if err := os.Mkdir(filepath.Join(dir, "throttle-0-0.log"), 0o700); err != nil {
			t.Fatal(err)
		}
		garbage := strings.Repeat("\x00{", 3*longestLine) + "\n"
		otherFile(t, dir, "throttle-1-a.log", garbage+blockNote("a.test", time.Now(), time.Now().Add(time.Hour)))
		otherFile(t, dir, "throttle-2-b.log", strings.Repeat("x", 2*longestLine))
		th.state.refresh()
		if got := owedFor(th, "a.test"); got != time.Hour {
			t.Errorf("the block behind the garbage is in force for %v, want 1h", got)
		}
	})
}

func TestAFileThatIsWrittenAnewInPlaceIsReadFromItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		th := restart(t, Options{StateDir: dir})
		hour := time.Now().Add(time.Hour)
		otherFile(t, dir, "throttle-1-a.log", blockNote("a.test", time.Now(), hour))
		th.state.refresh()
		otherFile(t, dir, "throttle-1-a.log", blockNote("b.test", time.Now(), hour)+blockNote("c.test", time.Now(), hour))
		th.state.refresh()
		for _, host := range []string{"a.test", "b.test", "c.test"} {
			if got := owedFor(th, host); got != time.Hour {
				t.Errorf("the block of %s is in force for %v, want 1h", host, got)
			}
		}
	})
}

func TestATornWriteSpoilsNoOtherLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		th := restart(t, Options{StateDir: dir})
		otherFile(t, dir, th.state.own, `{"host":"torn.te`) // the disk was full
		th.state.torn = true
		th.state.write(note{Host: "a.test", At: time.Now().UnixMilli(), Parked: time.Now().Add(time.Hour).UnixMilli(), Reason: report.AccessDenied})
		if got := owedFor(restart(t, Options{StateDir: dir}), "a.test"); got != time.Hour {
			t.Errorf("the host is parked for %v, want 1h", got)
		}
	})
}

func TestAClockThatWasSetBackProlongsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		later := time.Now().Add(365 * 24 * time.Hour)
		otherFile(t, dir, "throttle-1-a.log", blockNote("a.test", later, later.Add(time.Hour)))
		if got := owedFor(restart(t, Options{StateDir: dir}), "a.test"); got != time.Hour {
			t.Errorf("a block of an hour that was noted a year ahead is in force for %v, want 1h", got)
		}
	})
}

func TestANoteThatMakesNoSenseIsOnTheSafeSide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		hour := time.Now().Add(time.Hour).UnixMilli()
		otherFile(t, dir, "throttle-1-a.log", fmt.Sprintf(`{"host":"unknown.test","parked":%d,"reason":"because"}
{"host":"none.test","parked":%d}
{"host":"level.test","block":%d,"level":255}
{"host":"never.test","block":9223372036854775807,"at":-9223372036854775808}
{"host":"next.test","next":9223372036854775807}
{"host":"http://no host/","parked":%d}
`, hour, hour, hour, hour))
		th := restart(t, Options{StateDir: dir, Logger: quiet()})
		for _, host := range []string{"unknown.test", "none.test"} {
			_, err := th.Wait(t.Context(), parse(t, "http://"+host+"/"))
			wantRefused(t, err, report.AccessDenied)
		}
		for _, host := range []string{"level.test", "never.test"} {
			_, err := th.Wait(t.Context(), parse(t, "http://"+host+"/"))
			wantRefused(t, err, report.RateLimited)
		}
		if s, _ := th.Snapshot("next.test"); time.Until(s.NextStart) < 100*365*24*time.Hour {
			t.Errorf("next start %v, want one that is far away", s.NextStart)
		}
		time.Sleep(61 * time.Minute)
		mustWait(t, th, "http://level.test/").Done(response(429), nil)
		if got := owedFor(th, "level.test"); got < lastBlock {
			t.Errorf("the next block of a host at the last level lasts %v, want at least %v", got, lastBlock)
		}
	})
}

func TestALiftHoldsAcrossARestartAndEndsNothingLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{StateDir: t.TempDir(), Logger: quiet()}
		before := restart(t, o)
		mustWait(t, before, "http://a.test/").Done(response(429, "Retry-After", "3600"), nil)
		time.Sleep(time.Minute)
		if err := before.Unpark("a.test", "a test"); err != nil {
			t.Fatal(err)
		}
		after := restart(t, o) // before has crashed
		if got := owedFor(after, "a.test"); got != 0 {
			t.Errorf("after a restart the block that was lifted is in force for %v, want not at all", got)
		}

		other := restart(t, Options{StateDir: t.TempDir(), Logger: quiet()})
		lifted := note{Host: "b.test", At: time.Now().UnixMilli(), Lifted: true}
		time.Sleep(time.Minute)
		for range 10 {
			mustWait(t, other, "http://b.test/").Done(response(403), nil)
		}
		other.recall(lifted) // found late
		if s, _ := other.Snapshot("b.test"); s.Parked != report.AccessDenied {
			t.Errorf("a lift from before has lifted what came later: %+v", s)
		}
	})
}

func TestADebtAlwaysHasRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var text strings.Builder
		for i := range 10 {
			text.WriteString(blockNote(fmt.Sprintf("h%d.test", i), time.Now(), time.Now().Add(time.Hour)))
		}
		otherFile(t, dir, "throttle-1-a.log", text.String())
		th := restart(t, Options{StateDir: dir, MaxHosts: 3})
		for i := range 10 {
			if host := fmt.Sprintf("h%d.test", i); owedFor(th, host) != time.Hour {
				t.Errorf("the block of %s is in force for %v, want 1h", host, owedFor(th, host))
			}
		}
		_, err := th.Wait(t.Context(), parse(t, "http://new.test/"))
		wantRefused(t, err, report.HostTableFull)
	})
}
