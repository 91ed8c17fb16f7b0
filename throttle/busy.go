package throttle

import (
	"cmp"
	"slices"
	"time"
)

// busyHost is a host that something is to be done for.
type busyHost struct {
	name string
	end  int64 // when the last of its requests could start; 0: it is parked
	todo int
}

// Busy says how the hosts stand that have requests waiting, under way or in a Frontier: those that will take longest first, parked ones last, and at
// most so many of them. all is how many there are. It looks at every host in use: it is made to be called every second, not for every request.
func (t *Throttle) Busy(most int) (hosts []Snapshot, all int) {
	queued := t.queued()
	now := t.now()
	first := firstHosts{most: max(most, 0)}
	t.hosts.each(func(g *gate) {
		todo := g.waiting + queued[g.host.name]
		delete(queued, g.host.name)
		first.add(busyHost{g.host.name, t.endOf(g.host, g.interval(), todo, now), todo})
	})
	for name, todo := range queued {
		s, h := t.hosts.find(name)
		b := busyHost{name, t.endOf(h, t.delayOf(h, name), todo, now), todo}
		s.mu.Unlock()
		first.add(b)
	}
	for _, b := range first.hosts {
		s, ok := t.Snapshot(b.name)
		if !ok {
			s = Snapshot{Host: b.name, Interval: t.delayOf(nil, b.name), Source: FromRule, Queued: b.todo, ETA: t.wall(b.end)}
		}
		hosts = append(hosts, s)
	}
	return hosts, first.all
}

// firstHosts are the first of many hosts, in order. Few of many ever come among them, so that most cost one comparison.
type firstHosts struct {
	most, all int
	hosts     []busyHost
}

func (f *firstHosts) add(b busyHost) {
	f.all++
	n := len(f.hosts)
	if n == f.most && (n == 0 || f.hosts[n-1].compare(b) <= 0) {
		return
	}
	if n == f.most {
		f.hosts = f.hosts[:n-1]
	}
	i, _ := slices.BinarySearchFunc(f.hosts, b, busyHost.compare)
	f.hosts = slices.Insert(f.hosts, i, b)
}

// compare is negative if b comes before o.
func (b busyHost) compare(o busyHost) int {
	return cmp.Or(cmp.Compare(o.end, b.end), cmp.Compare(o.todo, b.todo), cmp.Compare(b.name, o.name))
}

// endOf is when the last of so many requests could start. The caller holds the host's lock; the host is nil if it is not known.
func (t *Throttle) endOf(h *host, interval time.Duration, todo int, now int64) int64 {
	at := now
	if h != nil {
		if h.parkedUntil() > now {
			return 0
		}
		at = max(at, h.openAt(false, now))
	}
	return startOf(at, todo, interval)
}

// startOf is when the last of so many requests starts, of which the first starts at the given instant.
func startOf(first int64, todo int, gap time.Duration) int64 {
	n := int64(max(todo-1, 0))
	if gap > 0 && n > (never-1-first)/int64(gap) {
		return never - 1
	}
	return first + n*int64(gap)
}

// delayOf is the gap that a host is owed, crawl delay included, if it has no line. The caller holds its lock; it is nil if it is not known.
func (t *Throttle) delayOf(h *host, name string) time.Duration {
	if h == nil || h.port == 0 {
		return t.paces[t.paces.match(name, 443)].delay
	}
	d, _ := interval(t.paces[h.rule].delay, h.crawlDelay(), 0)
	return d
}

// queued is how many requests of each host the frontiers hold.
func (t *Throttle) queued() map[string]int {
	var all map[string]int
	for _, f := range t.frontiersInUse() {
		f.mu.Lock()
		if all == nil {
			all = make(map[string]int, len(f.backlogs))
		}
		for name, b := range f.backlogs {
			if len(b.items) > 0 {
				all[name] += len(b.items)
			}
		}
		f.mu.Unlock()
	}
	return all
}

// queuedFor is how many requests of one host the frontiers hold.
func (t *Throttle) queuedFor(key string) int {
	n := 0
	for _, f := range t.frontiersInUse() {
		f.mu.Lock()
		if b := f.backlogs[key]; b != nil {
			n += len(b.items)
		}
		f.mu.Unlock()
	}
	return n
}
