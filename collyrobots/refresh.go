package collyrobots

import "context"

// refresh fetches the robots.txt of s anew while its copy still counts, if nobody does yet. It does not wait. If it fails, the copy stays in
// force until its life ends.
func (r *Robots) refresh(s *site, rt *route) {
	if !r.startWork() {
		return
	}
	ctx, cancel := r.flightContext(rt)
	f := &flight{done: make(chan struct{}), cancel: cancel, background: true}
	s.mu.Lock()
	busy := s.flight != nil || s.gone
	if !busy {
		s.flight = f
	}
	s.mu.Unlock()
	if busy {
		cancel(nil)
		r.work.Done()
		return
	}
	go func() {
		defer r.work.Done()
		stop := context.AfterFunc(r.open, func() { cancel(errClosed) })
		defer stop()
		r.fly(ctx, s, f, rt)
	}()
}

// startWork counts a goroutine in; false: the Robots is closed.
func (r *Robots) startWork() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open.Err() != nil {
		return false
	}
	r.work.Add(1)
	return true
}
