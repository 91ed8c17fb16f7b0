package throttle

import (
	"hash/maphash"
	"math"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	shardCount = 64
	keptGates  = 64   // idle gates that a shard keeps, for the gaps they measured
	firstSweep = 1024 // hosts of a shard before it is first looked through
)

// hosts is the table of all hosts that are known. A host is dropped only when it owes nothing: then it is as if it had never been asked.
type hosts struct {
	throttle *Throttle
	seed     maphash.Seed
	limit    int64
	count    atomic.Int64
	fullTill atomic.Int64 // no host can be dropped before
	shards   [shardCount]shard
}

// shard is a part of the table; its mutex is the lock of each of its hosts.
type shard struct {
	mu      sync.Mutex
	table   *hosts
	hosts   map[string]*host
	sweepAt int // look through the shard when it has so many hosts
	idle    [keptGates]*gate
	oldest  int // of idle
}

func (t *hosts) init(th *Throttle, limit int) {
	t.throttle, t.limit, t.seed = th, int64(limit), maphash.MakeSeed()
	for i := range t.shards {
		s := &t.shards[i]
		s.table, s.hosts, s.sweepAt = t, make(map[string]*host), firstSweep
	}
}

func (t *hosts) shard(key string) *shard {
	return &t.shards[maphash.String(t.seed, key)%shardCount]
}

// find locks the host's shard and returns the host, or nil. The caller unlocks.
func (t *hosts) find(key string) (*shard, *host) {
	s := t.shard(key)
	s.mu.Lock()
	return s, s.hosts[key]
}

// add makes a host; nil says that there is no room, and from when on there may be. The caller holds the lock, which is released meanwhile if the
// whole table has to be looked through.
func (s *shard) add(key string, now int64) (*host, int64) {
	t := s.table
	if len(s.hosts) >= s.sweepAt {
		s.sweep(now)
		s.sweepAt = max(firstSweep, 2*len(s.hosts))
	}
	if t.count.Load() >= t.limit {
		if till := t.fullTill.Load(); now < till {
			return nil, till
		}
		s.mu.Unlock()
		t.sweep(now)
		s.mu.Lock()
		if h := s.hosts[key]; h != nil {
			return h, 0
		}
		if till := t.fullTill.Load(); t.count.Load() >= t.limit {
			return nil, till
		}
	}
	h := &host{}
	s.hosts[strings.Clone(key)] = h // the key shares the memory of a whole URL
	t.count.Add(1)
	return h, 0
}

// sweep drops what owes nothing, and notes when it is worth looking again if that did not help.
func (t *hosts) sweep(now int64) {
	soonest := int64(math.MaxInt64)
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		soonest = min(soonest, s.sweep(now))
		s.mu.Unlock()
	}
	t.fullTill.Store(min(soonest, now+int64(parkFor)))
}

// sweep returns when the first of the hosts that stay will owe nothing. A busy host counts as a second from now.
func (s *shard) sweep(now int64) (soonest int64) {
	soonest = math.MaxInt64
	for key, h := range s.hosts {
		until := h.owesUntil()
		if h.gate != nil && h.gate.busy() {
			until = max(until, now+1e9)
		}
		if until > now {
			soonest = min(soonest, until)
			continue
		}
		if h.gate != nil {
			s.drop(h.gate)
		}
		delete(s.hosts, key)
		s.table.count.Add(-1)
	}
	return soonest
}

// gateOf is the host's gate; it is made when the host comes into use.
func (s *shard) gateOf(key string, h *host) *gate {
	if h.gate == nil {
		h.gate = &gate{shard: s, host: h, name: strings.Clone(key), place: -1, stretch: 1}
		h.gate.domain = s.table.throttle.ceilings.of(h.gate.name, s.table.throttle.paces, h.rule)
	}
	return h.gate
}

// rest keeps a gate that became idle for a while, because it knows the gaps that were kept; the one that rests longest goes.
func (s *shard) rest(g *gate) {
	if g.place >= 0 {
		return
	}
	if old := s.idle[s.oldest]; old != nil {
		old.place = -1
		if !old.busy() {
			s.drop(old)
		}
	}
	s.idle[s.oldest], g.place = g, s.oldest
	s.oldest = (s.oldest + 1) % keptGates
}

// each calls f for every gate that is in use, its lock held.
func (t *hosts) each(f func(*gate)) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, h := range s.hosts {
			if h.gate != nil && h.gate.busy() {
				f(h.gate)
			}
		}
		s.mu.Unlock()
	}
}

func (s *shard) drop(g *gate) {
	if g.place >= 0 {
		s.idle[g.place] = nil
		g.place = -1
	}
	g.host.gate = nil
	s.table.throttle.ceilings.release(g.domain)
}
