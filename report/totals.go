package report

import (
	"maps"
	"slices"
)

// Totals are what was counted over all hosts, those that were forgotten included. None of them ever gets smaller, so they are fit for a monitoring system.
type Totals struct {
	Requests int // on the wire, each hop counted, robots.txt included
	Robots   int // of these, fetches of robots.txt
	Bytes    int64
	Answers  Answers // how the requests ended; those under way are not among them yet

	Broken            int // promises that were not kept
	BrokenCrawlDelays int // of these, crawl delays
	BrokenBlocks      int // of these, blocks after a 429 or 503; the rest are intervals

	Blocks, Parkings, Stops int // how often a host was left alone

	Skipped int
	Reasons map[Reason]int // the skips by their reason; the map is the caller's
}

// Totals adds up all hosts. It asks no source and copies no host, and so costs far less than Summary.
func (r *Report) Totals() Totals {
	var all sums
	gone := r.table().each(func(t *tally) { all.add(&t.sums) })
	all.add(&gone.sums)
	t := Totals{
		Requests: all.requests, Robots: all.robots, Bytes: all.bytes, Answers: all.answers,
		Broken: all.broken, BrokenCrawlDelays: all.brokenDelays, BrokenBlocks: all.brokenBlocks,
		Blocks: all.blocks, Parkings: all.parkings, Stops: all.stops,
	}
	t.Skipped, t.Reasons = r.byReason()
	return t
}

// byReason is how many skips there were, and why.
func (r *Report) byReason() (int, map[Reason]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why := make(map[Reason]int)
	for c, n := range r.counts {
		why[c.Reason] += n
	}
	return r.total, why
}

// Reasons is the closed list of reasons, by name. The slice is the caller's.
func Reasons() []Reason { return slices.Sorted(maps.Keys(reasons)) }
