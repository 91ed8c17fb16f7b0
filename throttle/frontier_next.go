package throttle

import (
	"context"
	"math"
	"time"
)

// pollBacking is how often a backing storage is asked while the frontier waits: other processes may add to it.
const pollBacking = time.Second

// GetRequest implements queue.Storage. It blocks until the host of a queued request may be asked, Close is called, or nothing is left that can be
// handed out, which is an error.
func (f *Frontier) GetRequest() ([]byte, error) {
	it, _, err := f.next(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	return []byte(it), nil
}

// next waits for a request that may be handed out. One caller at a time looks and waits for the clock; the others wait for their turn to. With r, the
// request counts as active until done is called, and the frontier is empty only when none is active.
func (f *Frontier) next(ctx context.Context, r *run) (item, *backlog, error) {
	select {
	case f.lead <- struct{}{}:
		defer func() { <-f.lead }()
	case <-ctx.Done():
		return "", nil, context.Cause(ctx)
	case <-f.closing:
		return "", nil, ErrClosed
	case <-f.throttle.closing:
		return "", nil, ErrClosed
	}
	drained := false
	for {
		if f.isClosed() {
			return "", nil, ErrClosed
		}
		if ctx.Err() != nil {
			return "", nil, context.Cause(ctx)
		}
		more, err := f.draw()
		if err != nil {
			return "", nil, err
		}
		if it, b, ok := f.pick(r != nil); ok {
			return it, b, nil
		}
		if more {
			continue
		}
		at, empty := f.idle(r != nil)
		if empty {
			if r == nil || drained || !r.collector.Async {
				return "", nil, errEmpty
			}
			r.collector.Wait() // a request under way may lead to further ones; nobody else hands out meanwhile
			drained = true
			continue
		}
		drained = false
		f.sleep(ctx, at)
	}
}

// idle is when the next backlog is to be looked at, and whether nothing is left to wait for.
func (f *Frontier) idle(running bool) (at int64, empty bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.changed) > 0 {
		return 0, false
	}
	at = math.MaxInt64
	if len(f.due) > 0 {
		at = f.due[0].at()
	}
	if len(f.apart) > 0 {
		at = min(at, f.apart[0].at)
	}
	if f.backing != nil {
		at = min(at, f.polled.Load()+int64(pollBacking))
	}
	return at, f.open+f.moving == 0 && !(running && f.active > 0)
}

// sleep waits until the instant, or until something happens.
func (f *Frontier) sleep(ctx context.Context, at int64) {
	var clock <-chan time.Time
	if at != math.MaxInt64 {
		timer := time.NewTimer(time.Duration(at - f.throttle.now()))
		defer timer.Stop()
		clock = timer.C
	}
	select {
	case <-clock:
	case <-f.bell:
	case <-ctx.Done():
	case <-f.closing:
	case <-f.throttle.closing:
	}
}

// pick takes out the request of the host that could be asked first, if one can be asked now.
func (f *Frontier) pick(running bool) (item, *backlog, bool) {
	for {
		f.lookAtApart()
		now := f.throttle.now()
		f.mu.Lock()
		if len(f.due) == 0 || f.due[0].at() > now {
			f.mu.Unlock()
			return "", nil, false
		}
		b := f.due[0].hosts[0]
		f.mu.Unlock()
		it, ok := f.look(b, now, true, running)
		if ok && f.admits(it, b, running) {
			return it, b, true
		}
	}
}

func (f *Frontier) lookAtChanged() {
	for {
		f.mu.Lock()
		n := len(f.changed)
		if n == 0 {
			f.mu.Unlock()
			return
		}
		b := f.changed[n-1]
		f.changed[n-1] = nil
		f.changed = f.changed[:n-1]
		b.marked = false // before it is looked at: what happens meanwhile marks it anew
		f.mu.Unlock()
		f.look(b, f.throttle.now(), false, false)
	}
}

// lookAtApart looks at the hosts that something happened to, and at those apart whose time has come: set aside and to be
// asked again, or handed out without a sign.
func (f *Frontier) lookAtApart() {
	f.lookAtChanged()
	for {
		now := f.throttle.now()
		f.mu.Lock()
		if len(f.apart) == 0 || f.apart[0].at > now {
			f.mu.Unlock()
			return
		}
		b := f.apart[0]
		f.mu.Unlock()
		f.look(b, now, false, false)
	}
}

// look finds out how the host stands and when to look again. With take, it takes out the first request if the host may be asked now.
func (f *Frontier) look(b *backlog, now int64, take, running bool) (it item, ok bool) {
	f.looking.Lock()
	o := f.throttle.outlook(b.host, now)
	f.mu.Lock()
	if f.backlogs[b.host] != b {
		f.mu.Unlock()
		f.looking.Unlock()
		return "", false
	}
	if o.held != nil {
		held, untold := f.hold(b, o)
		f.mu.Unlock()
		f.looking.Unlock()
		f.tellHeld(held, untold)
		return "", false
	}
	if b.held != nil {
		b.held, b.told = nil, 0
		f.open += len(b.items)
	}
	at := f.readyAt(b, o, now)
	switch {
	case len(b.items) == 0 && b.handed == 0:
		f.drop(b)
	case take && at <= now && len(b.items) > 0 && f.hasRoom(b.domain, now):
		it, ok = b.items[0], true
		b.items[0] = ""
		if b.items = b.items[1:]; len(b.items) == 0 {
			b.items = nil
		}
		f.open--
		f.total--
		if running {
			f.active++
		}
		f.handOuts++
		b.handed, b.joined, b.served = now, o.joined, f.handOuts
		b.counted = true
		b.domain.handed++
		f.move(b, now+int64(handOutFor))
	default:
		f.move(b, at)
	}
	f.mu.Unlock()
	f.looking.Unlock()
	return it, ok
}

// readyAt is when the backlog's next request may be handed out, as far as its host goes. The caller holds mu.
func (f *Frontier) readyAt(b *backlog, o outlook, now int64) int64 {
	if b.handed == 0 {
		return max(o.at, b.since)
	}
	signBy := b.handed + int64(handOutFor)
	if o.joined == b.joined && now < signBy {
		return signBy
	}
	f.uncount(b)
	// A robots.txt goes first: the page has its time from its end on.
	if o.robots {
		signBy = max(o.at, now+int64(handOutFor))
	} else {
		signBy = max(signBy, o.last+int64(handOutFor))
	}
	if o.joined == b.joined && now < signBy {
		return signBy
	}
	f.arrived(b)
	return max(o.at, b.since)
}
