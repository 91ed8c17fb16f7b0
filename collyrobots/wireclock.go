package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	wireTime = 30 * time.Second // a fetch may be on the wire, all its requests together
	fullTime = 2 * time.Minute  // it may take in all, with the waits for its turns
)

// errSlow is the cause of a fetch that took too long.
var errSlow = errors.New("no answer in time")

// wireClock ends a fetch that has been on the wire for too long. It stands still while a request waits for its turn.
type wireClock struct {
	end func(error)

	mu      sync.Mutex
	left    time.Duration
	started time.Time
	timer   *time.Timer // nil: it stands still
}

// newWireClock starts counting a fetch. stop must be called when it is over.
func newWireClock(cancel context.CancelCauseFunc) (w *wireClock, stop func()) {
	w = &wireClock{end: cancel, left: wireTime}
	full := time.AfterFunc(fullTime, func() { cancel(fmt.Errorf("%w: it took more than %s", errSlow, fullTime)) })
	return w, func() { full.Stop(); w.stop() }
}

// start lets the clock run, if it does not. net/http calls it when a request begins to look for a connection.
func (w *wireClock) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		return
	}
	w.started = time.Now()
	w.timer = time.AfterFunc(w.left, func() { w.end(fmt.Errorf("%w: it was on the wire for more than %s", errSlow, wireTime)) })
}

// stop lets it stand still.
func (w *wireClock) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	w.timer.Stop()
	w.timer = nil
	w.left = max(w.left-time.Since(w.started), 0)
}
