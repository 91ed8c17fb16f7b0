package throttle

import "context"

// await waits until the turn, which stands in the line, may start. The caller holds the shard's lock, which is released.
func (tn *Turn) await() error {
	g, t := tn.gate, tn.gate.throttle()
	for {
		now := t.now()
		if err := tn.refused; err != nil {
			g.shard.mu.Unlock()
			return err
		}
		if t.closed.Load() { // and nobody looks through the lines any more
			tn.quit()
			g.shard.mu.Unlock()
			return ErrClosed
		}
		if g.try(tn, now) {
			g.advance(now)
			if tn.waited {
				t.tellInterval(g, now)
			}
			g.shard.mu.Unlock()
			return nil
		}
		if tn.wake == nil {
			tn.wake = make(chan struct{}, 1)
		}
		if g.head == tn {
			g.advance(now)
		}
		tn.waited = true
		g.shard.mu.Unlock()
		ended := tn.sleep()
		g.shard.mu.Lock()
		if ended != nil {
			tn.quit()
			g.shard.mu.Unlock()
			return ended
		}
	}
}

// sleep returns when the turn is woken, or with the cause when its context has ended, which comes first if both have happened.
func (tn *Turn) sleep() error {
	select {
	case <-tn.wake:
		if tn.ctx.Err() == nil {
			return nil
		}
	case <-tn.ctx.Done():
	}
	return context.Cause(tn.ctx)
}

// quit leaves the line; the next in it moves up. Of a line that is cancelled as a whole only those at its head move anybody up, and the timer stays
// as it is for whoever would start at the same instant. The caller holds the lock.
func (tn *Turn) quit() {
	if tn.state != waiting && tn.state != away {
		return
	}
	g := tn.gate
	g.throttle().ceilings.giveBack(tn)
	first := g.head == tn
	g.leave(tn)
	if first {
		g.advance(g.throttle().now())
	}
	g.settle()
}

// settle lets an idle gate rest.
func (g *gate) settle() {
	if !g.busy() {
		g.shard.rest(g)
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
		t := tn.gate.throttle()
		t.heed(tn, t.now()) // what was fetched meanwhile may say otherwise
	}
	return tn.await()
}

// claim tells the other processes that the request is about to be sent. If one of them took the last place in a budget meanwhile, or the day is over, the turn
// is given back and waits anew, from the place that was kept; ok is false then, since what was looked at before that wait must be looked at again.
func (tn *Turn) claim() (ok bool, err error) {
	if tn.gate.throttle().spendings.claim(tn) {
		return true, nil
	}
	tn.stepBack()
	return false, tn.resume()
}

// secure is claim for whom nothing has to be looked at again.
func (tn *Turn) secure() error {
	for {
		if ok, err := tn.claim(); ok || err != nil {
			return err
		}
	}
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
	defer g.throttle().reportEnd(tn, 0) // without an answer; the lock is not held when this returns
	g.land(tn, now)
	if err := g.throttle().refuse(tn, now); err != nil {
		g.shard.mu.Unlock()
		return err
	}
	tn.arrived, tn.due, tn.refused = now, 0, nil
	g.rejoin(tn)
	return tn.await()
}
