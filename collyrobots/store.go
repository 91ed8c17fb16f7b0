package collyrobots

import (
	"context"
	"sync"
	"time"
)

// Store keeps what is known of origins beyond the life of the process, so that a scraper that is started each minute neither asks for
// robots.txt each time nor forgets that it must wait. Its methods are called by many goroutines at once, with no lock held, and only when a
// request needs what memory does not know. An error is logged and treated as a miss, and so is a panic, or a
// call that takes more than 10 s, whether or not it minds its context.
type Store interface {
	// Get returns the entry of an origin such as "https://shop.example"; false: there is none.
	Get(ctx context.Context, origin string) (Entry, bool, error)
	// Put keeps an entry in place of the one that has the same Origin.
	Put(ctx context.Context, e Entry) error
	// Delete forgets an origin. To forget one that is not there is no error.
	Delete(ctx context.Context, origin string) error
}

// MemoryStore is a Store in memory, for several Robots of one process. The zero value is ready. It keeps the last answer for 10,000
// origins; past that, those that may be asked again go first.
type MemoryStore struct {
	mu sync.Mutex
	m  map[string]Entry
}

const maxMemoryStore = 10_000

// Get implements Store.
func (s *MemoryStore) Get(_ context.Context, origin string) (Entry, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.m[origin]
	return e, ok, nil
}

// Put implements Store.
func (s *MemoryStore) Put(_ context.Context, e Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[string]Entry)
	}
	if _, known := s.m[e.Origin]; !known && len(s.m) >= maxMemoryStore {
		s.makeRoom(time.Now())
	}
	s.m[e.Origin] = e
	return nil
}

// Delete implements Store.
func (s *MemoryStore) Delete(_ context.Context, origin string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, origin)
	return nil
}

// makeRoom drops a tenth. An origin that owes a wait is kept as long as there are others. The caller holds mu.
func (s *MemoryStore) makeRoom(now time.Time) {
	drop := len(s.m)/10 + 1
	for _, alsoOwing := range []bool{false, true} {
		for origin, e := range s.m {
			if drop == 0 {
				return
			}
			if f := e.Failure; !alsoOwing && f != nil && f.Class == ClassUnreachable && now.Before(f.RetryAt) {
				continue
			}
			delete(s.m, origin)
			drop--
		}
	}
}
