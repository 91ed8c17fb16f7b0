package chain

import (
	"sync"
	"time"
	"weak"
)

// deadlines are the instants at which attempts run out. Nearly all of a chain have the same timeout, so that they come up in the order in which they
// were added, and one timer serves them all: a timer for each would cost a request more than all else that the chain does. The zero value is empty.
type deadlines struct {
	mu          sync.Mutex
	first, last *deadline // by instant
	epoch       time.Time // what instants are counted from
	timer       *time.Timer
	armed       bool          // the timer will fire, at
	at          time.Duration // this instant or before it
}

// deadline is that of one hop.
type deadline struct {
	hop        *Hop          // nil: it is in no queue
	at         time.Duration // since the queue's epoch
	prev, next *deadline
}

// add lets a hop's attempt run out after so long. One that is queued already starts anew.
func (q *deadlines) add(h *Hop, after time.Duration) {
	d := &h.deadline
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.epoch.IsZero() {
		q.epoch = time.Now()
	}
	q.take(d)
	d.at = time.Since(q.epoch) + after
	before := q.last
	for before != nil && before.at > d.at {
		before = before.prev
	}
	d.hop, d.prev = h, before
	if before == nil {
		d.next, q.first = q.first, d
	} else {
		d.next, before.next = before.next, d
	}
	if d.next == nil {
		q.last = d
	} else {
		d.next.prev = d
	}
	if q.first == d && (!q.armed || d.at < q.at) {
		q.arm(d.at, after)
	}
}

// remove takes a hop's deadline back. The timer is left as it is: it finds nothing to do, or the next.
func (q *deadlines) remove(h *Hop) {
	q.mu.Lock()
	q.take(&h.deadline)
	q.mu.Unlock()
}

// take unlinks d. The caller holds mu.
func (q *deadlines) take(d *deadline) {
	if d.hop == nil {
		return
	}
	if d.prev == nil {
		q.first = d.next
	} else {
		d.prev.next = d.next
	}
	if d.next == nil {
		q.last = d.prev
	} else {
		d.next.prev = d.prev
	}
	d.hop, d.prev, d.next = nil, nil, nil
}

// arm sets the timer. The caller holds mu.
func (q *deadlines) arm(at, after time.Duration) {
	q.armed, q.at = true, at
	if q.timer == nil {
		w := weak.Make(q) // a timer that finds nothing to do keeps no chain alive
		q.timer = time.AfterFunc(after, func() {
			if q := w.Value(); q != nil {
				q.fire()
			}
		})
		return
	}
	q.timer.Reset(after)
}

// fire ends what has run out, and waits for the next.
func (q *deadlines) fire() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Since(q.epoch)
	q.armed = false
	for q.first != nil && q.first.at <= now {
		h := q.first.hop
		q.take(q.first)
		go h.expire()
	}
	if q.first != nil {
		q.arm(q.first.at, q.first.at-now)
	}
}
