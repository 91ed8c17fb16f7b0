package throttle

import (
	pq "container/heap"
	"strings"
	"time"
)

// domain is the hosts that share a ceiling, in the order in which they are to be looked at, but for those apart. A host that has no
// ceiling is alone in a domain without a name. Whether the ceiling has room is asked for the whole domain, when one of its hosts is ready: a host that
// waits for room keeps its place by the instant at which it became ready. The frontier's mu guards it.
type domain struct {
	name     string
	backlogs int // those apart, too
	hosts    dueHeap[*backlog]
	handed   int   // hand-outs that are expected to come for a start at any moment
	room     int64 // when the ceiling is to be asked again; it had no room before. 0: at once
	place    int   // in Frontier.due; nowhere if it has no hosts
}

// domainOf finds or makes the host's. The caller holds mu.
func (f *Frontier) domainOf(host string) *domain {
	name := f.throttle.ceilings.domainOf(host)
	if d := f.domains[name]; d != nil {
		return d
	}
	d := &domain{name: strings.Clone(name), place: nowhere}
	if name != "" {
		f.domains[d.name] = d
	}
	return d
}

// hasRoom reports whether the domain's ceiling has room for one more start, and notes when to ask again if it has not. The caller holds mu.
func (f *Frontier) hasRoom(d *domain, now int64) bool {
	if d.name == "" {
		return true
	}
	if now < d.room {
		return false
	}
	d.room = 0
	if wait := f.throttle.ceilings.spare(d.name, d.handed, time.Now()); wait > 0 {
		d.room = now + int64(wait)
	}
	f.moved(d)
	return d.room == 0
}

// moved puts a domain where it belongs, after its hosts or its room have changed. The caller holds mu.
func (f *Frontier) moved(d *domain) {
	switch {
	case d.place != nowhere && len(d.hosts) > 0:
		pq.Fix(&f.due, d.place)
	case d.place != nowhere:
		pq.Remove(&f.due, d.place)
	case len(d.hosts) > 0:
		pq.Push(&f.due, d)
	}
}

// at is when to look at the domain's first host.
func (d *domain) at() int64 { return max(d.hosts[0].at, d.room) }

func (d *domain) before(o *domain) bool {
	if d.at() != o.at() {
		return d.at() < o.at()
	}
	return d.hosts[0].served < o.hosts[0].served
}

func (d *domain) setPlace(i int) { d.place = i }
