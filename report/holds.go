package report

import (
	"slices"
	"strings"
	"time"
)

// Hold is a time in which a host is left alone. Its Reason says what it is: RateLimited is a block, which a 429 or 503 earned; Stopped a stop; any other means
// that the host is parked.
type Hold struct {
	Reason Reason    `json:"reason"`
	From   time.Time `json:"from"`             // zero in a call of Hold: now
	Until  time.Time `json:"until,omitzero"`   // zero: until it is lifted
	Status int       `json:"status,omitempty"` // of the answer that led to it; 0: none did
	Detail string    `json:"detail,omitempty"` // one sentence for people
}

const (
	// maxHolds is how many holds of one host are kept, the latest.
	maxHolds = 20
	// underWay is how long after a block began a request may still be seen without a promise being broken: it was past the throttle already.
	underWay = time.Second
)

// Hold notes that a host is left alone. One that it overlaps, for the same reason, is made longer and not counted again; it is never made shorter.
// What is sent while a block is in force, a second after it began at the earliest, is a broken promise.
func (r *Report) Hold(host string, h Hold) {
	if host == "" || h.Reason == "" {
		return
	}
	t := r.table()
	now := t.instant(h.From)
	until := int64(0)
	if !h.Until.IsZero() {
		until = t.instant(h.Until)
	}
	s := t.shard(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	tl := s.of(host, now)
	tl.seen(now)
	if !tl.holds.add(hold{h.Reason, now, until, h.Status, strings.Clone(cutText(h.Detail))}) {
		return
	}
	switch h.Reason {
	case RateLimited:
		tl.blocks++
	case Stopped:
		tl.stops++
	default:
		tl.parkings++
	}
}

// Lift notes that a person ended what held the host back for one of the reasons; without reasons, whatever did.
func (r *Report) Lift(host string, reasons ...Reason) {
	t := r.table()
	now := t.instant(time.Time{})
	s := t.shard(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	if tl := s.hosts[host]; tl != nil {
		tl.holds.lift(now, reasons)
	}
}

// hold is a Hold in instants.
type hold struct {
	reason      Reason
	from, until int64 // until 0: open
	status      int
	detail      string
}

func (h *hold) inForce(now int64) bool { return h.from <= now && (h.until == 0 || now < h.until) }

// touches reports whether the two are one hold: of two that are told at the same moment, the later may come first.
func (h *hold) touches(o *hold) bool {
	return (h.until == 0 || o.from < h.until) && (o.until == 0 || h.from < o.until)
}

// holds are the latest holds of a host.
type holds []hold

// add reports whether the hold is a new one.
func (hs *holds) add(h hold) bool {
	for i := range *hs {
		old := &(*hs)[i]
		if old.reason != h.reason || !old.touches(&h) {
			continue
		}
		old.from = min(old.from, h.from)
		if h.until == 0 || old.until != 0 && h.until > old.until {
			old.until = h.until
		}
		return false
	}
	if len(*hs) == maxHolds {
		*hs = append((*hs)[:0], (*hs)[1:]...)
	}
	*hs = append(*hs, h)
	return true
}

func (hs holds) lift(now int64, reasons []Reason) {
	for i := range hs {
		if hs[i].inForce(now) && (len(reasons) == 0 || slices.Contains(reasons, hs[i].reason)) {
			hs[i].until = now
		}
	}
}

// block is a block that is in force and was a second ago, nil if there is none.
func (hs holds) block(now int64) *hold {
	for i := range hs {
		if h := &hs[i]; h.reason == RateLimited && h.until != 0 && h.inForce(now) && h.inForce(now-int64(underWay)) {
			return h
		}
	}
	return nil
}

// current is the hold that is in force, nil if there is none. Of several the latest counts.
func (hs holds) current(now int64) *hold {
	for i := len(hs) - 1; i >= 0; i-- {
		if hs[i].inForce(now) {
			return &hs[i]
		}
	}
	return nil
}
