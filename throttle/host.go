package throttle

import (
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// host is what is known of one host. It is made small, since there may be millions: what few hosts have lies behind pointers. Its shard's mutex
// guards it. Instants are nanoseconds since the throttle began, zero is never.
type host struct {
	name   string
	last   int64 // when the latest request ended, robots.txt included
	next   int64 // what the requests so far, robots.txt not included, make the next one wait for
	gate   *gate // nil unless the host is or lately was in use
	more   *more
	delay  uint32 // the longest crawl delay, in milliseconds, rounded up
	owner  origins
	rule   uint16
	port   uint16 // the port for which rule was looked up
	denied uint8  // answers in a row that say no
	pages  uint8  // of its first pages, how many said no; allWell once one did not
	marks  uint8
}

// more is what only few hosts have.
type more struct {
	block    block
	parked   int64 // until when
	since    int64 // when it was parked
	reason   report.Reason
	accepted uint32 // the crawl delay in milliseconds that Unpark accepted
	delays   []originDelay
	openings []opening // the hours at which it may be asked
	account  *account  // what it was asked for today; nil: no budget matches it
}

// The marks of a host.
const (
	robotsDenied uint8 = 1 << iota // its robots.txt was answered 401 or 403
	told                           // the line about its interval is logged
)

// allWell says that one of a host's first pages was no refusal.
const allWell = 0xff

// origins tells the origins of one host apart: the port, and whether it is https.
type origins uint32

func originsOf(u *url.URL) (o origins, port uint16) {
	secure := u.Scheme == "https"
	if text := u.Port(); text != "" {
		n, _ := strconv.ParseUint(text, 10, 16) // a port that is none has no host key either
		port = uint16(n)
	} else if port = 80; secure {
		port = 443
	}
	if o = origins(port); secure {
		o |= 1 << 16
	}
	return o, port
}

type originDelay struct {
	origin origins
	delay  uint32
}

func (h *host) extra() *more {
	if h.more == nil {
		h.more = &more{}
	}
	return h.more
}

// asked takes in what an origin's robots.txt asks; zero: nothing. The host keeps the longest of its origins.
func (h *host) asked(o origins, d time.Duration) {
	ms := millis(d)
	if h.more == nil || h.more.delays == nil {
		if h.delay == 0 || h.owner == o {
			h.delay, h.owner = ms, o
			return
		}
		if ms == 0 {
			return
		}
		h.extra().delays = []originDelay{{h.owner, h.delay}}
	}
	known := false
	h.delay = 0
	for i := range h.more.delays {
		if e := &h.more.delays[i]; e.origin == o {
			e.delay, known = ms, true
		}
		h.delay = max(h.delay, h.more.delays[i].delay)
	}
	if !known && ms > 0 {
		h.more.delays = append(h.more.delays, originDelay{o, ms})
		h.delay = max(h.delay, ms)
	}
}

// longestCrawlDelay is what fits into a host.
const longestCrawlDelay = math.MaxUint32 * time.Millisecond

// millis rounds up, so that no gap is ever shorter than what was asked.
func millis(d time.Duration) uint32 {
	if d <= 0 {
		return 0
	}
	return uint32(min((int64(d)+int64(time.Millisecond)-1)/int64(time.Millisecond), math.MaxUint32))
}

func (h *host) crawlDelay() time.Duration { return time.Duration(h.delay) * time.Millisecond }

// openAt is the earliest instant at which the host permits another start, as far as can be seen now.
func (h *host) openAt(robots bool, now int64) int64 {
	at := h.owedAt()
	if m := h.more; m != nil {
		at = max(at, m.shutUntil(robots, now), m.account.spentUntil(now))
	}
	return at
}

// owedAt is the earliest instant at which what is owed to the host permits another start.
func (h *host) owedAt() int64 {
	at := h.next
	if h.delay > 0 && h.last > 0 {
		at = max(at, h.last+int64(h.crawlDelay()))
	}
	if h.more != nil {
		at = max(at, h.more.block.until)
	}
	return at
}

// hold is why the host's requests are refused now, and until when; empty: they are not. maxWait is how long that may last to be
// waited for. Of several reasons that which lasts longest counts.
func (h *host) hold(robots bool, now int64, maxWait time.Duration) (report.Reason, int64) {
	m := h.more
	if m == nil {
		return "", 0
	}
	reason, until := m.earned(now)
	if now < m.parked {
		return reason, until
	}
	if at := m.shutUntil(robots, now); at > until {
		reason, until = report.OutsideHours, at
	}
	if at := m.account.spentUntil(now); at > until {
		reason, until = report.Budget, at
	}
	if until <= now {
		return "", 0
	}
	if reason != report.OutsideHours {
		until = m.openFrom(robots, now, until) // it may be shut by then
	}
	if until-now > int64(maxWait) {
		return reason, until
	}
	return "", 0
}

// earned is what the host's own answers earned it: why and until when it is parked, or its block.
func (m *more) earned(now int64) (report.Reason, int64) {
	if now < m.parked {
		return m.reason, m.parked
	}
	return report.RateLimited, m.block.until
}

// park lets the host alone from now until the given instant. A later end is kept.
func (h *host) park(now, until int64, reason report.Reason) bool {
	m := h.extra()
	if until <= m.parked {
		return false
	}
	m.since, m.parked, m.reason = now, until, reason
	return true
}

// owesUntil is the instant from which on nothing is owed any more and the state may be dropped.
func (h *host) owesUntil(now int64) int64 {
	until := h.owedAt()
	if h.denied > 0 {
		until = max(until, h.last+int64(parkFor))
	}
	if m := h.more; m != nil {
		until = max(until, m.parked, m.account.keptUntil(now))
		if m.block.level > 0 {
			until = max(until, m.block.quietAt())
		}
		if m.accepted > 0 {
			until = math.MaxInt64 // a person decided
		}
	}
	return until
}

func (h *host) parkedUntil() int64 {
	if h.more == nil {
		return 0
	}
	return h.more.parked
}
