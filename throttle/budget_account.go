package throttle

import (
	"fmt"
	"time"
)

// account counts what one host was asked for on one day, by all processes as far as this one knows. The shard's mutex guards it. A nil account counts
// nothing and is never spent.
type account struct {
	day     int32 // since 1970
	most    tally
	used    tally
	unfiled tally // what this process must still add to the file of the day: requests that were not sent after all, and octets
}

// today is the day by the wall clock: a computer that slept wakes up on another.
func today() int32 { return int32(time.Now().Unix() / int64(aDay/time.Second)) }

// endOf is the midnight at which a day ends.
func endOf(day int32) time.Time { return time.Unix((int64(day)+1)*int64(aDay/time.Second), 0) }

// counts is the host's account, with the count of today; it is made if there is none.
func (h *host) counts() *account {
	m := h.extra()
	if m.account == nil {
		m.account = &account{day: today()}
	}
	m.account.turn()
	return m.account
}

// keepBudget notes the budget of a host on a port. A host on several ports keeps the lesser of each limit.
func (h *host) keepBudget(b *budget) {
	most := &h.counts().most
	lesser := func(most *int64, limit int64) {
		if limit > 0 && (*most == 0 || limit < *most) {
			*most = limit
		}
	}
	lesser(&most.requests, b.most.requests)
	lesser(&most.bytes, b.most.bytes)
}

// turn begins the count of a new day. A clock that is set back by less than a day begins none anew.
func (a *account) turn() {
	if day := today(); day > a.day || day < a.day-1 {
		*a = account{day: day, most: a.most}
	}
}

// spentUntil is when there is a budget again; zero: there is one.
func (a *account) spentUntil(now int64) int64 {
	if a == nil {
		return 0
	}
	if a.turn(); !a.used.reaches(a.most) {
		return 0
	}
	return a.endsAt(now)
}

// keptUntil is until when the count must be remembered; zero: there is nothing to remember.
func (a *account) keptUntil(now int64) int64 {
	if a == nil {
		return 0
	}
	if a.turn(); a.used == (tally{}) {
		return 0
	}
	return a.endsAt(now)
}

func (a *account) endsAt(now int64) int64 {
	return now + int64(endOf(a.day).Sub(time.Now().Round(0)))
}

// today is what was counted on this day.
func (a *account) today() (requests int, bytes int64) {
	if a == nil {
		return 0, 0
	}
	a.turn()
	return int(a.used.requests), a.used.bytes
}

// limit says which limit is reached.
func (a *account) limit() string {
	if a.most.requests > 0 && a.used.requests >= a.most.requests {
		return fmt.Sprintf("%d requests", a.most.requests)
	}
	return fmt.Sprintf("%d bytes", a.most.bytes)
}

// takeUnfiled is what is to be filed now. The caller holds the lock.
func (a *account) takeUnfiled() tally {
	unfiled := a.unfiled
	a.unfiled = tally{}
	return unfiled
}

// count counts a start. The caller holds the lock.
func (tn *Turn) count() {
	tn.account, tn.claimed = nil, false
	if m := tn.gate.host.more; m != nil && m.account != nil {
		a := m.account
		a.turn()
		a.used.add(tally{requests: 1})
		tn.account, tn.day = a, a.day
	}
}

// uncount takes back a start that led to nothing. The caller holds the lock.
func (tn *Turn) uncount() {
	a := tn.account
	tn.account = nil
	if a == nil || a.day != tn.day {
		return
	}
	a.used.add(tally{requests: -1})
	if tn.claimed {
		a.unfiled.requests--
	}
}

// read counts octets of a body.
func (tn *Turn) read(n int64) {
	g := tn.gate
	if len(g.throttle().budgets) == 0 {
		return
	}
	g.shard.mu.Lock()
	defer g.shard.mu.Unlock()
	tn.ate(n)
}

// ate is read with the lock held.
func (tn *Turn) ate(n int64) {
	if a := tn.account; a != nil {
		a.turn()
		a.used.add(tally{bytes: n})
		a.unfiled.bytes += n
	}
}
