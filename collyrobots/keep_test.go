package collyrobots

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// stuckStore does not come back, whatever its context says, until it is let go.
type stuckStore struct {
	MemoryStore
	let   chan struct{}
	calls atomic.Int32
}

func (s *stuckStore) Get(context.Context, string) (Entry, bool, error) {
	s.calls.Add(1)
	<-s.let
	return Entry{}, false, nil
}

func (s *stuckStore) Put(context.Context, Entry) error {
	s.calls.Add(1)
	<-s.let
	return nil
}

func (s *stuckStore) Delete(context.Context, string) error {
	s.calls.Add(1)
	<-s.let
	return nil
}

func TestAStoreThatIgnoresItsContextHoldsNobodyForEver(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate).Page("/*", "x")
		store := &stuckStore{let: make(chan struct{})}
		defer close(store.let)
		log, lines := logLines()
		r := newRobots(t, web, Options{Store: store, Logger: log})
		c := newCollector(t, r)
		begin := time.Now()
		visit(t, c, nil, "http://shop.test/a")
		if got := time.Since(begin); got != 2*storeTime {
			t.Errorf("Visit took %v, want %v: Get and Put", got, 2*storeTime)
		}
		if got := lines("Store failed"); len(got) != 1 {
			t.Errorf("warnings = %q, want one", got)
		}
		begin = time.Now()
		if err := r.Forget("http://shop.test"); !errors.Is(err, errStoreSlow) || time.Since(begin) != storeTime {
			t.Errorf("Forget = %v after %v", err, time.Since(begin))
		}
		begin = time.Now()
		if err := r.Close(); err != nil || time.Since(begin) > storeTime {
			t.Errorf("Close = %v after %v", err, time.Since(begin))
		}
	})
}

func TestAStoreOfWhichAHundredCallsAreStuckIsNotCalled(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		store := &stuckStore{let: make(chan struct{})}
		r := newRobots(t, web, Options{Store: store})
		for range 300 {
			go func() { _ = r.Forget("http://shop.test") }()
		}
		after(storeTime + time.Second)
		if got := store.calls.Load(); got < mostStuck || got > 300 {
			t.Errorf("the store was called %d times", got)
		}
		before := store.calls.Load()
		begin := time.Now()
		if err := r.Forget("http://shop.test"); !errors.Is(err, errStoreStuck) || time.Since(begin) != 0 {
			t.Errorf("Forget = %v after %v, want an error at once", err, time.Since(begin))
		}
		if got := store.calls.Load(); got != before {
			t.Error("it was called once more")
		}
		close(store.let)
		synctest.Wait()
		if err := r.Forget("http://shop.test"); err != nil {
			t.Errorf("Forget once the store came back = %v", err)
		}
	})
}

// panickyStore panics in one of its methods.
type panickyStore struct {
	MemoryStore
	in string
}

func (s *panickyStore) Get(ctx context.Context, o string) (Entry, bool, error) {
	if s.in == "Get" {
		panic("boom")
	}
	return s.MemoryStore.Get(ctx, o)
}

func (s *panickyStore) Put(ctx context.Context, e Entry) error {
	if s.in == "Put" {
		panic("boom")
	}
	return s.MemoryStore.Put(ctx, e)
}

func TestAPanicOfTheStoreIsAnErrorOfTheStore(t *testing.T) {
	for _, in := range []string{"Get", "Put"} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Robots(disallowPrivate).Page("/*", "x")
			log, lines := logLines()
			c := newCollector(t, newRobots(t, web, Options{Store: &panickyStore{in: in}, Logger: log}))
			visit(t, c, nil, "http://shop.test/a")
			if got := lines("panic: boom"); len(got) != 1 {
				t.Errorf("%s: warnings = %q, want one that names the panic", in, got)
			}
		})
	}
}
