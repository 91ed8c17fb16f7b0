package killswitch

import (
	"hash/maphash"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// indexShards is a power of two. A new rule copies one shard, so that the hundred-thousandth costs as little as the first.
const indexShards = 1024

// index finds the rules for a URL. Reading it takes no lock and allocates nothing: one look-up for each label of the host. Writers hold Switch.mu;
// each change replaces what it changes.
type index struct {
	seed    maphash.Seed
	size    atomic.Int64  // rules in it; a switch without any costs one load
	version atomic.Uint64 // counts the changes
	all     atomic.Pointer[[]*entry]
	depths  atomic.Uint64 // bit n: a Domain of n labels has been in it (bit 0: of 64 and more), so others need not be looked up
	names   [indexShards]atomic.Pointer[nameMap]
}

// nameMap leads from the hash of a name to the rules for it. Names with one hash share a list.
type nameMap map[uint64][]*entry

func newIndex() *index { return &index{seed: maphash.MakeSeed()} }

func (ix *index) hash(name string) uint64 { return maphash.String(ix.seed, name) }

func (ix *index) shard(hash uint64) *atomic.Pointer[nameMap] { return &ix.names[hash%indexShards] }

// named are the rules whose name has the hash.
func (ix *index) named(hash uint64) []*entry {
	if p := ix.shard(hash).Load(); p != nil {
		return (*p)[hash]
	}
	return nil
}

func depthBit(labels int) uint64 {
	if labels >= 64 {
		labels = 0
	}
	return 1 << labels
}

// add publishes rules: from its return on, find sees them.
func (ix *index) add(es ...*entry) {
	ix.size.Add(int64(len(es))) // before they can be found: find skips the look-up at zero
	for _, e := range es {
		if d := e.rule.Domain; d != "" {
			ix.depths.Or(depthBit(strings.Count(d, ".") + 1))
		}
	}
	ix.change(es, func(have []*entry, e *entry) []*entry { return append(slices.Clip(have), e) })
}

// remove takes rules out.
func (ix *index) remove(es ...*entry) {
	ix.change(es, func(have []*entry, e *entry) []*entry {
		return slices.DeleteFunc(slices.Clone(have), func(x *entry) bool { return x == e })
	})
	ix.size.Add(-int64(len(es)))
}

// change edits the list of each entry's name, copying each shard once however many entries there are.
func (ix *index) change(es []*entry, edit func([]*entry, *entry) []*entry) {
	fresh := make(map[*atomic.Pointer[nameMap]]nameMap)
	for _, e := range es {
		if e.rule.All {
			var have []*entry
			if p := ix.all.Load(); p != nil {
				have = *p
			}
			have = edit(have, e)
			ix.all.Store(&have)
			continue
		}
		hash := ix.hash(e.name())
		shard := ix.shard(hash)
		m := fresh[shard]
		if m == nil {
			if p := shard.Load(); p != nil {
				m = maps.Clone(*p)
			} else {
				m = make(nameMap)
			}
			fresh[shard] = m
		}
		if list := edit(m[hash], e); len(list) > 0 {
			m[hash] = list
		} else {
			delete(m, hash)
		}
	}
	for shard, m := range fresh {
		shard.Store(&m)
	}
	ix.version.Add(1)
}

// find is the strongest rule that covers u, or nil. A host that has no canonical form cannot be compared with the rules: as long as there are
// any, it counts as stopped, since net/http would send it all the same.
func (ix *index) find(u *url.URL) *entry {
	if ix.size.Load() == 0 || u == nil {
		return nil
	}
	q := question{u: u}
	var best *entry
	if p := ix.all.Load(); p != nil {
		best = strongest(best, *p, "", false, &q)
	}
	name, err := origin.HostKey(u)
	if err != nil {
		if u.Host == "" || best.stops() {
			return best // nothing is sent to no host
		}
		return unreadable(err)
	}
	best = strongest(best, ix.named(ix.hash(name)), name, false, &q)
	depths := ix.depths.Load()
	if depths == 0 {
		return best
	}
	for labels := strings.Count(name, "."); labels > 0; labels-- {
		name = name[strings.IndexByte(name, '.')+1:]
		if depths&depthBit(labels) != 0 {
			best = strongest(best, ix.named(ix.hash(name)), name, true, &q)
		}
	}
	return best
}

// strongest is the strongest of best and those entries of that name that cover the question. below: the name is only the end of the host's.
func strongest(best *entry, es []*entry, name string, below bool, q *question) *entry {
	for _, e := range es {
		if below && e.rule.Domain == "" || e.name() != name || e.strength() <= best.strength() {
			continue
		}
		if e.covers(q) {
			best = e
		}
	}
	return best
}

func unreadable(err error) *entry {
	return &entry{rule: Rule{ID: "unreadable-host", Action: Stop, Reason: "cannot be compared with the rules: " + err.Error()}}
}

// findBoth looks at what is asked for and at what is dialled.
func (ix *index) findBoth(sent, dialled *url.URL) *entry {
	best := ix.find(sent)
	if sent.Host == dialled.Host || ix.size.Load() == 0 {
		return best
	}
	rest := asked(sent, dialled)
	for _, u := range rest[1:] {
		if e := ix.find(u); e.strength() > best.strength() {
			best = e
		}
	}
	return best
}

// asked lists the URLs under which a request must be judged: with the Host that is sent and, where that differs, with the name that is dialled.
// Servers do not look at the port in a Host header, so the name in it is tried with the dialled port as well.
func asked(sent, dialled *url.URL) (urls [3]*url.URL) {
	urls[0] = sent
	if sent.Host == dialled.Host {
		return urls
	}
	urls[1] = dialled
	if port := dialled.Port(); port != sent.Port() {
		mixed := *sent
		mixed.Host = strings.TrimSuffix(mixed.Host, ":"+sent.Port())
		if port != "" {
			mixed.Host += ":" + port
		}
		urls[2] = &mixed
	}
	return urls
}
