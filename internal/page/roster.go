package page

import (
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// roster is the list of hosts as it was read last. Reading it costs a look at each host, so all who ask within a moment get the same one.
type roster struct {
	report *report.Report

	mu   sync.Mutex // held while the list is read: who comes meanwhile waits for it
	read time.Time
	all  *list
}

// list is all hosts by name, and their sums. It never changes.
type list struct {
	hosts []row
	sums  sums
	took  time.Duration // to read it
}

// row is what the list shows of a host, small since there may be very many.
type row struct {
	Name     string
	State    state
	Why      string
	Pace     pace
	Waiting  int
	InFlight int
	Next     time.Time
	Robots   string
	Requests int
	Skipped  int
}

// Held reports whether the host is left alone.
func (r row) Held() bool { return r.State.holds() }

type sums struct {
	Requests, Skipped, Waiting, InFlight, Measured, Broken int
	By                                                     map[state]int
}

const (
	// freshFor is how old the list may be, and restFor how many times as long as it took to read: with very many hosts that many look is no load.
	freshFor = 500 * time.Millisecond
	restFor  = 10
)

func (r *roster) list() *list {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all != nil && time.Since(r.read) < max(freshFor, restFor*r.all.took) {
		return r.all
	}
	start := time.Now()
	hosts := r.report.Hosts()
	l := &list{hosts: make([]row, len(hosts)), sums: sums{By: make(map[state]int)}}
	for i := range hosts {
		h := &hosts[i]
		l.hosts[i] = rowOf(h)
		s := &l.sums
		s.Requests += h.Requests
		s.Skipped += h.Skipped
		s.Waiting += h.Waiting
		s.InFlight += h.InFlight
		s.Measured += h.Measured
		s.Broken += h.Broken
		s.By[l.hosts[i].State]++
	}
	r.read = time.Now()
	l.took = r.read.Sub(start)
	r.all = l
	return l
}

func rowOf(h *report.Host) row {
	return row{
		Name: h.Host, State: stateOf(h), Why: whyHeld(h), Pace: paceOf(h), Waiting: h.Waiting, InFlight: h.InFlight, Next: nextStart(h), Robots: robotsOf(h),
		Requests: h.Requests, Skipped: h.Skipped,
	}
}

// verdict is the self-audit in a sentence.
func (s *sums) verdict() string {
	switch {
	case s.Broken > 0:
		return number(s.Broken) + " of " + several(s.Measured, "promise") + " broken"
	case s.Measured == 0:
		return "no promise yet"
	}
	return several(s.Measured, "promise") + " kept"
}
