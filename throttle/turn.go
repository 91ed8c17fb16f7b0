package throttle

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// turnState is where a turn stands. The shard's mutex guards it.
type turnState uint8

const (
	over    turnState = iota // ended, or not in the line yet
	waiting                  // in the line
	away                     // in the line, keeping its place while it fetches what it needs
	flying                   // under way
)

// Turn is the right to send one request now. It must be ended with Done or Cancel; until then it holds one of the host's places. Calling any of its
// methods again, or after the end, does nothing. It is safe for concurrent use.
type Turn struct {
	gate *gate
	url  *url.URL
	hop  *chain.Hop // nil for Wait
	ctx  context.Context

	robots  bool
	waited  bool         // it did not start at once: what was decided before may have changed
	traced  bool         // it will be known when the base transport was entered
	several bool         // others may start while it is under way. Set when it starts
	heard   atomic.Bool  // the headers were looked at
	status  atomic.Int32 // of the answer; negative if it was learnt from already
	arrived int64        // in the line, for the attempt that is waited for

	// Guarded by the shard's mutex.
	state      turnState
	prev, next *Turn
	wake       chan struct{} // made when it has to sleep
	refused    error
	began      int64         // when it started, then when it was sent
	gap        time.Duration // what the next one has to wait after it
	promise    promise       // what has to lie before it
	before     int64         // the host's next start if this one is not sent
	owed       int64         // the host's next start because of this one
	due        int64         // when the ceilings let it start
	late       int64         // how much later than the host and the ceilings allowed it got its turn
	unsent     bool          // it is one of gate.unsent
	idle       bool          // its turn was ended because nobody read its body; how it ends is still to be told
	sentAt     int64         // when it was sent; 0: it was not
	lastSent   int64         // what the gaps were counted from
	lastPage   int64
	held       [2]*rate.Reservation
	account    *account // where it is counted; nil: nowhere
	day        int32    // on which
	claimed    bool     // the other processes were told
}

func (tn *Turn) wakeUp() {
	select {
	case tn.wake <- struct{}{}:
	default: // it does not sleep yet, or was woken already
	}
}

// write notes in the StateDir what the host owes because of this start, before it is sent.
func (tn *Turn) write() {
	s := &tn.gate.throttle().state
	if s.dir == "" {
		return
	}
	tn.gate.shard.mu.Lock()
	note := s.noteNext(tn.gate)
	tn.gate.shard.mu.Unlock()
	s.write(note)
}

// Headers lets the throttle learn from an answer as soon as its headers are in: a 429 stops the others before its body is read. It does not
// read the body.
func (tn *Turn) Headers(resp *http.Response) {
	if resp == nil || !tn.heard.CompareAndSwap(false, true) {
		return
	}
	if !urgent(resp) {
		tn.status.Store(int32(resp.StatusCode)) // it can wait until the turn ends
		return
	}
	tn.status.Store(-int32(resp.StatusCode))
	tn.gate.throttle().learn(tn, resp)
}

// Done ends the turn: the request's body has been read, or err says how it failed. It calls Headers if nobody did.
func (tn *Turn) Done(resp *http.Response, err error) {
	tn.Headers(resp)
	g := tn.gate
	t := g.throttle()
	status := int(tn.status.Load())
	g.shard.mu.Lock()
	if tn.state != flying {
		idle := tn.idle
		tn.idle = false
		g.shard.mu.Unlock()
		if idle {
			t.reportEnd(tn, max(status, -status))
		}
		return
	}
	t.urls.ended(tn, max(status, -status), err, g.interval()) // before the next in line may ask for the same URL
	now := t.now()
	if tn.sentAt == 0 { // refused behind us
		g.takeBack(tn)
		g.advance(now)
		g.settle()
		g.shard.mu.Unlock()
		t.spendings.settle(g)
		return
	}
	if tn.hop == nil { // nobody sees what is read
		tn.ate(lengthOf(resp))
	}
	if status > 0 && err == nil {
		g.host.clean(now, tn)
	}
	g.land(tn, now)
	note := t.state.noteNext(g)
	g.shard.mu.Unlock()
	t.state.write(note)
	t.spendings.settle(g)
	t.reportEnd(tn, max(status, -status))
}

// land ends a turn whose request was sent. The caller holds the lock.
func (g *gate) land(tn *Turn, now int64) {
	g.unfly(tn)
	g.host.last = now
	if !tn.robots && g.parallel(now) == 1 {
		g.host.next = max(g.host.next, now+int64(tn.gap))
	}
	g.advance(now)
	g.settle()
}

// Cancel gives the turn back: nothing was sent, so no start is counted and the next in line moves up.
func (tn *Turn) Cancel() {
	g := tn.gate
	defer g.throttle().spendings.settle(g)
	g.shard.mu.Lock()
	defer g.shard.mu.Unlock()
	if tn.state != flying {
		tn.quit()
		return
	}
	g.takeBack(tn)
	g.advance(g.throttle().now())
	g.settle()
}

// lengthOf is how long a body says to be; zero if it does not.
func lengthOf(resp *http.Response) int64 {
	if resp == nil || resp.Request != nil && resp.Request.Method == http.MethodHead {
		return 0
	}
	return max(resp.ContentLength, 0)
}

// takeBack undoes a start. The caller holds the lock.
func (g *gate) takeBack(tn *Turn) {
	g.unfly(tn)
	g.throttle().quota.giveBack()
	tn.uncount()
	if !tn.robots && g.host.next == tn.owed {
		g.host.next = tn.before
	}
	if tn.sentAt != 0 && g.gaps.sentAt == tn.sentAt {
		g.gaps.sentAt, g.gaps.pageAt = tn.lastSent, tn.lastPage
	}
}

// bodyIdle is how long nobody has read the body.
func (tn *Turn) bodyIdle() time.Duration {
	if tn.hop == nil {
		return 0
	}
	return tn.hop.BodyIdle()
}
