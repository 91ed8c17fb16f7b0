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
		if w.closed || s.opts.File == "" && s.state == nil {
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
	s.lookAtState()
	s.lookAtFile()
	now := time.Now()
	s.expire(now)
	s.flushEachMinute(now)
}

// expire retires the rules whose time is over; they have not covered anything since.
func (s *Switch) expire(now time.Time) {
	s.mu.Lock()
	var over []*entry
	for id, e := range s.made {
		if e.expired(now) {
			over = append(over, e)
			delete(s.made, id)
		}
	}
	if len(over) > 0 {
		s.retire("expired", over...)
	}
	for _, e := range s.read { // they stay for as long as the file has them
		if e.expired(now) && e.lifted.IsZero() {
			e.lifted, e.liftReason = now, "expired"
			over = append(over, e)
		}
	}
	s.mu.Unlock()
	var events []event
	for _, e := range over {
		s.log().Info("killswitch: expired", describe(e.rule)...)
		events = append(events, event{Event: "rule.expire", Source: e.source, Rule: &e.rule})
	}
	s.audit(events...)
}
