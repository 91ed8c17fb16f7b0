package chain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/gocolly/colly/v2"
)

// Colly's client has a timeout of 10 s that runs while a request waits its turn. The chain takes it from the client and gives it to each
// attempt instead, which starts after the wait.

// TimeoutError is the error of an attempt that took longer than the collector's request timeout. It matches context.DeadlineExceeded.
type TimeoutError struct {
	URL   string
	After time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("etiquette: %s did not answer whole within %s (SetRequestTimeout)", e.URL, e.After)
}

// Timeout makes the error a net.Error's kind of timeout.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary reports true, as net/http's own timeout does.
func (e *TimeoutError) Temporary() bool { return true }

func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// WaitError is the error of a request that could not wait its turn, because the client's own timeout would have run out meanwhile and hidden
// the reason. It was not sent. It matches context.DeadlineExceeded.
type WaitError struct{ URL string }

func (e *WaitError) Error() string {
	return "etiquette: " + e.URL + " not sent: its turn comes later than the client's timeout allows: call SetRequestTimeout before the first Visit, " +
		"or clear the timeout; the chain then gives it to each attempt"
}

// Timeout makes the error a net.Error's kind of timeout.
func (e *WaitError) Timeout() bool { return true }

func (e *WaitError) Is(target error) bool { return target == context.DeadlineExceeded }

// takeTimeout takes over a timeout that was set on the client since the last look. It waits for a moment in which no hop is under way, since
// net/http reads the field without a lock.
func (c *Chain) takeTimeout(col *colly.Collector) {
	c.timeoutMu.Lock()
	defer c.timeoutMu.Unlock()
	client := clientOf(col)
	if client == nil || client != c.client || client.Timeout == takenOver || c.flying.Load() > 0 {
		return
	}
	c.timeout.Store(int64(max(0, client.Timeout)))
	col.SetRequestTimeout(takenOver)
}

// takenOver is what a client's timeout is set to once the chain has it. net/http takes it for none, as it does 0; but a 0 that the user sets later
// can be told from it.
const takenOver time.Duration = -1

// waitMargin is how long before the client's deadline a wait gives up, so that its error arrives with its type.
const waitMargin = 20 * time.Millisecond

// setTimeout finds the attempt's timeout. A deadline on the given context can only be the client's own, since the dead context has none: a
// timeout that was set after Attach and not taken over yet.
func (h *Hop) setTimeout() {
	h.timeout = time.Duration(h.chain.timeout.Load())
	deadline, ok := h.given.Context().Deadline()
	if !ok {
		return
	}
	arrival := time.Now()
	if h.given.Response != nil && h.trail.timeout > 0 {
		h.timeout = h.trail.timeout
	} else if left := deadline.Sub(arrival); left > 0 {
		h.timeout = left
	}
	if until := deadline.Add(-waitMargin); until.After(arrival) {
		ctx, cancel := context.WithDeadlineCause(&h.ctx, until, &WaitError{URL: h.sent.Redacted()})
		h.waitCtx = ctx
		h.OnEnd(EndFunc(func(*http.Response, error) { cancel() }))
	}
}

// startTimer starts the attempt's clock, or starts it anew. It runs until the hop ends.
func (h *Hop) startTimer() {
	if h.timeout <= 0 {
		return
	}
	h.chain.deadlines.add(h, h.timeout)
}

func (h *Hop) expire() {
	err := &TimeoutError{URL: h.sent.Redacted(), After: h.timeout}
	h.cancel(err)
	h.finish(err)
}

// errOver is the cause of a hop's context after it ended well.
var errOver = errors.New("etiquette: the hop is over")
