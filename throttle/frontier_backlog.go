package throttle

import (
	pq "container/heap"
	"strings"
	"time"
)

// handOutFor is how long a hand-out keeps the next URL of its host back if it gives no sign.
const handOutFor = 100 * time.Millisecond

// backlog is the requests of one host that wait in the frontier, oldest first. It lives while there are any, or a hand-out is on its way. The frontier's
// mu guards it.
type backlog struct {
	host    string
	items   []item
	domain  *domain
	held    *Error // why the host is set aside; nil: it is not
	told    int    // of the first items, how many were told of that
	at      int64  // when to look at it again
	since   int64  // since when it is not empty
	served  uint64 // the number of its latest hand-out
	handed  int64  // when the hand-out was that has not reached the line; 0: none
	joined  uint32 // how many had reached the line then
	marked  bool   // it is in Frontier.changed
	slotted bool   // at is a slot of its domain
	place   int    // in the heap
}

// backlog finds or makes the host's. The caller holds mu.
func (f *Frontier) backlog(host string, now int64) *backlog {
	if b := f.backlogs[host]; b != nil {
		return b
	}
	host = strings.Clone(host) // the key shares the memory of a whole URL
	b := &backlog{host: host, at: now, since: now}
	if name := f.throttle.ceilings.domainOf(host); name != "" {
		if b.domain = f.domains[name]; b.domain == nil {
			b.domain = &domain{name: strings.Clone(name)}
			f.domains[b.domain.name] = b.domain
		}
		b.domain.backlogs++
	}
	f.backlogs[host] = b
	pq.Push(&f.due, b)
	return b
}

// drop forgets an empty backlog. The caller holds mu.
func (f *Frontier) drop(b *backlog) {
	delete(f.backlogs, b.host)
	pq.Remove(&f.due, b.place)
	if b.domain != nil {
		if b.domain.backlogs--; b.domain.backlogs == 0 {
			delete(f.domains, b.domain.name)
		}
	}
}

// put gives a backlog its items anew. The caller holds mu.
func (f *Frontier) put(b *backlog, items []item, now int64) {
	if len(b.items) == 0 {
		b.since = now
	}
	if b.held == nil {
		f.open += len(items) - len(b.items)
	}
	b.items = items
	f.mark(b)
}

// mark has a backlog looked at. The caller holds mu.
func (f *Frontier) mark(b *backlog) {
	if !b.marked {
		b.marked = true
		f.changed = append(f.changed, b)
	}
	f.ring()
}

// hostChanged is called under the host's lock, from the host's line.
func (f *Frontier) hostChanged(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b := f.backlogs[host]; b != nil {
		f.mark(b)
	}
}

// arrived notes that the hand-out has reached the line, or never will. The caller holds mu.
func (b *backlog) arrived() {
	if b.handed != 0 && b.domain != nil {
		b.domain.handed--
	}
	b.handed = 0
}

// move puts a backlog where its instant belongs. The caller holds mu.
func (f *Frontier) move(b *backlog, at int64) {
	b.at = at
	pq.Fix(&f.due, b.place)
}

// dueHeap orders backlogs by when to look at them; of those at the same instant, the least recently served comes first.
type dueHeap []*backlog

func (d dueHeap) Len() int { return len(d) }

func (d dueHeap) Less(i, j int) bool {
	if d[i].at != d[j].at {
		return d[i].at < d[j].at
	}
	return d[i].served < d[j].served
}

func (d dueHeap) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].place, d[j].place = i, j
}

func (d *dueHeap) Push(x any) {
	b := x.(*backlog)
	b.place = len(*d)
	*d = append(*d, b)
}

func (d *dueHeap) Pop() any {
	old := *d
	b := old[len(old)-1]
	old[len(old)-1] = nil
	*d = old[:len(old)-1]
	return b
}
