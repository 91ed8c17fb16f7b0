package throttle

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

func TestLinesThatNobodyCanHaveMeantAreNoCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		name := filepath.Join(dir, "spent-2000-01-01.log")
		text := "no line\na.test x 1\na.test x -9 0 0\na.test x 99999999999999999999 0\na.test x 0 -5\n" + fmt.Sprintf("a.test x %d 0\n", math.MaxInt64) +
			"a.test x -5 0\n" + strings.Repeat("z", 3*longestLine) + "\na.test x 1 10\na.test x 1 0" // the last is being written
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		th := spender(t, dir, Budget{Requests: 3})
		if s, _ := th.Snapshot("a.test"); s.RequestsToday != 1 || s.BytesToday != 10 {
			t.Errorf("Snapshot = %+v, want 1 request and 10 octets", s)
		}
		mustWait(t, th, "http://a.test/").Done(nil, nil) // behind what is torn
		_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
		wantRefused(t, err, report.Budget) // what was being written is a line by now
	})
}

func TestAFileThatSomebodyRemovesIsBegunAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a, b := spender(t, dir, Budget{Requests: 4}), spender(t, dir, Budget{Requests: 4})
		for range 2 {
			mustWait(t, a, "http://a.test/").Done(nil, nil)
		}
		if err := os.Remove(filepath.Join(dir, "spent-2000-01-01.log")); err != nil {
			t.Fatal(err)
		}
		mustWait(t, b, "http://a.test/").Done(nil, nil)
		mustWait(t, a, "http://a.test/").Done(nil, nil) // its own two, and what b asked
		_, err := a.Wait(t.Context(), parse(t, "http://a.test/"))
		wantRefused(t, err, report.Budget)
	})
}

func TestAClockThatIsSetBackOverMidnightCountsNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a, b := spender(t, dir, Budget{Requests: 4}), spender(t, dir, Budget{Requests: 4})
		mustWait(t, b, "http://a.test/").Done(nil, nil)
		mustWait(t, a, "http://a.test/").Done(nil, nil) // and reads of b's
		a.spendings.mu.Lock()
		a.spendings.begin(today() + 1) // by a clock that was ahead
		a.spendings.mu.Unlock()
		mustWait(t, a, "http://a.test/").Done(nil, nil)
		if s, _ := a.Snapshot("a.test"); s.RequestsToday != 3 {
			t.Errorf("Snapshot = %+v, want 3 requests", s)
		}
		mustWait(t, b, "http://a.test/").Done(nil, nil)
		_, err := b.Wait(t.Context(), parse(t, "http://a.test/"))
		wantRefused(t, err, report.Budget)
		time.Sleep(hours24)
		mustWait(t, a, "http://a.test/").Done(nil, nil)
		if s, _ := a.Snapshot("a.test"); s.RequestsToday != 1 {
			t.Errorf("Snapshot = %+v, want 1 request on the next day", s)
		}
	})
}

func TestAClockThatIsSetBackByLessThanADayBeginsNoDayAnew(t *testing.T) {
	for ahead, want := range map[int32]int64{0: 5, 1: 5, 2: 0, -1: 0} {
		a := account{day: today() + ahead, used: tally{requests: 5}, most: tally{requests: 9}}
		if a.turn(); a.used.requests != want || a.most.requests != 9 {
			t.Errorf("counted %d days ahead of the clock: %+v, want %d requests", ahead, a, want)
		}
	}
}

func TestFilesOfDaysThatAreOverAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		th := spender(t, dir, Budget{Requests: 3})
		for range 10 {
			mustWait(t, th, "http://a.test/").Done(nil, nil)
			time.Sleep(hours24)
		}
		names, err := filepath.Glob(filepath.Join(dir, spentPrefix+"*"))
		if err != nil || len(names) > 4 {
			t.Errorf("files %q, want those of the last days", names)
		}
	})
}

func TestADirectoryThatIsGoneKeepsNobodyFromKeepingItsOwnBudget(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		var log logged
		th := restart(t, Options{StateDir: dir, Budgets: []Budget{{Requests: 2}}, Logger: log.logger(), MaxBlockWait: -1})
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			mustWait(t, th, "http://a.test/").Done(nil, nil)
		}
		_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
		wantRefused(t, err, report.Budget)
		if got := log.lines("not kept across a restart"); len(got) != 1 {
			t.Errorf("log %q, want one warning", got)
		}
	})
}
