package throttle

import (
	"errors"
	"fmt"

	"github.com/gocolly/colly/v2"
)

// drawAtOnce is how many requests are drawn before the frontier looks whether one can be handed out.
const drawAtOnce = 100

// store writes a request to the backing storage. A handler may not look at the error, so it is told in any case.
func (f *Frontier) store(text []byte, h head) error {
	err := f.backing.AddRequest(text)
	switch {
	case err == nil:
		f.mayDraw.Store(true)
		f.ring()
		return nil
	case errors.Is(err, colly.ErrQueueFull):
		return f.full(h, err)
	}
	f.throttle.teller.Log().Error("throttle: the frontier's storage did not take a request: it is lost", "url", h.url.Redacted(), "host", h.host, "err", err)
	return err
}

// draw takes requests out of the backing storage while there is room, and reports whether it may have more. It is called by whoever leads.
func (f *Frontier) draw() (more bool, err error) {
	if f.backing == nil {
		return false, nil
	}
	now := f.throttle.now()
	f.mu.Lock()
	room := min(f.drawAhead()-f.open, f.maxSize()-f.total)
	idle := f.open == 0
	f.mu.Unlock()
	if room <= 0 || !idle && !f.mayDraw.Load() && now < f.polled.Load()+int64(pollBacking) {
		return false, nil
	}
	f.mayDraw.Store(false)
	f.polled.Store(now)
	stored, err := f.backing.QueueSize()
	if err != nil {
		return false, fmt.Errorf("throttle: the frontier's storage: %w", err)
	}
	n := min(stored, room, drawAtOnce)
	for i := range n {
		text, err := f.backing.GetRequest()
		if err != nil && i == 0 {
			if left, _ := f.backing.QueueSize(); left == stored {
				return false, fmt.Errorf("throttle: the frontier's storage has %d requests and gives none: %w", stored, err)
			}
		}
		if err != nil || len(text) == 0 {
			return false, nil // another process was faster
		}
		f.take(item(text))
	}
	if stored > n {
		f.mayDraw.Store(true)
	}
	return stored > n && room > n, nil
}

// take queues a request from the backing storage.
func (f *Frontier) take(it item) {
	h, err := it.head()
	if err != nil {
		f.throttle.teller.Log().Error("throttle: the frontier's storage holds what is no request: it is dropped", "err", err)
		return
	}
	if refusal := f.refuses(h); refusal != nil {
		f.setAside(it)
		f.tell(h, refusal)
		return
	}
	f.add(it, h.host)
}

// putBack writes what was not handed out to the backing storage, each host's requests in their order. What the storage does not take stays here.
func (f *Frontier) putBack() error {
	if f.backing == nil {
		return nil
	}
	now := f.throttle.now()
	f.mu.Lock()
	items := f.aside
	f.aside = nil
	for _, b := range f.backlogs {
		items = append(items, b.items...)
		f.put(b, nil, now)
		b.told = 0
	}
	f.total -= len(items)
	f.mu.Unlock()
	for i, it := range items {
		err := f.backing.AddRequest([]byte(it))
		if err == nil {
			f.mayDraw.Store(true)
			continue
		}
		for _, it := range items[i:] {
			if h, err := it.head(); err == nil {
				f.add(it, h.host)
			}
		}
		return fmt.Errorf("throttle: %d requests could not be put back into the frontier's storage: %w", len(items)-i, err)
	}
	return nil
}
