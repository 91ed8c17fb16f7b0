package killswitch

import (
	"sync"
	"time"
)

// watch runs the one goroutine of a Switch. It starts with the first use, reads at once, and ends with Close.
type watch struct {
	once  sync.Once
	first chan struct{} // closed after the first read, or by Close
	open  sync.Once
	stop  chan struct{}
	done  chan struct{}

	mu     sync.Mutex // guards closed
	closed bool
}

func (w *watch) init() {
	w.first, w.stop, w.done = make(chan struct{}), make(chan struct{}), make(chan struct{})
}

func (w *watch) ready() { w.open.Do(func() { close(w.first) }) }

// use makes sure that the files have been read since New, and are watched. Waiting for the first read is the only I/O that it can cause.
func (s *Switch) use() {
	select {
	case <-s.watch.first:
	default:
		s.wake()
		<-s.watch.first
	}
}

// wake is use for those who must not wait.
func (s *Switch) wake() {
	w := &s.watch
	w.once.Do(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.closed || s.opts.File == "" && s.state == nil && s.opts.OnChange == nil {
			close(w.done)
			w.ready()
			return
		}
		go s.run()
	})
}

func (w *watch) close() {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		<-w.done
		return
	}
	w.closed = true
	close(w.stop)
	w.mu.Unlock()
	w.once.Do(func() { close(w.done) }) // it never began
	<-w.done
	w.ready()
}

func (s *Switch) run() {
	w := &s.watch
	defer close(w.done)
	s.look()
	w.ready()
	tick := time.NewTicker(s.opts.poll())
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
			s.look()
		}
	}
}

// look is one round of the watcher.
func (s *Switch) look() {
	s.lookAtFile() // first: nobody else can keep us from it
	s.lookAtState()
	now := time.Now()
	s.expire(now)
	s.flushEachMinute(now)
	s.audit() // what could not be written before
}
