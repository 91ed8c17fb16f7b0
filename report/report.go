package report

import (
	"maps"
	"sync"
)

// DefaultKeep is how many skips a Report keeps when none is said.
const DefaultKeep = 10_000

// Count is how often one reason, and for robots.txt one rule, led to a skip.
type Count struct {
	Reason Reason
	Rule   string // empty where no rule decided
}

// maxCounts bounds the number of different rules that are counted one by one; further ones are counted under their reason alone.
const maxCounts = 10_000

// Report collects skips. The zero value is ready and keeps the last DefaultKeep skips; counts are kept for all of them.
// It is safe for concurrent use and neither blocks nor touches a file or the network.
type Report struct {
	// Keep is how many skips are kept at most; the oldest is dropped first and stays in the counts. Zero means DefaultKeep,
	// negative means none. It must not be changed once the report is in use.
	Keep int

	mu     sync.Mutex
	ring   []Skip
	next   int // where the next skip goes once the ring is full
	total  int
	counts map[Count]int
}

// Record adds one skip. One without a reason says nothing and is dropped.
func (r *Report) Record(s Skip) {
	if s.Reason == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total++
	if r.counts == nil {
		r.counts = make(map[Count]int)
	}
	key := Count{s.Reason, s.Rule}
	if _, known := r.counts[key]; !known && len(r.counts) >= maxCounts {
		key.Rule = ""
	}
	r.counts[key]++

	keep := r.Keep
	if keep == 0 {
		keep = DefaultKeep
	}
	switch {
	case keep < 0:
	case len(r.ring) < keep:
		r.ring = append(r.ring, s)
	default:
		r.ring[r.next] = s
		r.next = (r.next + 1) % keep
	}
}

// Skips returns the skips that are kept, oldest first. The slice is the caller's.
func (r *Report) Skips() []Skip {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Skip, 0, len(r.ring))
	out = append(out, r.ring[r.next:]...)
	return append(out, r.ring[:r.next]...)
}

// Total is the number of skips recorded so far, those no longer kept included.
func (r *Report) Total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// Counts says how many skips each reason and rule led to. The map is the caller's.
func (r *Report) Counts() map[Count]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}
