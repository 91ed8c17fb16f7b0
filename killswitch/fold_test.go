package killswitch

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stateful is a switch that folds its records early and looks at the disk only when it is told to.
func stateful(t testing.TB, dir string) *Switch {
	s := newSwitch(t, Options{StateDir: dir, Poll: 24 * time.Hour})
	s.Rules() // the first use
	s.state.slack, s.state.foldAt = 4, 4
	return s
}

func ids(s *Switch) []string {
	var out []string
	for _, r := range s.Rules() {
		out = append(out, r.ID)
	}
	return out
}

func wantIDs(t testing.TB, s *Switch, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, ids(s)); d != "" {
		t.Errorf("rules in force: -want +got\n%s", d)
	}
}

func lines(t testing.TB, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

func stopAndLift(t testing.TB, s *Switch, times int) {
	t.Helper()
	for i := range times {
		id := mustStop(t, s, Rule{ID: fmt.Sprint("short-", i), Host: "short.test", Reason: "asked"})
		if err := s.Lift(id, "agreed"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheRecordsAreAsManyAsTheRulesInForceNotAsThoseThatEverWere(t *testing.T) {
	dir := t.TempDir()
	s := stateful(t, dir)
	mustStop(t, s, Rule{ID: "a", Host: "a.test", Reason: "asked", Ticket: "OPS-1"})
	mustStop(t, s, Rule{ID: "b", Domain: "b.test", Path: "/x*", Action: Drain, Reason: "asked"})
	before, err := s.Report("a")
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for range 20 {
		stopAndLift(t, s, 5)
		most = max(most, lines(t, filepath.Join(dir, stopsFile)))
	}
	if limit := 2*3 + 4 + 2; most > limit {
		t.Errorf("%d lines, want at most %d for two rules in force", most, limit)
	}
	s.Close()
	s = stateful(t, dir)
	wantIDs(t, s, "a", "b")
	after, err := s.Report("a")
	if d := cmp.Diff(before, after); d != "" || err != nil {
		t.Errorf("Report after a restart: %v, -before +after\n%s", err, d)
	}
}

func TestAnotherProcessFollowsTheRecordsThatWerePutTogetherAnew(t *testing.T) {
	dir := t.TempDir()
	one, two := stateful(t, dir), stateful(t, dir)
	mustStop(t, two, Rule{ID: "lasting", Host: "a.test", Reason: "asked"})
	mustStop(t, two, Rule{ID: "lifted", Host: "b.test", Reason: "asked"})
	one.look()
	if err := one.Lift("lifted", "agreed"); err != nil {
		t.Fatal(err)
	}
	stopAndLift(t, one, 10) // the record of the lift is gone with this
	mustStop(t, one, Rule{ID: "new", Host: "c.test", Reason: "asked"})
	two.look()
	wantIDs(t, two, "lasting", "new")
	if rep, err := two.Report("lifted"); err != nil || rep.Lifted.IsZero() {
		t.Errorf("Report of the lifted = %+v, %v, want when it was lifted", rep, err)
	}

	mustStop(t, two, Rule{ID: "newer", Host: "d.test", Reason: "asked"})
	one.look()
	wantIDs(t, one, "lasting", "new", "newer")
	wantIDs(t, stateful(t, dir), "lasting", "new", "newer")
}

// A stop that this process could not write yet is no stop that somebody else has lifted.
func TestAStopThatTheDiskDidNotTakeOutlivesTheRecordsPutTogetherAnew(t *testing.T) {
	dir := t.TempDir()
	one, two := stateful(t, dir), stateful(t, dir)
	again := diskTakesNothing(t, two)
	if _, err := two.Stop(Rule{ID: "a", Host: "a.test", Reason: "asked"}); !errors.Is(err, ErrNotSaved) {
		t.Errorf("Stop on a full disk = %v, want ErrNotSaved", err)
	}
	two.look()
	two.look()
	again()
	stopAndLift(t, one, 10)
	if err := two.sync(lockPatience, nil); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, two, "a")
	two.look()
	audit, _ := os.ReadFile(filepath.Join(dir, auditFile))
	if got := strings.Count(string(audit), `"event":"rule.add","source":"code","rule":{"id":"a"`); got != 1 {
		t.Errorf("%d rule.add records of a, want 1:\n%s", got, audit)
	}
	wantIDs(t, two, "a")
	one.look()
	wantIDs(t, one, "a")
}

// diskTakesNothing lets each writing of records fail, until the returned function is called.
func diskTakesNothing(t testing.TB, s *Switch) (again func()) {
	t.Helper()
	f, err := os.Open(s.state.path(stopsFile)) // for reading only
	if err != nil {
		t.Fatal(err)
	}
	swap := func(f *os.File) (was *os.File) {
		s.state.mu.Lock()
		defer s.state.mu.Unlock()
		was, s.state.stops = s.state.stops, f
		return was
	}
	was := swap(f)
	return func() { swap(was).Close() }
}

func TestACrashWhileTheRecordsArePutTogetherAnewLosesNothing(t *testing.T) {
	copyOf := func(t *testing.T, dir, name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, crash := range map[string]func(t *testing.T, dir, stops, size string){
		"before the new file was whole": func(t *testing.T, dir, stops, size string) {
			writeFile(t, filepath.Join(dir, stopsFile+".new"), copyOf(t, dir, stopsFile)[:30])
			writeFile(t, filepath.Join(dir, stopsFile), stops)
			writeFile(t, filepath.Join(dir, sizeFile), size)
		},
		"before it took the name": func(t *testing.T, dir, stops, size string) {
			writeFile(t, filepath.Join(dir, stopsFile+".new"), copyOf(t, dir, stopsFile))
			writeFile(t, filepath.Join(dir, stopsFile), stops)
			writeFile(t, filepath.Join(dir, sizeFile), size)
		},
		"before its size was noted": func(t *testing.T, dir, stops, size string) {
			writeFile(t, filepath.Join(dir, sizeFile), size)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := stateful(t, dir)
			mustStop(t, s, Rule{ID: "a", Host: "a.test", Reason: "asked"})
			s.state.foldAt = 1000
			stopAndLift(t, s, 10)
			stops, size := copyOf(t, dir, stopsFile), copyOf(t, dir, sizeFile)
			s.state.foldAt = 4
			mustStop(t, s, Rule{ID: "b", Host: "b.test", Reason: "asked"})
			want := []string{"a", "b"}
			if strings.HasPrefix(name, "before its size") {
				stops = ""
			} else {
				want = []string{"a"} // the crash came before the stop of b was answered
			}
			s.Close()
			crash(t, dir, stops, size)
			s = stateful(t, dir)
			wantIDs(t, s, want...)
			stopAndLift(t, s, 10)
			wantIDs(t, stateful(t, dir), want...)
		})
	}
}

// What was lost by somebody's hand is not covered up: nothing is written to what is left, stops are said not to be saved, and the next start is an error.
func TestRecordsThatAreTamperedWithWhileInUseAreNotWrittenTo(t *testing.T) {
	for name, spoil := range map[string]func(path, old string) error{
		"removed":           func(path, _ string) error { return os.Remove(path) },
		"cut":               func(path, _ string) error { return os.Truncate(path, 0) },
		"an old copy":       func(path, old string) error { return os.Rename(old, path) },
		"another directory": func(path, _ string) error { return os.Rename(path, path+".moved") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, stopsFile)
			s := stateful(t, dir)
			mustStop(t, s, Rule{ID: "a", Host: "a.test", Reason: "asked"})
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			old := filepath.Join(t.TempDir(), "old")
			writeFile(t, old, string(text))
			stopAndLift(t, s, 10)
			if err := spoil(path, old); err != nil {
				t.Fatal(err)
			}
			id, err := s.Stop(Rule{ID: "b", Host: "b.test", Reason: "asked"})
			if id != "b" || !errors.Is(err, ErrNotSaved) {
				t.Errorf("Stop = %q, %v, want b and ErrNotSaved", id, err)
			}
			if err := s.Lift("a", "agreed"); !errors.Is(err, ErrNotSaved) {
				t.Errorf("Lift = %v, want ErrNotSaved", err)
			}
			s.look()
			wantStopped(t, s, true, "http://a.test/", "http://b.test/")
			s.Close()
			if _, err := New(Options{StateDir: dir, Logger: quiet}); err == nil {
				t.Error("New = nil, want an error: stops are lost")
			}
		})
	}
}

// The note of the size is a lower bound. That it cannot be written must not make two out of what this process and the others take for lifted.
func TestALiftHoldsThoughTheSizeCannotBeNoted(t *testing.T) {
	dir := t.TempDir()
	one, two := stateful(t, dir), stateful(t, dir)
	mustStop(t, one, Rule{ID: "a", Host: "a.test", Reason: "asked"})
	two.look()
	note := filepath.Join(dir, sizeFile)
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(note, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := one.Lift("a", "agreed")
	two.look()
	if got, want := ids(two), ids(one); !slices.Equal(got, want) || (err == nil) != (len(got) == 0) {
		t.Errorf("Lift = %v, in force here %q and there %q, want the same", err, want, got)
	}
	_, err = one.Stop(Rule{ID: "b", Host: "b.test", Reason: "asked"})
	two.look()
	if got, want := ids(two), []string{"b"}; !slices.Equal(got, want) || err != nil {
		t.Errorf("Stop = %v, in force there %q, want %q", err, got, want)
	}
}

// Three processes with one directory do what comes into their heads. Whoever looks, or starts anew, finds what a single process would have.
func TestManyProcessesAgreeWhateverTheyDo(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	rng := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	var all [3]*Switch
	for i := range all {
		all[i] = stateful(t, dir)
	}
	want := make(map[string]bool)
	for round := range rounds {
		i := rng.IntN(len(all))
		s := all[i]
		id := fmt.Sprint("r", rng.IntN(8))
		switch rng.IntN(5) {
		case 0, 1:
			s.look() // it knows what the others did, as it does half a second later
			if !want[id] {
				mustStop(t, s, Rule{ID: id, Host: id + ".test", Reason: fmt.Sprint("round ", round)})
				want[id] = true
			}
		case 2, 3:
			s.look()
			if err := s.Lift(id, "agreed"); (err == nil) != want[id] {
				t.Fatalf("round %d: Lift(%s) = %v, but in force: %v", round, id, err, want[id])
			}
			delete(want, id)
		case 4:
			s.Close()
			all[i] = stateful(t, dir)
		}
		for _, s := range all {
			if rng.IntN(3) > 0 {
				continue
			}
			s.look()
			if got, want := ids(s), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
				t.Fatalf("round %d: in force %q, want %q", round, got, want)
			}
		}
	}
	if got := all[0].state.generation; got < 5 {
		t.Errorf("the records were put together anew %d times, want it often: the test says nothing", got)
	}
}

func TestWhatIsInForceOfAJournal(t *testing.T) {
	stop := func(id, host string) string {
		return fmt.Sprintf(`{"op":"stop","id":%q,"time":"2026-11-30T00:00:00Z","source":"code","rule":{"host":%q}}`+"\n", id, host)
	}
	lift := func(id string) string {
		return fmt.Sprintf(`{"op":"lift","id":%q,"time":"2026-11-30T00:00:00Z","source":"code"}`+"\n", id)
	}
	for _, x := range []struct {
		name, text, want string
	}{
		{"nothing", "", ""},
		{"a stop", stop("a", "a.test"), stop("a", "a.test")},
		{"lifted", stop("a", "a.test") + lift("a"), ""},
		{"lifted and made again", stop("a", "a.test") + lift("a") + stop("a", "a.test"), stop("a", "a.test")},
		{"lifted before it was made", lift("a") + stop("a", "a.test"), stop("a", "a.test")},
		{"twice", stop("a", "a.test") + stop("a", "a.test"), stop("a", "a.test")},
		{"one id, two rules", stop("a", "a.test") + stop("a", "b.test"), stop("a", "a.test") + stop("a", "b.test")},
		{"one id, two rules, lifted", stop("a", "a.test") + stop("a", "b.test") + lift("a"), ""},
		{"in their order", stop("b", "b.test") + stop("c", "c.test") + stop("a", "a.test") + lift("c"), stop("b", "b.test") + stop("a", "a.test")},
	} {
		var j journal
		j.readHead([]byte(x.text))
		j.readLines([]byte(x.text))
		if got := string(bytes.Join(j.inForce(), nil)); got != x.want || j.err() != nil {
			t.Errorf("%s: in force %q, %v, want %q", x.name, got, j.err(), x.want)
		}
	}
}
