package throttle

import (
	"hash/maphash"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	shardCount = 64
	keptGates  = 64  // idle gates that a shard keeps, for the gaps they measured
	leastSlots = 256 // of a shard's table: it is looked through when it is three quarters full
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

// shard is a part of the hosts; its mutex is the lock of each of them.
type shard struct {
	mu     sync.Mutex
	hosts  *hosts
	table  table
	idle   [keptGates]*gate
	oldest int // of idle
}

func (t *hosts) init(th *Throttle, limit int) {
	t.throttle, t.limit, t.seed = th, int64(limit), maphash.MakeSeed()
	for i := range t.shards {
		t.shards[i].hosts = t
	}
}

func (t *hosts) hash(key string) uint64 { return maphash.String(t.seed, key) }

// find locks the host's shard and returns the host, or nil. The caller unlocks.
func (t *hosts) find(key string) (*shard, *host) {
	hash := t.hash(key)
	s := &t.shards[hash%shardCount]
	s.mu.Lock()
	return s, s.table.get(key, hash)
}

// add makes a host; nil says that there is no room, and from when on there may be. The caller holds the lock, which is released meanwhile if all
// shards have to be looked through.
func (s *shard) add(key string, now int64) (*host, int64) {
	t := s.hosts
	if t.count.Load() >= t.limit {
		if till := t.fullTill.Load(); now < till {
			return nil, till
		}
		s.mu.Unlock()
		t.sweep(now)
		s.mu.Lock()
		if h := s.table.get(key, t.hash(key)); h != nil {
			return h, 0
		}
		if till := t.fullTill.Load(); t.count.Load() >= t.limit {
			return nil, till
		}
	}
	return s.insert(key, now), 0
}

// insert makes a host. The caller holds the lock.
func (s *shard) insert(key string, now int64) *host {
	if s.table.count >= roomAt(len(s.table.slots)) {
		s.sweep(now)
	}
	h := &host{name: strings.Clone(key)} // the key shares the memory of a whole URL
	s.table.put(h, s.hosts.hash(key))
	s.hosts.count.Add(1)
	return h
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

// sweep makes room, and returns when the first of the hosts that stay will owe nothing. A busy host counts as a second from now.
func (s *shard) sweep(now int64) (soonest int64) {
	soonest = math.MaxInt64
	before := s.table.count
	s.table.rebuild(leastSlots, s.hosts.hash, func(h *host) bool {
		until := h.owesUntil(now)
		if h.gate != nil && h.gate.busy() {
			until = max(until, now+int64(time.Second))
		}
		if until > now {
			soonest = min(soonest, until)
			return true
		}
		if h.gate != nil {
			s.drop(h.gate)
		}
		return false
	})
	s.hosts.count.Add(int64(s.table.count - before))
	return soonest
}

// gateOf is the host's gate; it is made when the host comes into use.
func (s *shard) gateOf(h *host) *gate {
	if h.gate == nil {
		t := s.hosts.throttle
		h.gate = &gate{shard: s, host: h, place: -1, stretch: 1, domain: t.ceilings.of(h.name, t.paces, h.rule)}
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
		s.table.all(func(h *host) {
			if h.gate != nil && h.gate.busy() {
				f(h.gate)
			}
		})
		s.mu.Unlock()
	}
}

func (s *shard) drop(g *gate) {
	if g.place >= 0 {
		s.idle[g.place] = nil
		g.place = -1
	}
	g.host.gate = nil
	s.hosts.throttle.ceilings.release(g.domain)
}
