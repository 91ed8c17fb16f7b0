package report

import (
	"math/bits"
	"slices"
	"time"
)

// stepsPerOctave is how many buckets the gaps between one length and its double are sorted into.
const stepsPerOctave = 4

// gaps is what was kept between the pages of a host. Memory is bounded: gaps of about one length share a bucket, and what lies in the middle is the mean of
// the bucket that holds it, which is exact where all are alike.
type gaps struct {
	smallest time.Duration
	n        int
	from     int // the step of buckets[0]
	buckets  []bucket
}

type bucket struct {
	n   int
	sum time.Duration
}

func (g *gaps) add(gap time.Duration) {
	if g.n == 0 || gap < g.smallest {
		g.smallest = gap
	}
	g.n++
	b := g.bucket(step(gap))
	b.n++
	b.sum += gap
}

// step counts up with the logarithm of the gap.
func step(gap time.Duration) int {
	us := uint64(max(gap, 0)/time.Microsecond) + stepsPerOctave
	octave := bits.Len64(us) - bits.Len64(stepsPerOctave)
	return octave*stepsPerOctave + int(us>>octave) - stepsPerOctave
}

// bucket makes room for a step. A host keeps to few of them.
func (g *gaps) bucket(at int) *bucket {
	switch {
	case len(g.buckets) == 0:
		g.from, g.buckets = at, make([]bucket, 1)
	case at < g.from:
		g.buckets = slices.Insert(g.buckets, 0, make([]bucket, g.from-at)...)
		g.from = at
	case at >= g.from+len(g.buckets):
		g.buckets = append(g.buckets, make([]bucket, at+1-g.from-len(g.buckets))...)
	}
	return &g.buckets[at-g.from]
}

// median is about the gap in the middle.
func (g *gaps) median() time.Duration {
	before := 0
	for _, b := range g.buckets {
		if before += b.n; 2*before >= g.n && b.n > 0 {
			return b.sum / time.Duration(b.n)
		}
	}
	return 0
}
