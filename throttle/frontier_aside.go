package throttle

import (
	"errors"

	"github.com/collyetiquette/etiquette/report"
)

// hold sets a host's requests aside, and returns those that were not told of this hold yet. The caller holds mu.
func (f *Frontier) hold(b *backlog, o outlook) (held *Error, untold []item) {
	f.arrived(b)
	switch {
	case b.held == nil:
		f.open -= len(b.items)
		b.told = 0
	case b.held.Reason != o.held.Reason:
		b.told = 0
	}
	b.held = o.held
	untold = b.items[b.told:len(b.items):len(b.items)]
	b.told = len(b.items)
	if b.told == 0 {
		f.drop(b)
	} else {
		f.move(b, o.until)
	}
	return o.held, untold
}

// tellHeld tells each request as a skip of the hold.
func (f *Frontier) tellHeld(held *Error, items []item) {
	for _, it := range items {
		if h, err := it.head(); err == nil {
			e := *held
			e.URL, e.Method = h.url.Redacted(), h.method
			f.throttle.teller.Skipped(nil, e.Skip())
		}
	}
}

// refuses is what the filter says against a request.
func (f *Frontier) refuses(h head) error {
	if f.Filter == nil {
		return nil
	}
	return f.Filter(h.url)
}

// tell tells a request that the filter refused.
func (f *Frontier) tell(h head, refusal error) {
	s := report.Skip{Reason: report.Stopped, Detail: refusal.Error()}
	var r report.Refusal
	if errors.As(refusal, &r) {
		s = r.Skip()
	}
	s.Time, s.URL, s.Method, s.Host = f.throttle.wall(f.throttle.now()), h.url.Redacted(), h.method, h.host
	f.throttle.teller.Skipped(nil, s)
}

// setAside keeps a request that the filter refused, unless there is no room.
func (f *Frontier) setAside(it item) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total >= f.maxSize() {
		return false
	}
	f.total++
	f.aside = append(f.aside, it)
	return true
}

// admits asks the filter about a request that was taken out to be handed out; one that is refused is set aside.
func (f *Frontier) admits(it item, b *backlog, running bool) bool {
	if f.Filter == nil {
		return true
	}
	h, err := it.head()
	if err != nil {
		return true // whoever gets it will say so
	}
	refusal := f.refuses(h)
	if refusal == nil {
		return true
	}
	f.mu.Lock()
	f.total++
	f.aside = append(f.aside, it)
	if running {
		f.active--
	}
	f.arrived(b)
	f.mark(b)
	f.mu.Unlock()
	f.tell(h, refusal)
	return false
}

// Refilter asks Filter about everything that is queued: call it when a host was stopped, so that its URLs are told at once and no Run waits for them, and
// when a stop was lifted, so that they come back. It does nothing without a Filter.
func (f *Frontier) Refilter() {
	if f.Filter == nil {
		return
	}
	f.mu.Lock()
	aside := f.aside
	f.aside = nil
	f.moving += len(aside)
	backlogs := make([]*backlog, 0, len(f.backlogs))
	for _, b := range f.backlogs {
		backlogs = append(backlogs, b)
	}
	f.mu.Unlock()

	for _, b := range backlogs {
		f.mu.Lock()
		items := b.items
		f.put(b, nil, b.since)
		told := b.told
		b.told = 0
		f.moving += len(items)
		f.mu.Unlock()
		stay, _ := f.sift(items, true)
		if len(stay) < len(items) {
			told = 0 // it is not known whose
		}
		f.giveBack(b.host, stay, len(items), told)
	}
	back, byHost := f.sift(aside, false)
	if len(back) == 0 {
		f.giveBack("", nil, len(aside), 0)
		return
	}
	left := len(aside)
	for host, items := range byHost {
		f.giveBack(host, items, len(items), 0)
		left -= len(items)
	}
	f.giveBack("", nil, left, 0)
}

// sift asks the filter about each item and sets aside what it refuses.
func (f *Frontier) sift(items []item, tell bool) (stay []item, byHost map[string][]item) {
	byHost = make(map[string][]item)
	for _, it := range items {
		h, err := it.head()
		if err != nil {
			continue
		}
		refusal := f.refuses(h)
		if refusal == nil {
			stay = append(stay, it)
			byHost[h.host] = append(byHost[h.host], it)
			continue
		}
		f.mu.Lock()
		f.aside = append(f.aside, it)
		f.mu.Unlock()
		if tell {
			f.tell(h, refusal)
		}
	}
	return stay, byHost
}

// giveBack puts items in front of what their host has, and counts so many as moved.
func (f *Frontier) giveBack(host string, items []item, moved, told int) {
	now := f.throttle.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.moving -= moved
	f.ring()
	if len(items) == 0 {
		return
	}
	b := f.backlog(host, now)
	f.put(b, append(items, b.items...), now)
	b.told = told
}
