package throttle

import (
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// What a host is owed, to and from the notes of the StateDir.

// unixMilli is an instant in Unix milliseconds, rounded up; zero for one that is over.
func (t *Throttle) unixMilli(at, now int64) int64 {
	if at <= now {
		return 0
	}
	return t.wall(at).Add(time.Millisecond - 1).UnixMilli()
}

// debts is all that the host owes. The caller holds the lock.
func (h *host) debts(t *Throttle, now int64) note {
	n := note{Host: h.name, At: time.Now().UnixMilli(), Next: t.unixMilli(h.next, now)}
	if h.delay > 0 && h.last > 0 {
		n.Next = max(n.Next, t.unixMilli(h.last+int64(h.crawlDelay()), now))
	}
	if m := h.more; m != nil {
		n.Block, n.Parked = t.unixMilli(m.block.until, now), t.unixMilli(m.parked, now)
		if m.block.level > 0 && now < m.block.quietAt() {
			n.Level = m.block.level
			n.Block = max(n.Block, t.wall(m.block.until).UnixMilli())
		}
		if n.Parked > 0 {
			n.Reason = m.reason
		}
	}
	return n
}

// noteNext is what to write when a request starts or ends. The caller holds the lock.
func (s *state) noteNext(g *gate) note {
	if s.dir == "" || g.interval()+g.pace().random < keepFrom {
		return note{}
	}
	return s.noteHold(g)
}

// noteHold is what to write when a host is blocked or parked. The caller holds the lock.
func (s *state) noteHold(g *gate) note {
	if s.dir == "" {
		return note{}
	}
	return g.host.debts(s.throttle, s.throttle.now())
}

// owed is what all hosts owe.
func (t *Throttle) owed() []note {
	now := t.now()
	var out []note
	for i := range t.hosts.shards {
		s := &t.hosts.shards[i]
		s.mu.Lock()
		s.table.all(func(h *host) {
			if n := h.debts(t, now); max(n.Next, n.Block, n.Parked) > 0 {
				out = append(out, n)
			}
		})
		s.mu.Unlock()
	}
	return out
}

// recall takes in what is owed from before, or by another process. The later end counts.
func (t *Throttle) recall(n note) {
	key, err := origin.HostKeyOf(n.Host)
	if err != nil {
		return
	}
	now, instant := t.now(), t.instants(n)
	next, until, parked, at := instant(n.Next), instant(n.Block), instant(n.Parked), min(instant(n.At), t.now())
	s, h := t.hosts.find(key)
	defer s.mu.Unlock()
	if h == nil {
		if max(next, parked, until) <= now && n.Level == 0 {
			return
		}
		h = s.insert(key, now) // a debt always has room
	}
	if n.Lifted {
		h.lift(at)
	} else {
		h.owe(next, until, parked, at, n, now)
	}
	if h.gate != nil {
		h.gate.refuseHeld(now)
		h.gate.advance(now)
	}
}

// longestOwed is beyond what anybody is owed: a Retry-After is cut at a hundred years.
const longestOwed = longestRetryAfter + longestRetryAfter/5

// clockSkew is how far the clocks of two processes may lie apart.
const clockSkew = time.Minute

// instants turns the times of a note into instants. A note that was written in the future was written before the clock was set back: what it owes
// is counted from now.
func (t *Throttle) instants(n note) func(unixMilli int64) int64 {
	wall := time.Now().UnixMilli()
	var ahead int64
	if n.At > wall+clockSkew.Milliseconds() {
		ahead = n.At - wall
	}
	last := wall + longestOwed.Milliseconds()
	return func(ms int64) int64 {
		if ms <= 0 {
			return 0
		}
		return t.at(time.UnixMilli(min(ms-ahead, last)))
	}
}

func (h *host) owe(next, until, parked, at int64, n note, now int64) {
	h.next = max(h.next, next)
	if parked > now {
		switch n.Reason {
		case report.RateLimited, report.CrawlDelayTooLong, report.AccessDenied:
		default:
			n.Reason = report.AccessDenied // in doubt, a person has to say
		}
		h.park(at, parked, n.Reason)
	}
	if until <= now && n.Level == 0 {
		return
	}
	b := &h.extra().block
	if until > b.until {
		b.until, b.length, b.begun, b.probing = until, max(b.length, until-now), at, true
	}
	b.level = max(b.level, min(n.Level, mostLevels))
	b.forgive(now)
}

// lift ends what a person lifted at the given instant. What began later stays.
func (h *host) lift(at int64) {
	m := h.more
	if m == nil {
		return
	}
	if m.block.begun <= at {
		m.block = block{}
	}
	if m.since <= at {
		m.parked, m.reason = 0, ""
	}
}
