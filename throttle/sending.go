package throttle

import (
	"net/http"
	"time"
)

// A gap is counted from the moment at which a request is really handed over, not from when its turn came: between the two the scheduler may run
// others for longer than a gap lasts. While more than one request may be under way, a host therefore starts no other until the one before it has been
// handed over; and since even that takes a moment, the instant is noted directly before the base transport is called, and once more inside of it where
// net/http says so.

// soon is within which time of its being noted a request is handed over, unless the scheduler comes between.
const soon = 100 * time.Microsecond

// sender is a Turn as its hop sees it.
type sender Turn

// Ended implements chain.Ender.
func (s *sender) Ended(resp *http.Response, err error) { (*Turn)(s).Done(resp, err) }

// Sending implements chain.Sender.
func (s *sender) Sending(traced bool) { (*Turn)(s).sending(traced) }

// Entered implements chain.Sender.
func (s *sender) Entered(inside bool) {
	tn := (*Turn)(s)
	if !tn.several {
		return // the next one starts after the end of this one
	}
	g := tn.gate
	g.shard.mu.Lock()
	if tn.state != flying {
		g.shard.mu.Unlock()
		return
	}
	now := g.throttle().now()
	if inside {
		tn.stamp(now)
	}
	g.sent(tn)
	g.advance(now)
	g.shard.mu.Unlock()
	if tn.traced {
		g.throttle().reportSent(tn)
	}
}

// Read implements chain.Sender.
func (s *sender) Read(n int) { (*Turn)(s).read(int64(n)) }

// sending notes that the request is handed over now. If traced, it counts as handed over only with Entered.
func (tn *Turn) sending(traced bool) {
	g := tn.gate
	t := g.throttle()
	tn.traced = traced
	for range 10 {
		g.shard.mu.Lock()
		if tn.state != flying {
			g.shard.mu.Unlock()
			return
		}
		now := t.now()
		tn.stamp(now)
		if !traced {
			g.sent(tn)
		}
		if tn.several && g.head != nil {
			g.advance(now)
		}
		g.shard.mu.Unlock()
		if !tn.several || time.Duration(t.now()-now) < soon {
			break
		}
	}
	if !tn.several || !traced {
		t.reportSent(tn)
	}
}

// stamp notes the instant of sending; the first time, it measures the gap to the request before. The caller holds the lock.
func (tn *Turn) stamp(now int64) {
	g := tn.gate
	if tn.sentAt == 0 {
		g.throttle().measured.sent(now-tn.arrived, tn.late+now-tn.began)
		tn.began = now
		tn.lastSent, tn.lastPage = g.gaps.sentAt, g.gaps.pageAt
		if short := g.gaps.sent(now, tn.robots, tn.promise); short {
			g.throttle().shortfall.Add(1)
		}
	} else {
		g.gaps.moved(tn.sentAt, now)
	}
	tn.sentAt = now
	if next := now + int64(tn.gap); !tn.robots && g.host.next < next {
		g.host.next, tn.owed = next, next
	}
}

// sent notes that the turn no longer keeps others from starting. The caller holds the lock.
func (g *gate) sent(tn *Turn) {
	if tn.unsent {
		tn.unsent = false
		g.unsent--
	}
}
