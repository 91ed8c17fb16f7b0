package throttle

import (
	"strings"
	"time"
	"weak"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/time/rate"
)

// This file is all that the frontier knows of the hosts' lines.

// outlook is how a host stands for the frontier.
type outlook struct {
	at     int64  // when a request could start, or when to look again
	joined uint32 // pages that came into the line so far
	last   int64  // when the latest request ended
	robots bool   // a robots.txt is under way or waits: pages may be waiting for what it says
	held   *Error // the host is refused, but for the URL
	until  int64
}

// outlook is how a host stands now. Whoever changes that calls changed.
func (t *Throttle) outlook(key string, now int64) outlook {
	s, h := t.hosts.find(key)
	defer s.mu.Unlock()
	var o outlook
	h = t.asIfAsked(h, key, 443) // a frontier knows no port
	if reason, until := t.hold(h, false, now); reason != "" {
		o.held, o.until = t.refusal(nil, h, reason, now, until), until
		o.held.Host = key
	}
	if h == nil {
		return o
	}
	o.at, o.last = h.openAt(false, now), h.last
	g := h.gate
	if g == nil {
		return o
	}
	o.joined, o.robots = g.joined, g.fetchesRobots()
	switch {
	case g.waiting > 0: // the next start is theirs
		o.at = max(o.at, now+int64(idleBody))
	case g.full(now):
		o.at = max(o.at, g.bodyIdleAt(now))
	}
	return o
}

// fetchesRobots reports whether a robots.txt is under way or waits. Those that wait stand first.
func (g *gate) fetchesRobots() bool {
	if g.head != nil && g.head.robots {
		return true
	}
	for tn := g.flying; tn != nil; tn = tn.next {
		if tn.robots {
			return true
		}
	}
	return false
}

// watch lets the frontier hear of every change of a host. Those that nobody uses any more are forgotten.
func (t *Throttle) watch(f *Frontier) {
	for {
		old := t.frontiers.Load()
		all := []weak.Pointer[Frontier]{weak.Make(f)}
		if old != nil {
			for _, w := range *old {
				if w.Value() != nil {
					all = append(all, w)
				}
			}
		}
		if t.frontiers.CompareAndSwap(old, &all) {
			return
		}
	}
}

// changed tells the frontiers of a change. The caller holds the host's lock.
func (t *Throttle) changed(g *gate) {
	all := t.frontiers.Load()
	if all == nil {
		return
	}
	for _, w := range *all {
		if f := w.Value(); f != nil {
			f.hostChanged(g.host.name)
		}
	}
}

// domainOf is the name under which a host's ceiling is kept; empty: it has none.
func (c *ceilings) domainOf(host string) string {
	if c.perDomain == 0 || !strings.Contains(host, ".") || strings.Contains(host, ":") {
		return ""
	}
	if last := host[len(host)-1]; last >= '0' && last <= '9' {
		return "" // an address
	}
	name, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return name
}

// spare says how long it takes until the domain has room for one more start after those that were handed out.
func (c *ceilings) spare(domain string, handed int, now time.Time) time.Duration {
	c.mu.Lock()
	d := c.domains[domain]
	c.mu.Unlock()
	if d == nil {
		if handed < domainBurst {
			return 0
		}
		return handOutFor // its first requests are on their way
	}
	if d.bucket.Limit() == rate.Inf {
		return 0
	}
	short := float64(1+handed) - d.bucket.TokensAt(now)
	return time.Duration(short / float64(d.bucket.Limit()) * float64(time.Second))
}
