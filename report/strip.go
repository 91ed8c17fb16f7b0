package report

import (
	"sync/atomic"
)

const (
	// maxStrip is how many requests of a host are kept for the drawing, the latest.
	maxStrip = 2_000
	// freeStrip is how many of them each host may have; all that hosts have beyond it is taken from one pool of maxMarks.
	freeStrip = 16
	maxMarks  = 1 << 20
)

// mark is one request in the drawing.
type mark struct {
	at     int64
	ratio  float32 // of the gap that was kept to the one that was promised; negative: nothing was promised
	robots bool
}

func newMark(p breach, robots bool) mark {
	m := mark{at: p.at, ratio: -1, robots: robots}
	if p.promised > 0 {
		m.ratio = float32(float64(p.kept) / float64(p.promised))
	}
	return m
}

// strip is the latest requests of a host.
type strip struct {
	pool  *atomic.Int64 // how many marks are left for all hosts
	marks []mark
	next  int // where the next mark goes once marks is full
}

func (s *strip) add(m mark) {
	if len(s.marks) == cap(s.marks) && !s.grow() {
		s.marks[s.next] = m
		s.next = (s.next + 1) % len(s.marks)
		return
	}
	s.marks = append(s.marks, m)
}

// grow doubles the room while there is some.
func (s *strip) grow() bool {
	was := cap(s.marks)
	size := min(max(2*was, 4), maxStrip)
	if size == was || s.next != 0 {
		return false
	}
	if take := int64(size - max(was, freeStrip)); take > 0 && s.pool.Add(-take) < 0 {
		s.pool.Add(take)
		return false
	}
	bigger := make([]mark, len(s.marks), size)
	copy(bigger, s.marks)
	s.marks = bigger
	return true
}

// free gives the room back.
func (s *strip) free() {
	if more := cap(s.marks) - freeStrip; more > 0 {
		s.pool.Add(int64(more))
	}
	s.marks = nil
}

// all is a copy of the marks, oldest first.
func (s *strip) all() []mark {
	return append(append(make([]mark, 0, len(s.marks)), s.marks[s.next:]...), s.marks[:s.next]...)
}
