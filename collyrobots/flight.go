package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// flight is one fetch of a robots.txt. Any number of requests wait for it, and none of them can make it fail for the others. It goes on when
// the last one leaves: were it ended, callers with less patience than the site needs would ask for robots.txt once per URL.
type flight struct {
	done   chan struct{} // closed when it is over
	cancel context.CancelCauseFunc
	state  *state // what came of it; nil: nothing. To be read once done is closed, like err
	err    error  // why nothing came of it; nil with a nil state: its context ended

	// What follows is guarded by the site's mu.
	waiters int
	over    bool
	writing bool        // its outcome is being put into store and memory
	release func() bool // not nil: Close ends the flight, unless release is called before
}

// errClosed ends a flight that nobody waits for when its Robots is closed.
var errClosed = errors.New("collyrobots: closed")

// errBrokenOff is of a flight whose goroutine was ended by user code that it called.
var errBrokenOff = errors.New("collyrobots: the fetch of robots.txt was broken off by runtime.Goexit in a transport, a store or a callback")

// obtain returns the state of s, fetching robots.txt by way of w if it is not known. A copy that is getting old is fetched anew in the
// background. It waits until ctx ends, and then returns its cause; a fetch that was refused before it was sent is that refusal.
//
// Who has waited for a fetch takes what it came to, however short its life: one call never fetches twice.
func (r *Robots) obtain(ctx context.Context, s *site, w way) (*state, standing, error) {
	for {
		now := time.Now()
		st := s.state.Load()
		if sd := st.at(now, &r.options); sd != unknown {
			if st.wantsRefresh(now) {
				r.refresh(s, w)
			}
			return st, sd, nil
		}
		f := r.join(&s, w)
		if f == nil {
			continue // it came meanwhile
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			r.leave(s, f)
			return nil, unknown, context.Cause(ctx)
		}
		switch {
		case f.err != nil:
			return nil, unknown, f.err
		case f.state != nil:
			return f.state, f.state.atItsBest(time.Now(), &r.options), nil
		}
		if err := w.ended(); err != nil {
			return nil, unknown, fmt.Errorf("collyrobots: the collector that would fetch robots.txt has ended: %w", err)
		}
		// It ended with another collector's context, or with Close: nothing was learnt.
	}
}

// join makes the caller wait for the flight of *s, which is started if there is none. It returns nil if there is nothing to wait for any
// more. If the site was dropped from the cache meanwhile, *s becomes the one that took its place.
func (r *Robots) join(s **site, w way) *flight {
	for {
		site := *s
		site.mu.Lock()
		if site.gone {
			site.mu.Unlock()
			*s = r.cache.get(site.origin)
			(*s).route.Store(w.route)
			continue
		}
		f := site.flight
		switch {
		case site.state.Load().at(time.Now(), &r.options) != unknown:
			site.mu.Unlock()
			return nil
		case f != nil:
			f.waiters++
			site.mu.Unlock()
			return f
		}
		ctx, f := newFlight(w)
		f.waiters = 1
		site.flight = f
		site.mu.Unlock()
		go r.fly(ctx, site, f, w)
		return f
	}
}

// leave is called by who waits no longer. A flight without waiters is work in the background, which does not outlive Close.
func (r *Robots) leave(s *site, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.waiters--
	if f.waiters > 0 || f.over || f.release != nil {
		return
	}
	if !r.inBackground(f) {
		f.cancel(errClosed)
	}
}

// inBackground lets Close end f and wait for it; false: Close was called already. The caller holds the mu of the flight's site.
func (r *Robots) inBackground(f *flight) bool {
	if !r.startWork() {
		return false
	}
	f.release = context.AfterFunc(r.open, func() { f.cancel(errClosed) })
	return true
}

// fly is the flight itself. It runs in a goroutine of its own, where a panic of the user's code would end the process: it becomes the error of
// those who wait.
func (r *Robots) fly(ctx context.Context, s *site, f *flight, w way) {
	defer func() {
		if p := recover(); p != nil {
			f.state, f.err = nil, fmt.Errorf("collyrobots: the fetch of robots.txt: %w", panicked{p})
		}
		s.mu.Lock()
		if s.flight == f {
			s.flight = nil
		}
		f.over = true
		release := f.release
		s.mu.Unlock()
		f.cancel(nil)
		close(f.done)
		if release != nil {
			release()
			r.work.Done()
		}
	}()
	f.err = errBrokenOff
	f.state, f.err = r.renew(ctx, s, f, w)
}

// newFlight is a flight and what it lives in: that ends with the user's context, and with nothing that belongs to a single request.
func newFlight(w way) (context.Context, *flight) {
	ctx, cancel := context.WithCancelCause(withoutDeadline{w.user})
	return ctx, &flight{done: make(chan struct{}), cancel: cancel}
}

// withoutDeadline ends when its parent does, but does not say so beforehand: the chain takes a deadline for the timeout of a client.
type withoutDeadline struct{ context.Context }

func (withoutDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }
