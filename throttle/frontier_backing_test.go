package throttle

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestAStorageThatFailsIsNeverSilent(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var log logged
		c, th := paced(t, web, Options{Logger: log.logger()})
		broken := &failing{}
		f, q := frontierOf(t, th, broken, "http://a.test/1")
		gone := errors.New("gone")
		broken.fail(gone)
		if err := q.AddURL("http://a.test/2"); !errors.Is(err, gone) {
			t.Errorf("AddURL = %v, want %v", err, gone)
		}
		if got := log.lines("http://a.test/2"); len(got) != 1 {
			t.Errorf("log lines of the URL: %v, want one", got)
		}
		if err := f.Run(t.Context(), c, 1); !errors.Is(err, gone) {
			t.Errorf("Run = %v, want %v", err, gone)
		}
	})
}

func TestAStorageThatGivesNothingIsAnError(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		c, th := paced(t, web, Options{})
		gone := errors.New("gone")
		f, _ := frontierOf(t, th, stuck{gone})
		if err := f.Run(t.Context(), c, 1); !errors.Is(err, gone) {
			t.Errorf("Run = %v, want %v", err, gone)
		}
	})
}

// stuck is a storage that has a request and cannot give it.
type stuck struct{ err error }

func (stuck) Init() error                   { return nil }
func (stuck) AddRequest([]byte) error       { return nil }
func (s stuck) GetRequest() ([]byte, error) { return nil, s.err }
func (stuck) QueueSize() (int, error)       { return 1, nil }

// failing is a storage in memory that fails while fail says so.
type failing struct {
	queue.InMemoryQueueStorage
	mu  sync.Mutex
	err error
}

func (s *failing) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *failing) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *failing) AddRequest(b []byte) error {
	if err := s.failure(); err != nil {
		return err
	}
	return s.InMemoryQueueStorage.AddRequest(b)
}

func (s *failing) QueueSize() (int, error) {
	n, _ := s.InMemoryQueueStorage.QueueSize()
	return n, s.failure()
}

func TestAtMostDrawAheadAreDrawnFromTheStorage(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		for _, x := range []struct{ option, queued, want int }{{0, DefaultDrawAhead + 500, 500}, {3, 20, 17}} {
			c, th := paced(t, web, Options{})
			backing := &queue.InMemoryQueueStorage{}
			f, _ := frontierOf(t, th, backing, numbered("a.test", x.queued)...)
			f.DrawAhead = x.option
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond) // the host's second page would come after 1 s
			least := x.queued
			c.OnResponse(func(*colly.Response) {
				time.Sleep(100 * time.Millisecond)
				least, _ = backing.QueueSize()
			})
			if err := f.Run(ctx, c, 2); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Run = %v, want %v", err, context.DeadlineExceeded)
			}
			cancel()
			if least < x.want-1 || least > x.want {
				t.Errorf("DrawAhead %d: %d of %d are left in the storage while it runs, want %d", x.option, least, x.queued, x.want)
			}
			wantSize(t, backing, x.queued-1) // the end of Run put the rest back
		}
	})
}

func TestCloseAndTheEndOfRunPutBackWhatWasNotHandedOut(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		backing := &queue.InMemoryQueueStorage{}
		f, _ := frontierOf(t, th, backing, numbered("a.test", 10)...)
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		if err := f.Run(ctx, c, 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run = %v, want %v", err, context.DeadlineExceeded)
		}
		wantSize(t, backing, 7)

		if _, err := f.GetRequest(); err != nil { // draws all again
			t.Errorf("GetRequest = %v, want nil", err)
		}
		wantSize(t, backing, 0)
		for range 2 {
			if err := f.Close(); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
		}
		wantSize(t, backing, 6)
		wantSize(t, f, 0)
		if _, err := f.GetRequest(); !errors.Is(err, ErrClosed) {
			t.Errorf("GetRequest after Close = %v, want %v", err, ErrClosed)
		}

		rest := NewFrontier(th, backing)
		runAll(t, rest, c, 1)
		var want []string
		for _, u := range numbered("a.test", 10) {
			want = append(want, "GET "+u)
		}
		want = slices.Delete(want, 3, 4) // handed out and dropped by this test
		if d := cmp.Diff(web.Log(), want); d != "" {
			t.Errorf("the log (-got +want):\n%s", d)
		}
	})
}

func TestWhatAStorageDoesNotTakeBackStaysAndIsAnError(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{})
		backing := &failing{}
		f, _ := frontierOf(t, th, backing, numbered("a.test", 5)...)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		gone := errors.New("gone")
		time.AfterFunc(200*time.Millisecond, func() { backing.fail(gone) })
		if err := f.Run(ctx, c, 1); !errors.Is(err, gone) {
			t.Errorf("Run = %v, want %v", err, gone)
		}
		backing.fail(nil)
		runAll(t, f, c, 1)
		if got, want := len(web.Log()), 5; got != want {
			t.Errorf("%d pages were fetched in the end, want %d", got, want)
		}
	})
}

func TestWhatAnotherProcessAddsIsFoundWhileRunWaits(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Minute}}})
		backing := &queue.InMemoryQueueStorage{}
		f, _ := frontierOf(t, th, backing, numbered("a.test", 2)...)
		time.AfterFunc(10*time.Second, func() {
			text := `{"URL":"http://b.test/1","Method":"GET"}`
			if err := backing.AddRequest([]byte(text)); err != nil {
				t.Error(err)
			}
		})
		start := time.Now()
		runAll(t, f, c, 2)
		if at := web.HitsOf("b.test")[0].Time.Sub(start); at > 11*time.Second {
			t.Errorf("it was fetched after %v, want 11 s at most", at)
		}
	})
}
