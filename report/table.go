package report

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// shards is into how many parts the hosts are split, so that requests to different hosts seldom wait for each other.
const shards = 64

// table holds what is known of each host.
type table struct {
	began  time.Time
	epoch  time.Time // instants count from here: a day before it began, since what happens first may have been stamped before
	seed   maphash.Seed
	shards []shard
	marks  atomic.Int64 // how many may still be kept, over all hosts
}

// shard is a part of the hosts.
type shard struct {
	table *table
	mu    sync.Mutex
	hosts map[string]*tally
	limit int
	gone  gone
	_     [64]byte // the next one's mutex lies in another cache line
}

// gone is what is left of the hosts that made room for others.
type gone struct {
	sums
	hosts      int
	unmeasured int // gaps that nobody measured, since the host before them was forgotten
}

func newTable(maxHosts int) *table {
	if maxHosts == 0 {
		maxHosts = DefaultMaxHosts
	}
	n := shards
	if maxHosts < 16*n {
		n = 1
	}
	t := &table{began: time.Now(), seed: maphash.MakeSeed(), shards: make([]shard, n)}
	t.epoch = t.began.Add(-24 * time.Hour)
	t.marks.Store(maxMarks)
	for i := range t.shards {
		t.shards[i].table, t.shards[i].hosts, t.shards[i].limit = t, make(map[string]*tally), maxHosts/n
	}
	return t
}

// table is the report's, made with the first use, so that a zero Report works.
func (r *Report) table() *table {
	r.once.Do(func() { r.hosts = newTable(r.maxHosts) })
	return r.hosts
}

// instant is a time as nanoseconds since the epoch, never less than 1. The zero time is now.
func (t *table) instant(at time.Time) int64 {
	if at.IsZero() {
		return int64(time.Since(t.epoch))
	}
	return max(int64(at.Sub(t.epoch)), 1)
}

// wall is the time of an instant; zero for never.
func (t *table) wall(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return t.epoch.Add(time.Duration(at))
}

func (t *table) shard(host string) *shard {
	return &t.shards[maphash.String(t.seed, host)%uint64(len(t.shards))]
}

// each calls f for each host, with its lock held, and returns what is left of those that are gone.
func (t *table) each(f func(*tally)) gone {
	var left gone
	var hosts []*tally
	for i := range t.shards {
		s := &t.shards[i]
		hosts = hosts[:0]
		s.mu.Lock()
		for _, h := range s.hosts {
			hosts = append(hosts, h)
		}
		left.add(&s.gone.sums)
		left.hosts += s.gone.hosts
		left.unmeasured += s.gone.unmeasured
		s.mu.Unlock()
		for _, h := range hosts { // no crawl waits for more than one of them
			s.mu.Lock()
			f(h)
			s.mu.Unlock()
		}
	}
	return left
}

// of is the host's tally, made if it is new. The caller holds the lock.
func (s *shard) of(host string, now int64) *tally {
	if h := s.hosts[host]; h != nil {
		return h
	}
	if len(s.hosts) >= s.limit {
		s.makeRoom(now)
	}
	h := &tally{name: strings.Clone(host)}
	h.strip.pool = &s.table.marks
	s.hosts[h.name] = h
	return h
}

// makeRoom forgets one of a few hosts, the one that was quiet longest; hosts with broken promises stay while there are others. What it did stays in the sums.
func (s *shard) makeRoom(now int64) {
	const few = 8
	var out *tally
	seen := 0
	for _, h := range s.hosts { // begins anywhere
		if out == nil || (h.broken == 0) && (out.broken > 0 || h.last < out.last) {
			out = h
		}
		if seen++; seen == few {
			break
		}
	}
	if out.owes(now) {
		s.gone.unmeasured++
	}
	s.gone.hosts++
	s.gone.add(&out.sums)
	out.strip.free()
	delete(s.hosts, out.name)
}
