package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestTheMedianGapIsAboutTheOneInTheMiddle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var g gaps
		all := make([]time.Duration, 1+random.IntN(300))
		scale := math.Exp(random.Float64() * 20)
		for i := range all {
			all[i] = time.Duration(float64(time.Microsecond) * scale * (1 + 10*random.Float64()))
			g.add(all[i])
		}
		slices.Sort(all)
		got, want := g.median(), all[(len(all)-1)/2]
		if d := math.Abs(float64(got-want)) / float64(want); d > 0.2 && (got-want).Abs() > 5*time.Microsecond {
			t.Errorf("median of %d gaps = %v, want about %v", len(all), got, want)
		}
		if g.smallest != all[0] || g.n != len(all) {
			t.Errorf("smallest %v of %d, want %v of %d", g.smallest, g.n, all[0], len(all))
		}
	}
}

func TestTheMedianOfEqualGapsIsExact(t *testing.T) {
	var g gaps
	if got := g.median(); got != 0 {
		t.Errorf("median of nothing = %v, want 0", got)
	}
	for range 1_000_000 {
		g.add(1234567 * time.Microsecond)
	}
	g.add(time.Hour)
	g.add(0)
	if got, want := g.median(), 1234567*time.Microsecond; got != want {
		t.Errorf("median = %v, want %v", got, want)
	}
}

func TestGapsOfAllLengthsNeedLittleMemory(t *testing.T) {
	var g gaps
	for gap := time.Duration(0); gap >= 0; gap = gap*5/4 + 1 {
		g.add(gap)
		if gap > math.MaxInt64/2 {
			break
		}
	}
	g.add(math.MaxInt64)
	if got, most := len(g.buckets), 250; got > most {
		t.Errorf("%d buckets, want at most %d", got, most)
	}
	for gap, last := time.Duration(0), -1; gap < time.Hour; gap = gap*9/8 + time.Microsecond {
		if got := step(gap); got < last || got > last+1 {
			t.Fatalf("step(%v) = %d after %d, want it or the next", gap, got, last)
		} else {
			last = got
		}
	}
}
