package report

import (
	"sync/atomic"
	"testing"
)

func TestTheStripKeepsTheLatestRequestsInOrder(t *testing.T) {
	var pool atomic.Int64
	pool.Store(maxMarks)
	s := strip{pool: &pool}
	for i := range 3*maxStrip + 7 {
		s.add(mark{at: int64(i)})
		all := s.all()
		if last := all[len(all)-1].at; last != int64(i) || len(all) != min(i+1, maxStrip) || all[0].at != last-int64(len(all)-1) {
			t.Fatalf("after request %d: %d kept, from %d to %d", i, len(all), all[0].at, last)
		}
		if i > maxStrip {
			i += maxStrip / 7
		}
	}
	s.free()
	if got := pool.Load(); got != maxMarks {
		t.Errorf("pool = %d once the strip is freed, want %d", got, maxMarks)
	}
}

func TestStripsShareOnePoolAndEachHasAFewMarksOfItsOwn(t *testing.T) {
	var pool atomic.Int64
	pool.Store(100)
	strips := make([]strip, 5)
	for i := range strips {
		strips[i].pool = &pool
		for n := range 1000 {
			strips[i].add(mark{at: int64(n)})
		}
	}
	sum := 0
	for i := range strips {
		all := strips[i].all()
		if len(all) < freeStrip || all[len(all)-1].at != 999 || all[0].at != int64(1000-len(all)) {
			t.Errorf("strip %d: %d marks from %d to %d, want at least %d, the latest", i, len(all), all[0].at, all[len(all)-1].at, freeStrip)
		}
		sum += len(all)
	}
	if most := 5*freeStrip + 100; sum > most || pool.Load() < 0 {
		t.Errorf("%d marks in all and %d in the pool, want at most %d and none too many", sum, pool.Load(), most)
	}
	for i := range strips {
		strips[i].free()
	}
	if got := pool.Load(); got != 100 {
		t.Errorf("pool = %d once all are freed, want 100", got)
	}
}
