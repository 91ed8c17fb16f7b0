package report

import (
	"cmp"
	"slices"
	"time"
)

// Host is how one host was treated, by this process. What is counted comes from Sent, Ended, Hold and Record; what stands under "now" is filled in by the
// sources at the moment of reading and is zero where none knows it.
type Host struct {
	Host string

	Requests int     // on the wire, each hop counted, robots.txt included
	Robots   int     // of these, fetches of robots.txt
	Secure   int     // of these, by https
	Bytes    int64   // of bodies, as far as they were read
	Answers  Answers // by the class of their status

	First, Last time.Time // anything that happened to it

	// Interval is the gap that was promised last between two pages, and Source where it comes from; a source may say what is promised now.
	Interval time.Duration
	Source   Source
	// SmallestGap and MedianGap are what was kept between pages, of Gaps gaps, from start to start, measured when they were sent. The median is within
	// a fifth of the true one, and exact where gaps are alike.
	SmallestGap, MedianGap time.Duration
	Gaps                   int

	Measured int      // promises that were looked at: a gap, or a block in force
	Broken   int      // of these, that were not kept
	Breaches []Breach // the first 20 of these

	Blocks, Parkings, Stops int    // how often it was left alone
	Holds                   []Hold // the latest 20 of them

	Skipped int         // requests that were refused
	Skips   []SkipCount // why; the most frequent first

	// Now.

	Held      Hold      // what holds it back; a zero Reason: nothing does
	Waiting   int       // requests that wait for their turn
	InFlight  int       // requests under way
	NextStart time.Time // when the next may start; zero: now
	ETA       time.Time // when the last of those that wait will start; zero: not known

	RobotsClass     string    // "rules", "unavailable", "unreachable"; empty: not known
	RobotsFetchedAt time.Time // zero: not known
	WithoutRules    string    // why it is crawled without rules, for people; empty: it is not

	BrowserLike bool     // the User-Agent that it gets looks like a browser's
	Signals     []string // what the site says beside robots.txt, as for opt-outs
	Notes       []string // anything else: what an owner permitted, hours, budgets
}

// AddSource adds a function that fills in what it knows of a host. It is called for each host that is read, in the order of adding, with no lock held, by
// whoever calls Host, Hosts, Summary or one of the Write methods, by several at once if these are.
func (r *Report) AddSource(fill func(h *Host)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = append(slices.Clip(r.sources), fill)
}

// Hosts returns all hosts that anything happened to, by name. What is returned is the caller's.
func (r *Report) Hosts() []Host {
	hosts, _ := r.read()
	return hosts
}

// Host returns one host, by its key: lower case, no port. It is false if nothing happened to it.
func (r *Report) Host(key string) (Host, bool) {
	t := r.table()
	s := t.shard(key)
	s.mu.Lock()
	tl := s.hosts[key]
	if tl == nil {
		s.mu.Unlock()
		return Host{}, false
	}
	h := tl.host(t)
	s.mu.Unlock()
	r.fill(&h)
	return h, true
}

func (r *Report) read() ([]Host, gone) {
	t := r.table()
	var hosts []Host
	gone := t.each(func(tl *tally) { hosts = append(hosts, tl.host(t)) })
	for i := range hosts {
		r.fill(&hosts[i])
	}
	slices.SortFunc(hosts, func(a, b Host) int { return cmp.Compare(a.Host, b.Host) })
	return hosts, gone
}

func (r *Report) fill(h *Host) {
	r.mu.Lock()
	sources := r.sources
	r.mu.Unlock()
	for _, fill := range sources {
		fill(h)
	}
}

// host is a copy for the caller. The shard's lock is held.
func (tl *tally) host(t *table) Host {
	h := Host{
		Host: tl.name, Requests: tl.requests, Robots: tl.robots, Secure: tl.secure, Bytes: tl.bytes, Answers: tl.answers,
		First: t.wall(tl.first), Last: t.wall(tl.last), Interval: tl.interval, Source: tl.source,
		SmallestGap: tl.gaps.smallest, MedianGap: tl.gaps.median(), Gaps: tl.gaps.n,
		Measured: tl.measured, Broken: tl.broken, Blocks: tl.blocks, Parkings: tl.parkings, Stops: tl.stops, Skipped: tl.skipped, Skips: slices.Clone(tl.skips),
	}
	for _, b := range tl.breaches {
		h.Breaches = append(h.Breaches, Breach{tl.name, t.wall(b.at), b.kept, b.promised, b.source})
	}
	for i := range tl.holds {
		h.Holds = append(h.Holds, tl.holds[i].public(t))
	}
	if now := tl.holds.current(t.instant(time.Time{})); now != nil {
		h.Held = now.public(t)
	}
	slices.SortStableFunc(h.Skips, func(a, b SkipCount) int { return cmp.Compare(b.Count, a.Count) })
	return h
}

func (h *hold) public(t *table) Hold {
	return Hold{h.reason, t.wall(h.from), t.wall(h.until), h.status, h.detail}
}
