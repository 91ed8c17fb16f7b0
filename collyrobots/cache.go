package collyrobots

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// cache is what memory knows, per origin, bounded by bytes. An entry dies when it has been used the longest ago and room is needed, but not
// while it is being fetched, nor while it owes a wait: a robots.txt that is unreachable must not be asked for anew because it was forgotten.
type cache struct {
	limit    int64
	size     atomic.Int64
	seed     maphash.Seed
	sweeping sync.Mutex
	shards   [64]shard
}

type shard struct {
	mu sync.RWMutex
	m  map[origin.Origin]*site
}

// siteBytes is about what a site takes besides its state.
const siteBytes = 400

func newCache(limit int64) *cache { return &cache{limit: limit, seed: maphash.MakeSeed()} }

func (c *cache) shard(o origin.Origin) *shard { return c.shardOf(o.Host()) }

// shardOf is where all origins of a host are.
func (c *cache) shardOf(host string) *shard {
	return &c.shards[maphash.String(c.seed, host)%uint64(len(c.shards))]
}

// ofHost are the sites of a host, by its key, on whatever port.
func (c *cache) ofHost(host string) (all []*site) {
	sh := c.shardOf(host)
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	for o, s := range sh.m {
		if o.Host() == host {
			all = append(all, s)
		}
	}
	return all
}

// peek is the site of o, or nil. o may share memory with a URL.
func (c *cache) peek(o origin.Origin) *site {
	s := c.shard(o)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.m[o]
}

// get is the site of o, made if there is none.
func (c *cache) get(o origin.Origin) *site {
	if s := c.peek(o); s != nil {
		return s
	}
	sh := c.shard(o)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if s := sh.m[o]; s != nil {
		return s
	}
	if sh.m == nil {
		sh.m = make(map[origin.Origin]*site)
	}
	s := &site{origin: o.Clone()}
	s.bytes.Store(siteBytes)
	sh.m[s.origin] = s
	c.size.Add(siteBytes)
	return s
}

// resize takes note of how much memory s needs now, and makes room.
func (c *cache) resize(s *site) {
	s.mu.Lock()
	if s.gone {
		s.mu.Unlock()
		return
	}
	n := int64(siteBytes)
	if st := s.state.Load(); st != nil {
		n += st.bytes()
	}
	c.size.Add(n - s.bytes.Swap(n))
	s.mu.Unlock()
	if c.size.Load() > c.limit {
		c.makeRoom(time.Now())
	}
}

// remove forgets s, whatever it owes.
func (c *cache) remove(s *site) { c.drop(s, func(*site) bool { return true }) }

// drop takes s out if may, asked under its lock, agrees.
func (c *cache) drop(s *site, may func(*site) bool) {
	sh := c.shard(s.origin)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || !may(s) {
		return
	}
	s.gone = true
	delete(sh.m, s.origin)
	c.size.Add(-s.bytes.Load())
}

// makeRoom drops what has been used the longest ago until an eighth is free, so that it need not run each time.
func (c *cache) makeRoom(now time.Time) {
	if !c.sweeping.TryLock() {
		return // somebody does it already
	}
	defer c.sweeping.Unlock()
	type candidate struct {
		site *site
		used int64
	}
	var all []candidate
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.RLock()
		for _, s := range sh.m {
			if !s.owes(now) {
				all = append(all, candidate{s, s.used.Load()})
			}
		}
		sh.mu.RUnlock()
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.used, b.used) })
	for _, d := range all {
		if c.size.Load() <= c.limit-c.limit/8 {
			return
		}
		c.drop(d.site, func(s *site) bool { return s.flight == nil && !s.owes(now) })
	}
}
