package ratio

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func sleeper(name string, each time.Duration, turns *string) Contender {
	return Contender{name, func(n int) {
		*turns += name
		time.Sleep(time.Duration(n) * each)
	}}
}

func TestRatioOfTwoContenders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns string
		r := ByTurns(5, time.Second, sleeper("a", 70*time.Microsecond, &turns), sleeper("b", 7*time.Millisecond, &turns))
		if got, want := r.PerCall("a"), 70*time.Microsecond; got != want {
			t.Errorf("PerCall(a) = %v, want %v", got, want)
		}
		if got, want := r.Times("b", "a"), 100.0; got != want {
			t.Errorf("Times(b, a) = %v, want %v", got, want)
		}
		if want := strings.Repeat("ab", 5*parts); !strings.HasSuffix(turns, want) {
			t.Errorf("turns taken: %s, want %s at the end", turns, want)
		}
		if got := r.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "70000.0 ns") {
			t.Errorf("String() = %q, want a line for each contender with its cost", got)
		}
	})
}

func TestEachTurnTakesTheLeastTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, each := range []time.Duration{1, time.Microsecond, time.Millisecond, time.Minute} {
			var turns string
			n := callsFor(sleeper("a", each, &turns), time.Second)
			if took := time.Duration(n) * each; took < time.Second {
				t.Errorf("calls of %v each: %d of them take %v, want 1s at least", each, n, took)
			} else if took > 2*time.Second+each {
				t.Errorf("calls of %v each: %d of them take %v, far more than 1s", each, n, took)
			}
		}
	})
}

func TestADisturbedRoundDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns string
		calm := sleeper("calm", time.Millisecond, &turns)
		round := 0
		shaken := Contender{"shaken", func(n int) {
			if round++; round%3 == 0 {
				time.Sleep(time.Hour)
			}
			time.Sleep(time.Duration(n) * 3 * time.Millisecond)
		}}
		r := ByTurns(7, 100*time.Millisecond, calm, shaken)
		if got, want := r.Times("shaken", "calm"), 3.0; got != want {
			t.Errorf("Times = %v, want %v", got, want)
		}
	})
}

func TestASlowContenderHasOneCallInEachRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns string
		r := ByTurns(3, time.Second, sleeper("a", time.Millisecond, &turns), sleeper("b", time.Minute, &turns))
		if got, most := strings.Count(turns, "b"), 4; got > most { // one to see how slow it is
			t.Errorf("the slow one had %d turns, want %d at most", got, most)
		}
		if got, want := r.Times("b", "a"), 60_000.0; got != want {
			t.Errorf("Times(b, a) = %v, want %v", got, want)
		}
	})
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		in   []float64
		want float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(tt.in); got != tt.want {
			t.Errorf("median(%v) = %v, want %v", tt.in, got, tt.want)
		}
	}
}
