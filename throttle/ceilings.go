package throttle

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/time/rate"
)

// DefaultDomainRate is how many requests a second the hosts of one registered domain get together.
const DefaultDomainRate = 4

// domainBurst lets a robots.txt and the page behind it start together.
const domainBurst = 2

// leastDomains is how many ceilings there are before they are first looked through.
const leastDomains = 1024

// ceilings bound the rate over all hosts and over the hosts of each registered domain, so that a site with a wildcard in the DNS does not get one
// budget per name. They are asked when the host permits a start; a start that has to wait for them holds a reservation, which is given back if
// the host closes meanwhile.
type ceilings struct {
	total     *rate.Limiter // nil: none
	perDomain rate.Limit    // 0: none

	mu      sync.Mutex
	domains map[string]*ceiling
	sweepAt int
}

// ceiling is the budget of one registered domain. It lives while a host of it is in use, and until its bucket is full again.
type ceiling struct {
	bucket *rate.Limiter
	users  int
}

func (c *ceilings) init(total, perDomain float64, processes int) {
	if total > 0 {
		c.total = rate.NewLimiter(rate.Limit(total), 1)
	}
	switch {
	case perDomain == 0:
		c.perDomain = DefaultDomainRate
	case perDomain > 0:
		c.perDomain = rate.Limit(perDomain)
	}
	c.perDomain /= rate.Limit(processes)
	c.domains, c.sweepAt = make(map[string]*ceiling), leastDomains
}

// of is the ceiling of a host's registered domain, or nil. Addresses and names of one label have none. A rule that somebody wrote for a host of the
// domain may raise it: what was asked for is not slowed down.
func (c *ceilings) of(host string, ps paces, rule uint16) *ceiling {
	if c.perDomain == 0 || !strings.Contains(host, ".") {
		return nil
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	name, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		name = host // the host is a public suffix itself
	}
	limit := c.perDomain
	if p := &ps[rule]; p.explicit && p.delay <= 0 {
		limit = rate.Inf
	} else if p.explicit {
		limit = max(limit, rate.Every(p.delay))
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.domains[name]
	if d == nil {
		c.sweep(now)
		d = &ceiling{bucket: rate.NewLimiter(limit, domainBurst)}
		c.domains[name] = d
	} else if limit > d.bucket.Limit() {
		d.bucket.SetLimitAt(now, limit)
	}
	d.users++
	return d
}

// sweep drops the ceilings that nobody uses and that are as good as new, each time their number has doubled. The caller holds mu.
func (c *ceilings) sweep(now time.Time) {
	if len(c.domains) < c.sweepAt {
		return
	}
	for name, d := range c.domains {
		if d.users == 0 && d.bucket.TokensAt(now) >= domainBurst {
			delete(c.domains, name)
		}
	}
	c.sweepAt = max(leastDomains, 2*len(c.domains))
}

func (c *ceilings) release(d *ceiling) {
	if d == nil {
		return
	}
	c.mu.Lock()
	d.users--
	c.mu.Unlock()
}

// admit lets a turn start now, or reserves a later instant, which it puts into due.
func (c *ceilings) admit(d *ceiling, tn *Turn, at int64) bool {
	if tn.due != 0 {
		tn.due, tn.held = 0, [2]*rate.Reservation{}
		return true // its reserved instant has come
	}
	if d == nil && c.total == nil {
		return true
	}
	now := tn.gate.throttle().wall(at)
	var wait time.Duration
	if d != nil && !d.bucket.AllowN(now, 1) {
		tn.held[0] = d.bucket.ReserveN(now, 1)
		wait = tn.held[0].DelayFrom(now)
	}
	if c.total != nil && !c.total.AllowN(now, 1) {
		tn.held[1] = c.total.ReserveN(now, 1)
		wait = max(wait, tn.held[1].DelayFrom(now))
	}
	if wait <= 0 {
		return true
	}
	tn.due = tn.gate.throttle().at(now.Add(wait))
	return false
}

// giveBack frees what a turn reserved.
func (c *ceilings) giveBack(tn *Turn) {
	if tn.due == 0 {
		return
	}
	for _, r := range tn.held {
		if r != nil {
			r.CancelAt(time.Now())
		}
	}
	tn.due, tn.held = 0, [2]*rate.Reservation{}
}
