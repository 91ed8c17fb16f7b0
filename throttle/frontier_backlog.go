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
	counted bool   // the hand-out is one of domain.handed
	marked  bool   // it is in Frontier.changed
	apart   bool   // it is in Frontier.apart, else among the hosts of its domain
	place   int    // there
}

// backlog finds or makes the host's. The caller holds mu.
func (f *Frontier) backlog(host string, now int64) *backlog {
	if b := f.backlogs[host]; b != nil {
		return b
	}
	host = strings.Clone(host) // the key shares the memory of a whole URL
	b := &backlog{host: host, since: now, domain: f.domainOf(host), place: nowhere}
	b.domain.backlogs++
	f.backlogs[host] = b
	f.move(b, now)
	return b
}

// drop forgets an empty backlog. The caller holds mu.
func (f *Frontier) drop(b *backlog) {
	delete(f.backlogs, b.host)
	f.takeOut(b)
	f.moved(b.domain)
	if b.domain.backlogs--; b.domain.backlogs == 0 && b.domain.name != "" {
		delete(f.domains, b.domain.name)
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
func (f *Frontier) arrived(b *backlog) {
	b.handed = 0
	f.uncount(b)
}

// uncount takes a hand-out out of what the domain's ceiling is still to be asked for. The caller holds mu.
func (f *Frontier) uncount(b *backlog) {
	if !b.counted {
		return
	}
	b.counted = false
	b.domain.handed--
	b.domain.room = 0 // it was found with that hand-out still to come
	f.moved(b.domain)
}

// move puts a backlog where it is looked at at the given instant: apart if nothing can be handed out then. The caller holds mu.
func (f *Frontier) move(b *backlog, at int64) {
	f.takeOut(b)
	b.at, b.apart = at, b.held != nil || b.handed != 0
	if b.apart {
		pq.Push(&f.apart, b)
	} else {
		pq.Push(&b.domain.hosts, b)
	}
	f.moved(b.domain)
}

func (f *Frontier) takeOut(b *backlog) {
	switch {
	case b.place == nowhere:
	case b.apart:
		pq.Remove(&f.apart, b.place)
	default:
		pq.Remove(&b.domain.hosts, b.place)
	}
}

// before orders backlogs by when to look at them; of those at the same instant, the least recently served comes first.
func (b *backlog) before(o *backlog) bool {
	if b.at != o.at {
		return b.at < o.at
	}
	return b.served < o.served
}

func (b *backlog) setPlace(i int) { b.place = i }
