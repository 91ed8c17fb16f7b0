package throttle

import (
	"slices"
	"sync/atomic"
	"time"
)

// Measures are what a Throttle has measured since it was made, and how its hosts stand now: for a monitoring system. What is counted never gets smaller.
type Measures struct {
	// Waits are how long requests waited for their turn, robots.txt included: from when they came into their host's line to when they were handed over.
	Waits Durations
	// Latency is how much of that was not owed to anybody: how long after the host, its block and the ceilings allowed a start it was handed over.
	// While several requests to a host may be under way it is somewhat too small.
	Latency Durations
	// IdleBodies counts turns that were ended while the request was under way, since its body had not been read for 5 s and another request waited.
	IdleBodies int

	// Blocked and Parked count hosts. A host that is both is parked.
	Blocked, Parked int
}

// Durations counts durations by their length.
type Durations struct {
	// Bounds are the upper ends of the classes, each included, in rising order.
	Bounds []time.Duration
	// Counts says how many fell into each class; the last, which is one more than the bounds, is what was longer than all of them.
	Counts []int
	// Sum is all of them together.
	Sum time.Duration
}

// Measures looks at every host: it is made to be called every few seconds, not for every request.
func (t *Throttle) Measures() Measures {
	m := Measures{Waits: t.measured.waits.read(waitBounds), Latency: t.measured.latency.read(latencyBounds), IdleBodies: int(t.measured.idleBodies.Load())}
	now := t.now()
	for i := range t.hosts.shards {
		s := &t.hosts.shards[i]
		s.mu.Lock()
		s.table.all(func(h *host) {
			switch {
			case h.more == nil:
			case now < h.more.parked:
				m.Parked++
			case now < h.more.block.until:
				m.Blocked++
			}
		})
		s.mu.Unlock()
	}
	return m
}

// frontiersInUse are those that somebody still uses.
func (t *Throttle) frontiersInUse() []*Frontier {
	var all []*Frontier
	if known := t.frontiers.Load(); known != nil {
		for _, w := range *known {
			if f := w.Value(); f != nil {
				all = append(all, f)
			}
		}
	}
	return all
}

// held is how many requests are in memory.
func (f *Frontier) held() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.total
}

// The classes: a wait is a matter of seconds to an hour, latency one of scheduling.
var (
	waitBounds = []time.Duration{
		10 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
	}
	latencyBounds = []time.Duration{
		10 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond,
		5 * time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second, 5 * time.Second,
	}
)

// measured is what is counted at each request.
type measured struct {
	waits, latency durations
	idleBodies     atomic.Int64
}

// sent takes in a request that is handed over, in nanoseconds.
func (m *measured) sent(waited, late int64) {
	m.waits.add(waitBounds, waited)
	m.latency.add(latencyBounds, late)
}

// durations is Durations in the making. It needs no lock, and a request costs two additions and a few comparisons.
type durations struct {
	counts [16]atomic.Int64 // one more than there are bounds is used
	sum    atomic.Int64
}

func (d *durations) add(bounds []time.Duration, ns int64) {
	ns = max(ns, 0)
	i := 0
	for i < len(bounds) && ns > int64(bounds[i]) {
		i++
	}
	d.counts[i].Add(1)
	d.sum.Add(ns)
}

func (d *durations) read(bounds []time.Duration) Durations {
	out := Durations{Bounds: slices.Clone(bounds), Counts: make([]int, len(bounds)+1), Sum: time.Duration(d.sum.Load())}
	for i := range out.Counts {
		out.Counts[i] = int(d.counts[i].Load())
	}
	return out
}
