package collyrobots

import (
	"context"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// renew finds out what the robots.txt of s says now, and keeps it: from the store if that is newer, else from the site. The error is the
// refusal of the request: then nothing was sent and nothing is kept. If ctx ends, nothing is kept either, and the state is nil.
func (r *Robots) renew(ctx context.Context, s *site, f *flight, w way) (*state, error) {
	forgets := r.forgets.Load()
	prev := s.state.Load()
	if stored := r.load(ctx, s.origin); stored != nil && stored.newest().After(prev.newest()) {
		if stored.at(time.Now(), &r.options) != unknown {
			r.publish(s, stored, w)
			return stored, nil
		}
		prev = stored
	}
	out, err := r.fetch(ctx, s.origin, w, prev)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil // who still waits begins anew
		}
		return nil, err
	}
	now := wall()
	next := r.after(prev, out, now)
	if !s.mayWrite(f) {
		return next, nil
	}
	r.keep(ctx, s.origin, next)
	r.publish(s, next, w)
	r.tellOutcome(s.origin, next, w)
	if r.forgets.Load() == forgets { // else it may be one of those that was to be forgotten
		r.share(ctx, out, next, now, w)
	}
	return next, nil
}

// wall is the time without its monotonic reading: what it is compared with may come from another process, or from before the machine slept.
func wall() time.Time { return time.Now().Round(0) }

// fetch asks the site.
func (r *Robots) fetch(ctx context.Context, o origin.Origin, w way, prev *state) (outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	clock, stop := newWireClock(cancel)
	defer stop()
	f := &fetch{
		origin: o, way: w, prev: prev, limit: r.options.MaxBody, clock: clock,
		look: func(o origin.Origin) *state {
			if s := r.cache.peek(o); s != nil {
				if st := s.state.Load(); st.at(time.Now(), &r.options) != unknown {
					return st
				}
			}
			return nil
		},
	}
	return f.run(ctx)
}

// after is what is known after a fetch.
func (r *Robots) after(prev *state, out outcome, now time.Time) *state {
	switch {
	case out.known != nil:
		return out.known
	case out.copy != nil:
		c := *out.copy
		c.FetchedAt, c.ExpiresAt = now, now.Add(lifeOf(out.header, now, r.options.MaxAge))
		return &state{copy: holdCopy(c), early: true}
	case out.notModified:
		c := prev.copy.Copy
		c.FetchedAt, c.ExpiresAt = now, now.Add(lifeOf(out.header, now, r.options.MaxAge))
		if tag := out.header.Get("ETag"); tag != "" {
			c.ETag = tag
		}
		if modified := out.header.Get("Last-Modified"); modified != "" {
			c.LastModified = modified
		}
		return &state{copy: prev.copy.renewed(c), early: true}
	}
	return prev.fails(out.class, out.status, out.cause, out.wait, now)
}

// share gives the outcome to the other origins whose robots.txt it is: those that a redirect led through to a file, and the one that gave
// the answer itself. One of which something is known that counts keeps it.
func (r *Robots) share(ctx context.Context, out outcome, next *state, now time.Time, w way) {
	also := out.also
	if out.copy == nil && !out.notModified && out.known == nil {
		if !out.final || len(also) == 0 {
			return
		}
		also = also[len(also)-1:]
	}
	for _, o := range also {
		s := r.cache.get(o)
		old := s.state.Load()
		if old.at(now, &r.options) != unknown {
			continue
		}
		theirs := next
		if next.failure != nil && out.known == nil {
			theirs = old.fails(out.class, out.status, out.cause, out.wait, now)
		}
		r.keep(ctx, o, theirs)
		r.publish(s, theirs, w)
		r.tellOutcome(o, theirs, w)
	}
}

// publish makes st what memory knows of s. The rules for whoever asked are compiled first, once for all that wait.
func (r *Robots) publish(s *site, st *state, w way) {
	if st.copy != nil {
		st.copy.rules(w.crawler.token, &r.options)
	}
	s.used.CompareAndSwap(0, time.Now().UnixNano())
	s.state.Store(st)
	r.cache.resize(s)
}
