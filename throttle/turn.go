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
	heard   atomic.Bool  // the headers were looked at
	status  atomic.Int32 // of the answer; negative if it was learnt from already
	arrived int64

	// Guarded by the shard's mutex.
	state      turnState
	prev, next *Turn
	wake       chan struct{} // made when it has to sleep
	refused    error
	began      int64         // when it started
	gap        time.Duration // what the next one has to wait after it
	before     int64         // the host's next start if this one is not sent
	owed       int64         // the host's next start because of this one
	due        int64         // when the ceilings let it start
	stamped    bool
	lastSent   int64 // what the gaps were counted from
	lastPage   int64
	held       [2]*rate.Reservation
}

func (tn *Turn) wakeUp() {
	select {
	case tn.wake <- struct{}{}:
	default: // it does not sleep yet, or was woken already
	}
}

// await waits until the turn, which stands in the line, may start. The caller holds the shard's lock, which is released.
func (tn *Turn) await() error {
	g, t := tn.gate, tn.gate.throttle()
	defer g.shard.mu.Unlock()
	for waited := false; ; waited = true {
		now := t.now()
		if tn.refused != nil {
			return tn.refused
		}
		if g.try(tn, now) {
			g.advance(now)
			if waited {
				t.tellInterval(g, now)
			}
			return nil
		}
		if tn.wake == nil {
			tn.wake = make(chan struct{}, 1)
		}
		if g.head == tn {
			g.advance(now)
		}
		g.shard.mu.Unlock()
		select {
		case <-tn.wake:
		case <-tn.ctx.Done():
		}
		ended := context.Cause(tn.ctx)
		g.shard.mu.Lock()
		if ended != nil {
			tn.quit(t.now())
			return ended
		}
	}
}

// quit leaves the line; the next in it moves up. The caller holds the lock.
func (tn *Turn) quit(now int64) {
	if tn.state != waiting && tn.state != away {
		return
	}
	g := tn.gate
	g.throttle().ceilings.giveBack(tn)
	first := g.head == tn
	g.leave(tn)
	if first {
		g.advance(now)
	}
	g.settle()
}

// settle lets an idle gate rest.
func (g *gate) settle() {
	if !g.busy() {
		g.shard.rest(g)
	}
}

// sending notes that the request is handed over now: gaps are counted from here, not from when the turn was given.
func (tn *Turn) sending() {
	g := tn.gate
	t := g.throttle()
	g.shard.mu.Lock()
	if tn.state != flying {
		g.shard.mu.Unlock()
		return
	}
	now := t.now()
	tn.stamp(now)
	if !tn.robots && g.host.next < now+int64(tn.gap) {
		g.host.next = now + int64(tn.gap)
		tn.owed = g.host.next
		if g.head != nil && g.flights < g.parallel(now) {
			g.advance(now)
		}
	}
	note := t.state.noteNext(g)
	g.shard.mu.Unlock()
	t.state.write(note)
}

// stamp measures the gap to the request before. The caller holds the lock.
func (tn *Turn) stamp(now int64) {
	g := tn.gate
	tn.began = now
	tn.stamped, tn.lastSent, tn.lastPage = true, g.gaps.sentAt, g.gaps.pageAt
	if short := g.gaps.sent(now, tn.robots, g.interval(), g.host.crawlDelay()); short {
		g.throttle().shortfall.Add(1)
	}
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
	t := tn.gate.throttle()
	tn.gate.shard.mu.Lock()
	now := t.now()
	if tn.state != flying {
		tn.gate.shard.mu.Unlock()
		return
	}
	status := int(tn.status.Load())
	if status > 0 && err == nil {
		tn.gate.host.clean(now, tn)
	}
	base := tn.gate.interval()
	tn.gate.land(tn, now)
	note := t.state.noteNext(tn.gate)
	tn.gate.shard.mu.Unlock()

	t.state.write(note)
	t.urls.ended(tn, max(status, -status), err, base)
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
	tn.gate.shard.mu.Lock()
	defer tn.gate.shard.mu.Unlock()
	g := tn.gate
	now := g.throttle().now()
	if tn.state == flying {
		g.takeBack(tn)
		g.advance(now)
		g.settle()
		return
	}
	tn.quit(now)
}

// takeBack undoes a start. The caller holds the lock.
func (g *gate) takeBack(tn *Turn) {
	g.unfly(tn)
	if !tn.robots && g.host.next == tn.owed {
		g.host.next = tn.before
	}
	if tn.stamped && g.gaps.sentAt == tn.began {
		g.gaps.sentAt, g.gaps.pageAt = tn.lastSent, tn.lastPage
	}
}

// stepBack gives the turn back and keeps the place at the head of the line. Until resume or Cancel only robots.txt requests pass it.
func (tn *Turn) stepBack() {
	tn.gate.shard.mu.Lock()
	defer tn.gate.shard.mu.Unlock()
	if tn.state != flying {
		return
	}
	g := tn.gate
	g.takeBack(tn)
	g.rejoin(tn)
	tn.state = away
	g.advance(g.throttle().now())
}

// resume waits again, from the place that was kept.
func (tn *Turn) resume() error {
	tn.gate.shard.mu.Lock()
	if tn.state == away {
		tn.state = waiting
	}
	return tn.await()
}

// again ends the attempt under way and waits, at the head of the line, for a turn for the next one.
func (tn *Turn) again() error {
	g := tn.gate
	g.shard.mu.Lock()
	now := g.throttle().now()
	if tn.state != flying {
		g.shard.mu.Unlock()
		return context.Cause(tn.ctx) // it ended meanwhile, and so did its attempt
	}
	g.land(tn, now)
	if err := g.throttle().refuse(tn, now); err != nil {
		g.shard.mu.Unlock()
		return err
	}
	tn.due, tn.refused = 0, nil
	g.rejoin(tn)
	return tn.await()
}

// bodyIdle is how long nobody has read the body.
func (tn *Turn) bodyIdle() time.Duration {
	if tn.hop == nil {
		return 0
	}
	return tn.hop.BodyIdle()
}
