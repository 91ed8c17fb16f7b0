package throttle

import "context"

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
