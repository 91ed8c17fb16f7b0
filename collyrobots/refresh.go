package collyrobots

// refresh fetches the robots.txt of s anew while its copy still counts, if nobody does yet. It does not wait. If it fails, the copy stays in
// force until its life ends.
func (r *Robots) refresh(s *site, w way) {
	ctx, f := newFlight(w)
	s.mu.Lock()
	start := s.flight == nil && !s.gone && r.inBackground(f)
	if start {
		s.flight = f
	}
	s.mu.Unlock()
	if !start {
		f.cancel(nil)
		return
	}
	go r.fly(ctx, s, f, w)
}

// startWork counts work in the background in; false: the Robots is closed.
func (r *Robots) startWork() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open.Err() != nil {
		return false
	}
	r.work.Add(1)
	return true
}
