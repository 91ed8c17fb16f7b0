package throttle

import (
	"math"

	"github.com/collyetiquette/etiquette/report"
)

// What the frontier asks: which hosts may start a request, when, and when to ask again.

// whenBusy is the answer for a host that has no place free: it changes when a request ends.
const whenBusy = math.MaxInt64

// startable is the instant from which on one more request to a host may start, counted as by now; 0: now. A reason says that the host is held
// until then, so that its URLs need not be kept ready. Those who wait in the host's line come first and are not counted in.
func (t *Throttle) startable(key string) (at int64, held report.Reason) {
	s, h := t.hosts.find(key)
	defer s.mu.Unlock()
	if h == nil {
		return 0, ""
	}
	now := t.now()
	if reason, until := h.hold(now, t.maxBlockWait); reason != "" {
		return until, reason
	}
	if g := h.gate; g != nil && g.flights+g.waiting >= g.parallel(now) {
		return whenBusy, ""
	}
	if at = h.openAt(); at <= now {
		return 0, ""
	}
	return at, ""
}

// watch lets f know the name of each host for which startable may say something else now. f is called with the host's lock held: it must return at
// once and ask nothing. Only one can watch; nil ends it.
func (t *Throttle) watch(f func(host string)) {
	if f == nil {
		t.watcher.Store(nil)
		return
	}
	t.watcher.Store(&f)
}

func (t *Throttle) changed(g *gate) {
	if f := t.watcher.Load(); f != nil {
		(*f)(g.host.name)
	}
}
