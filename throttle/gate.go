package throttle

import "time"

// idleBody is how long a body may go unread before its request gives up its turn to one that waits. Without it, a Visit inside OnResponseHeaders
// would wait for the very request it runs in.
const idleBody = 5 * time.Second

// gate is the line in front of one host, and what is under way to it. It keeps the host's next start itself, so that whoever waits follows a change:
// a block, a longer crawl delay, a stop. Only the head of the line has a timer. The shard's mutex guards it.
type gate struct {
	shard *shard
	host  *host

	head, tail *Turn // the line
	waiting    int
	joined     uint32 // how many pages came into the line so far
	flying     *Turn  // what is under way
	flights    int
	unsent     int // of these, whose instant of sending is still to come, so that no other may start

	timer *time.Timer // wakes the head; nil unless somebody waits
	armed int64       // for which instant; 0: it is stopped

	stretch int // by how much identity wants the interval multiplied

	domain *ceiling // of the registered domain; nil: none
	place  int      // among the idle gates of the shard; -1: none
	gaps   gaps
}

func (g *gate) busy() bool { return g.head != nil || g.flights > 0 }

func (g *gate) throttle() *Throttle { return g.shard.hosts.throttle }

func (g *gate) pace() *pace { return &g.throttle().paces[g.host.rule] }

// parallel is how many requests may be under way now.
func (g *gate) parallel(now int64) int {
	if g.host.delay > 0 || g.host.more != nil && g.host.more.block.alone(now) {
		return 1
	}
	return g.pace().parallelism
}

// interval is the gap that the host is owed now.
func (g *gate) interval() time.Duration {
	d, _ := interval(g.pace().delay, g.host.crawlDelay(), 0)
	return d * time.Duration(g.stretch)
}

// startAt is when the head of the line may start as things stand. If it waits for one that is under way, that is when to look again whether
// somebody still reads its body.
func (g *gate) startAt(head *Turn, now int64) int64 {
	if g.full(now) {
		return max(g.bodyIdleAt(now), now+1)
	}
	return max(g.host.openAt(head.robots, now), head.due)
}

// full reports whether another start has to wait for what is under way.
func (g *gate) full(now int64) bool { return g.unsent > 0 || g.flights >= g.parallel(now) }

// try starts the head of the line if it may start now.
func (g *gate) try(tn *Turn, now int64) bool {
	if g.head != tn || g.startAt(tn, now) > now {
		return false
	}
	if !g.throttle().ceilings.admit(g.domain, tn, now) || !g.throttle().quota.take(tn.robots) {
		return false
	}
	tn.late = now - max(tn.arrived, tn.due, g.host.openAt(tn.robots, now), g.host.last)
	g.leave(tn)
	g.fly(tn)
	tn.state, tn.began, tn.sentAt = flying, now, 0
	tn.count()
	tn.promise = promise{g.interval(), g.host.crawlDelay(), g.source()}
	tn.before, tn.gap = g.host.next, tn.promise.interval+g.pace().randomDelay()
	if tn.several = tn.gap > 0 && g.parallel(now) > 1; tn.several {
		tn.unsent = true
		g.unsent++
	}
	if !tn.robots {
		g.host.next = max(g.host.next, now+int64(tn.gap))
		tn.owed = g.host.next
	}
	return true
}

// advance looks at the head of the line after anything changed: it is woken, or its timer set.
func (g *gate) advance(now int64) {
	g.throttle().changed(g)
	head := g.head
	if head == nil || head.state == away {
		g.disarm()
		return
	}
	if reason, _ := g.throttle().hold(g.host, head.robots, now); reason != "" {
		g.refuseHeld(now)
		return
	}
	if head.due != 0 && g.host.openAt(head.robots, now) > head.due {
		g.throttle().ceilings.giveBack(head) // the host closed meanwhile
	}
	if at := g.startAt(head, now); at > now {
		g.arm(at, now)
	} else {
		g.disarm()
		head.wakeUp()
	}
}

func (g *gate) arm(at, now int64) {
	if g.armed == at {
		return
	}
	g.armed = at
	if g.timer == nil {
		g.timer = time.AfterFunc(time.Duration(at-now), g.ring)
		return
	}
	g.timer.Reset(time.Duration(at - now))
}

func (g *gate) disarm() {
	if g.armed != 0 {
		g.timer.Stop()
		g.armed = 0
	}
	if g.head == nil {
		g.timer = nil
	}
}

// ring is what the timer does.
func (g *gate) ring() {
	g.shard.mu.Lock()
	defer g.shard.mu.Unlock()
	g.armed = 0
	now := g.throttle().now()
	if g.head == nil {
		return
	}
	if g.flights >= g.parallel(now) {
		g.endIdle(now)
	}
	g.advance(now)
}

// bodyIdleAt is when the first body under way could have been idle for too long.
func (g *gate) bodyIdleAt(now int64) int64 {
	at := now + int64(idleBody)
	for tn := g.flying; tn != nil; tn = tn.next {
		at = min(at, now+int64(idleBody-tn.bodyIdle()))
	}
	return at
}

// endIdle ends the turns of those whose body nobody reads.
func (g *gate) endIdle(now int64) {
	for tn := g.flying; tn != nil; {
		next := tn.next
		if tn.bodyIdle() >= idleBody {
			tn.idle = true
			g.throttle().measured.idleBodies.Add(1)
			g.land(tn, now)
		}
		tn = next
	}
}

// refuseHeld refuses those who wait and are held for longer than they may wait.
func (g *gate) refuseHeld(now int64) {
	g.refuseLine(now, func(tn *Turn) error { return g.throttle().refuse(tn, now) })
}

// refuseLine refuses those who wait and for whom there is a reason why.
func (g *gate) refuseLine(now int64, why func(*Turn) error) {
	for tn := g.head; tn != nil; {
		next := tn.next
		if err := why(tn); err != nil {
			tn.refused = err
			g.throttle().ceilings.giveBack(tn)
			g.leave(tn)
			tn.wakeUp()
		}
		tn = next
	}
	g.advance(now)
	g.settle()
}
