package report

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Summary is the report in a few figures. It speaks of this process only.
type Summary struct {
	Began time.Time `json:"began"` // when the report was made or first used
	Read  time.Time `json:"read"`

	Hosts          int `json:"hosts"`           // that anything happened to
	HostsForgotten int `json:"hosts_forgotten"` // of these, that are not kept apart any more, for want of room

	Requests int     `json:"requests"`
	Robots   int     `json:"robots"` // of these, fetches of robots.txt
	Bytes    int64   `json:"bytes"`
	Answers  Answers `json:"answers"`

	Measured    int `json:"measured"`     // promises that were looked at: gaps, and blocks in force
	Broken      int `json:"broken"`       // of these, that were not kept
	BrokenHosts int `json:"broken_hosts"` // hosts that are kept and have any
	Unmeasured  int `json:"unmeasured"`   // gaps that could not be looked at, since the host had been forgotten

	Skipped  int            `json:"skipped"`
	Reasons  map[Reason]int `json:"reasons"`
	Lost     int            `json:"lost"` // skips that are not in the file
	Blocks   int            `json:"blocks"`
	Parkings int            `json:"parkings"`
	Stops    int            `json:"stops"`

	// What follows are hosts, as they stand now.

	Held         int       `json:"held"`          // that are blocked, parked or stopped
	WithoutRules int       `json:"without_rules"` // that are crawled without rules of robots.txt
	Waiting      int       `json:"waiting"`       // requests that wait
	InFlight     int       `json:"in_flight"`
	ETA          time.Time `json:"eta,omitzero"` // when the last of those that wait will start
}

// Summary adds up all hosts.
func (r *Report) Summary() Summary {
	hosts, gone := r.read()
	return r.summary(hosts, &gone)
}

func (r *Report) summary(hosts []Host, gone *gone) Summary {
	s := Summary{
		Began: r.table().began, Read: time.Now(), Hosts: len(hosts) + gone.hosts, HostsForgotten: gone.hosts,
		Requests: gone.requests, Robots: gone.robots, Bytes: gone.bytes, Answers: gone.answers,
		Measured: gone.measured, Broken: gone.broken, Unmeasured: gone.unmeasured,
		Blocks: gone.blocks, Parkings: gone.parkings, Stops: gone.stops, Lost: r.Lost(),
	}
	for i := range hosts {
		h := &hosts[i]
		s.Requests += h.Requests
		s.Robots += h.Robots
		s.Bytes += h.Bytes
		s.Answers.add(&h.Answers)
		s.Measured += h.Measured
		s.Broken += h.Broken
		s.Blocks += h.Blocks
		s.Parkings += h.Parkings
		s.Stops += h.Stops
		s.Waiting += h.Waiting
		s.InFlight += h.InFlight
		if h.Broken > 0 {
			s.BrokenHosts++
		}
		if h.Held.Reason != "" {
			s.Held++
		}
		if h.WithoutRules != "" {
			s.WithoutRules++
		}
		if h.ETA.After(s.ETA) {
			s.ETA = h.ETA
		}
	}
	s.Skipped, s.Reasons = r.byReason()
	return s
}

// reasonsByCount are the reasons of the skips, the most frequent first.
func (s *Summary) reasonsByCount() []Reason {
	return slices.SortedFunc(maps.Keys(s.Reasons), func(a, b Reason) int {
		return cmp.Or(cmp.Compare(s.Reasons[b], s.Reasons[a]), cmp.Compare(a, b))
	})
}
