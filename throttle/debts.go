package throttle

import (
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
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
	n := note{Host: h.name, Next: t.unixMilli(h.next, now)}
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
	now, wall := t.now(), time.Now().UnixMilli()
	var out []note
	for i := range t.hosts.shards {
		s := &t.hosts.shards[i]
		s.mu.Lock()
		s.table.all(func(h *host) {
			if n := h.debts(t, now); max(n.Next, n.Block, n.Parked) > 0 {
				n.At = wall
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
	now := t.now()
	instant := func(ms int64) int64 {
		if ms == 0 {
			return 0
		}
		return t.at(time.UnixMilli(ms))
	}
	next, until, parked := instant(n.Next), instant(n.Block), instant(n.Parked)
	s, h := t.hosts.find(key)
	defer s.mu.Unlock()
	if h == nil {
		if max(next, parked, until) <= now && n.Level == 0 {
			return
		}
		if h, _ = s.add(key, now); h == nil {
			return
		}
	}
	if n.Lifted {
		if h.more != nil && h.more.block.begun <= instant(n.At) {
			h.more.block, h.more.parked, h.more.reason = block{}, 0, ""
		}
	} else {
		h.owe(next, until, parked, n, now)
	}
	if h.gate != nil {
		h.gate.refuseHeld(now)
		h.gate.advance(now)
	}
}

func (h *host) owe(next, until, parked int64, n note, now int64) {
	h.next = max(h.next, next)
	if parked > now {
		h.park(parked, n.Reason)
	}
	if until <= now && n.Level == 0 {
		return
	}
	b := &h.extra().block
	if until > b.until {
		b.until, b.length, b.begun, b.probing = until, max(b.length, until-now), now, true
	}
	b.level = max(b.level, n.Level)
	b.forgive(now)
}
