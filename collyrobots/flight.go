package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// flight is one fetch of a robots.txt. Any number of requests wait for it; none of them can make it fail for the others, and when the last
// one leaves, it is ended.
type flight struct {
	done    chan struct{} // closed when it is over
	cancel  context.CancelCauseFunc
	refused error // why it was not sent; to be read once done is closed

	waiters    int  // guarded by the site's mu
	background bool // goes on without waiters; guarded by the site's mu
}

// errUnwanted ends a flight that nobody waits for any more.
var errUnwanted = errors.New("collyrobots: nobody waits for this robots.txt any more")

// errClosed ends a refresh when its Robots is closed.
var errClosed = errors.New("collyrobots: closed")

// obtain returns the state of s, fetching robots.txt by way of rt if it is not known. A copy that is getting old is fetched anew in the
// background. It waits until ctx ends, and then returns its cause; a fetch that was refused before it was sent is that refusal.
func (r *Robots) obtain(ctx context.Context, s *site, rt *route) (*state, standing, error) {
	for {
		now := time.Now()
		st := s.state.Load()
		if sd := st.at(now, &r.options); sd != unknown {
			if st.wantsRefresh(now) {
				r.refresh(s, rt)
			}
			return st, sd, nil
		}
		f := r.join(&s, rt)
		if f == nil {
			continue // it came meanwhile
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			s.leave(f)
			return nil, unknown, context.Cause(ctx)
		}
		if f.refused != nil {
			return nil, unknown, f.refused
		}
		if err := rt.ended(); err != nil {
			return nil, unknown, fmt.Errorf("collyrobots: the collector that would fetch robots.txt has ended: %w", err)
		}
	}
}

// join makes the caller wait for the flight of *s, which is started if there is none. It returns nil if there is nothing to wait for any
// more. If the site was dropped from the cache meanwhile, *s becomes the one that took its place.
func (r *Robots) join(s **site, rt *route) *flight {
	ctx, cancel := r.flightContext(rt)
	for {
		site := *s
		site.mu.Lock()
		if site.gone {
			site.mu.Unlock()
			*s = r.cache.get(site.origin)
			(*s).route.Store(rt)
			continue
		}
		if site.state.Load().at(time.Now(), &r.options) != unknown {
			site.mu.Unlock()
			cancel(nil)
			return nil
		}
		f := site.flight
		if f == nil {
			f = &flight{done: make(chan struct{}), cancel: cancel}
			site.flight = f
			cancel = nil
		}
		f.waiters++
		site.mu.Unlock()
		if cancel == nil {
			go r.fly(ctx, site, f, rt)
		} else {
			cancel(nil)
		}
		return f
	}
}

// leave ends the flight if nobody else waits for it.
func (s *site) leave(f *flight) {
	s.mu.Lock()
	f.waiters--
	unwanted := f.waiters == 0 && !f.background
	if unwanted && s.flight == f {
		s.flight = nil // who comes now begins a new one
	}
	s.mu.Unlock()
	if unwanted {
		f.cancel(errUnwanted)
	}
}

// fly is the flight itself.
func (r *Robots) fly(ctx context.Context, s *site, f *flight, rt *route) {
	f.refused = r.renew(ctx, s, rt)
	s.mu.Lock()
	if s.flight == f {
		s.flight = nil
	}
	s.mu.Unlock()
	f.cancel(nil)
	close(f.done)
}

// flightContext is what a flight lives in: it ends with the user's context of the chain that it goes through, and with nothing that belongs to
// a single request.
func (r *Robots) flightContext(rt *route) (context.Context, context.CancelCauseFunc) {
	parent := context.Background()
	if rt.chain != nil {
		parent = rt.chain.FetchContext()
	}
	return context.WithCancelCause(withoutDeadline{parent})
}

// withoutDeadline ends when its parent does, but does not say so beforehand: the chain takes a deadline for the timeout of a client.
type withoutDeadline struct{ context.Context }

func (withoutDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }
