package collyrobots

import (
	"context"
	"fmt"
	"net/url"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// Forget drops all that is known of an origin, from memory and from Options.Store: the next request for it fetches robots.txt anew. What a
// fetch under way comes to counts for those who wait for it, and is not kept. rawOrigin is a URL; what follows its host plays no part. It fails if
// rawOrigin is no http or https URL, or if the Store fails or takes more than 10 s.
func (r *Robots) Forget(rawOrigin string) error {
	u, err := url.Parse(rawOrigin)
	if err != nil {
		return fmt.Errorf("collyrobots: Forget: %w", err)
	}
	o, err := origin.Of(u)
	if err != nil {
		return fmt.Errorf("collyrobots: Forget: %w", err)
	}
	r.forgets.Add(1)
	if s := r.cache.peek(o); s != nil {
		r.cache.remove(s)
		s.awaitWriting()
	}
	r.unruled.remove(o.String())
	if err := r.unkeep(context.Background(), o); err != nil {
		return fmt.Errorf("collyrobots: Forget %s: %w", o, err)
	}
	return nil
}

// mayWrite asks whether f may put its outcome into store and memory; false: the origin was forgotten since.
func (s *site) mayWrite(f *flight) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.writing = !s.gone
	return f.writing
}

// awaitWriting waits for a flight that was allowed to write before the site was forgotten. The store bounds how long that takes.
func (s *site) awaitWriting() {
	s.mu.Lock()
	f := s.flight
	if f == nil || !f.writing {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	<-f.done
}
