package throttle

import (
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// Snapshot is how a host stands at one moment.
type Snapshot struct {
	Host string
	// Interval is the gap that is kept now, and Source where it comes from. While a block is in force it is what is left of that.
	Interval time.Duration
	Source   Source
	// Waiting and InFlight count requests in the host's line and under way, Queued those that frontiers hold in memory.
	Waiting, InFlight, Queued int
	// NextStart is when the host permits the next start. The zero time: now, or as soon as one that is under way ends.
	NextStart time.Time
	// ETA is about when the last of those that wait and are queued will start, if nothing changes. The zero time: there are none, or the host is parked.
	ETA time.Time
	// Parked is why the host is left alone, until Until; the zero time: there is no end. Empty: it is not; then Until is the end of a block, if
	// there is one.
	Parked report.Reason
	Until  time.Time
	// Level is how often the blocks of the host doubled: 0 is a host that is well.
	Level int
	// SmallestGap and MedianGap are what was really kept between two requests, robots.txt not included, measured when they were sent; the median is that of
	// the latest 32. ShortGaps counts those that were shorter than promised. They are kept while the host is in use and a while longer.
	SmallestGap, MedianGap time.Duration
	ShortGaps              int
	// RequestsToday and BytesToday count what the host was asked for on this day, which begins at midnight UTC. Zero for a host that no Budget matches.
	RequestsToday int
	BytesToday    int64
}

// Snapshot is how a host stands now. The name is written as in a URL, a port is passed over. It is false for a host that is not known, or was forgotten
// because nothing is owed to it.
func (t *Throttle) Snapshot(host string) (Snapshot, bool) {
	key, err := origin.HostKeyOf(host)
	if err != nil {
		return Snapshot{}, false
	}
	queued := t.queuedFor(key)
	s, h := t.hosts.find(key)
	defer s.mu.Unlock()
	if h == nil {
		return Snapshot{}, false
	}
	now := t.now()
	h = t.asIfAsked(h, key, 443)
	out := Snapshot{Host: key, Queued: queued}
	var blockLeft time.Duration
	if m := h.more; m != nil {
		m.block.forgive(now)
		out.Level = int(m.block.level)
		if m.block.until > now {
			blockLeft, out.Until = time.Duration(m.block.until-now), t.wall(m.block.until)
		}
		if reason, until := h.hold(false, now, 0); reason != "" && (m.parked > now || reason != report.RateLimited) {
			out.Parked, out.Until = reason, t.wall(until)
		}
		out.RequestsToday, out.BytesToday = m.account.today()
	}
	if out.Parked == "" && t.quota.spent() {
		out.Parked, out.Until = report.Budget, time.Time{}
	}
	rule := h.rule
	if h.port == 0 { // known from the StateDir only
		rule = t.paces.match(key, 443)
	}
	out.Interval, out.Source = interval(t.paces[rule].delay, h.crawlDelay(), blockLeft)
	if at := max(h.openAt(false, now), h.parkedUntil()); at > now {
		out.NextStart = t.wall(at)
	}
	if g := h.gate; g != nil {
		if out.Source != FromBlock {
			out.Interval = g.interval()
		}
		out.Waiting, out.InFlight = g.waiting, g.flights
		out.SmallestGap, out.MedianGap, out.ShortGaps = g.gaps.smallest, g.gaps.median(), int(g.gaps.short)
	}
	if todo := out.Waiting + out.Queued; todo > 0 && out.Parked == "" {
		gap := t.delayOf(h, key)
		if h.gate != nil {
			gap = h.gate.interval()
		}
		gap = max(gap+t.paces[rule].random/2, out.MedianGap) // a slow host takes longer than it has to
		out.ETA = t.wall(startOf(max(now, h.openAt(false, now)), todo, gap))
	}
	return out, true
}

// Stats are counts over all hosts.
type Stats struct {
	Hosts, Waiting, InFlight int
	// Queued counts the URLs that frontiers hold in memory, those set aside included.
	Queued int
	// ShortGaps counts gaps that were shorter than promised when the request was sent. It must stay 0.
	ShortGaps int
}

// Stats counts over all hosts.
func (t *Throttle) Stats() Stats {
	s := Stats{Hosts: int(t.hosts.count.Load()), Waiting: int(t.waiting.Load()), InFlight: int(t.flights.Load()), ShortGaps: int(t.shortfall.Load())}
	for _, f := range t.frontiersInUse() {
		s.Queued += f.held()
	}
	return s
}

// Unpark lifts what a person decides to lift: a host that is parked or blocked may be asked again now. What robots.txt asks for is still kept, however long.
// reason goes into the log. The error says that the host is none; a host that is not held is left as it is.
func (t *Throttle) Unpark(host, reason string) error {
	key, err := origin.HostKeyOf(host)
	if err != nil {
		return err
	}
	s, h := t.hosts.find(key)
	if h == nil || h.more == nil {
		s.mu.Unlock()
		return nil
	}
	now := t.now()
	m := h.more
	was := m.reason
	if now < m.parked && m.reason == report.CrawlDelayTooLong {
		m.accepted = h.delay
	}
	held := now < m.parked || now < m.block.until
	m.parked, m.reason, m.block = 0, "", block{}
	h.denied, h.pages, h.marks = 0, allWell, h.marks&^robotsDenied
	if h.gate != nil {
		h.gate.advance(now)
	}
	s.mu.Unlock()
	if held {
		t.reportLift(key)
		t.state.write(note{Host: key, At: time.Now().UnixMilli(), Lifted: true})
		t.teller.Log().Warn("throttle: host unparked", "host", key, "was", was, "reason", reason)
	}
	return nil
}
