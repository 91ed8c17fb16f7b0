package throttle

import (
	"fmt"
	"math"
	"time"
)

// NoDelay as a LimitRule's Delay means that no gap is kept. Crawl delays and blocks still hold.
const NoDelay time.Duration = -1

// DefaultDelay is the Delay of a host for which no rule says another.
const DefaultDelay = time.Second

// longestDelay is the longest that a LimitRule may ask for; sums of such can still be counted with.
const longestDelay = 365 * 24 * time.Hour

// LimitRule is the pace of the hosts that it matches. It has the fields of Colly's LimitRule, but each host is paced by itself. Of several rules the
// first that matches counts, as in Colly. The zero value matches every host: one request a second, one at a time.
type LimitRule struct {
	// DomainGlob matches the host with and without its port, as Colly's does: "*.shop.example", "shop.example:8080". It must not hold a "/".
	DomainGlob string
	// DomainRegexp matches in the same way. With both, one that matches is enough; with neither, the rule is for every host.
	DomainRegexp string
	// Delay is the gap between two requests to a host. With Parallelism 1 it runs from the end of one to the start of the next, with more from start
	// to start. Zero means DefaultDelay, NoDelay means none.
	Delay time.Duration
	// RandomDelay is the most that is added to each gap, at random. Zero adds nothing.
	RandomDelay time.Duration
	// Parallelism is how many requests to a host may be under way at once; starts stay one Delay apart. Zero means 1. It is 1 while a crawl delay or
	// a block is in force.
	Parallelism int
}

// pace is a rule as it is kept: defaults filled in, patterns compiled.
type pace struct {
	delay, random time.Duration
	parallelism   int
	explicit      bool // somebody wrote it
	pattern
}

// defaultPace is that of a host that no rule matches.
var defaultPace = pace{delay: DefaultDelay, parallelism: 1, pattern: pattern{every: true}}

// paces are the rules in order; the last one is the default.
type paces []pace

func compileRules(rules []LimitRule) (paces, error) {
	if len(rules) >= math.MaxUint16 {
		return nil, fmt.Errorf("throttle: %d rules are more than the %d that can be told apart", len(rules), math.MaxUint16-1)
	}
	out := make(paces, 0, len(rules)+1)
	for i, r := range rules {
		p, err := r.compile()
		if err != nil {
			return nil, fmt.Errorf("throttle: Rules[%d]%w", i, err)
		}
		out = append(out, p)
	}
	return append(out, defaultPace), nil
}

func (r LimitRule) compile() (pace, error) {
	p := pace{delay: r.Delay, random: r.RandomDelay, parallelism: r.Parallelism, explicit: true}
	switch {
	case r.Delay < 0 && r.Delay != NoDelay:
		return p, fmt.Errorf(".Delay %s is negative: use NoDelay to keep no gap", r.Delay)
	case r.Delay > longestDelay:
		return p, fmt.Errorf(".Delay %s is longer than a year: a host that is never to be asked is one for the kill switch", r.Delay)
	case r.RandomDelay > longestDelay:
		return p, fmt.Errorf(".RandomDelay %s is longer than a year", r.RandomDelay)
	case r.RandomDelay < 0:
		return p, fmt.Errorf(".RandomDelay %s is negative: it only adds", r.RandomDelay)
	case r.Parallelism < 0:
		return p, fmt.Errorf(".Parallelism %d is negative: 0 means 1", r.Parallelism)
	case r.Delay == 0:
		p.delay = DefaultDelay
	case r.Delay == NoDelay:
		p.delay = 0
	}
	p.parallelism = max(p.parallelism, 1)
	var err error
	p.pattern, err = compilePattern(r.DomainGlob, r.DomainRegexp)
	return p, err
}

// match is the number of the first rule for a host key on a port.
func (ps paces) match(host string, port uint16) uint16 {
	if ps[0].every { // one rule for all: no text to make
		return 0
	}
	withPort := hostPort(host, port)
	for i := range ps {
		if ps[i].matches(host, withPort) {
			return uint16(i)
		}
	}
	return uint16(len(ps) - 1)
}

// slower reports whether p is the more careful of two paces for one host: a host that is reached on two ports keeps that one.
func (p *pace) slower(q *pace) bool {
	if p.delay != q.delay {
		return p.delay > q.delay
	}
	if p.parallelism != q.parallelism {
		return p.parallelism < q.parallelism
	}
	return p.random > q.random
}
