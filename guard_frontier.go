package etiquette

import (
	"net/url"
	"sync"
	"time"

	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/throttle"
)

// NewFrontier makes a queue that is fair to hosts and keeps to stops: see [throttle.Frontier]. backing holds the requests, in Redis say; nil means memory.
// A URL that is stopped is told as a skip and stays queued; it is handed out once the stop is lifted. A stop is seen when the next of its URLs would be
// handed out, a lift at the next hand-out of any host, within a second; Frontier.Refilter sees both at once.
func (g *Guard) NewFrontier(backing queue.Storage) *throttle.Frontier {
	f := throttle.NewFrontier(g.Throttle, backing)
	f.Filter = (&stopFilter{stops: g.KillSwitch, refilter: f.Refilter}).refuse
	return f
}

// stopFilter keeps stopped URLs in a queue, and lets the queue look through all it has when a stop begins or ends.
type stopFilter struct {
	stops    *killswitch.Switch
	refilter func()

	mu      sync.Mutex          // guards what follows
	kept    map[string]*url.URL // by the ID of a rule in force: a URL that it keeps back
	looked  time.Time           // when it was last seen whether they are still kept back
	looking bool                // the queue is being looked through
	again   bool                // something changed meanwhile
}

const (
	lookEvery = time.Second
	// mostKept bounds the rules that are watched for their end. What those beyond kept back comes back with the next Refilter or Run.
	mostKept = 10_000
)

// refuse is the error for a URL that is stopped.
func (f *stopFilter) refuse(u *url.URL) error {
	rule, stopped := f.stops.Check(u)
	if f.changed(u, rule, stopped) {
		for again := true; again; again = f.goOn() {
			f.refilter() // which asks refuse about every URL
		}
	}
	if !stopped {
		return nil
	}
	host, _ := origin.HostKey(u)
	return &killswitch.Error{Rule: rule, URL: u.Redacted(), Host: host, Time: time.Now()}
}

// changed reports whether the caller must have the queue looked through: a rule was met for the first time, or one that was met is gone.
func (f *stopFilter) changed(u *url.URL, rule killswitch.Rule, stopped bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	began := stopped && f.keep(u, rule)
	ended := f.ended(time.Now())
	if !began && !ended {
		return false
	}
	if f.looking {
		f.again = true
		return false
	}
	f.looking = true
	return true
}

// goOn reports whether something changed while the queue was looked through.
func (f *stopFilter) goOn() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looking, f.again = f.again, false
	return f.looking
}

// keep remembers that a rule keeps u back, and reports whether the rule is new. The caller holds mu.
func (f *stopFilter) keep(u *url.URL, rule killswitch.Rule) bool {
	if _, known := f.kept[rule.ID]; known || len(f.kept) >= mostKept {
		return false
	}
	if f.kept == nil {
		f.kept = make(map[string]*url.URL)
	}
	f.kept[rule.ID] = u
	return true
}

// ended looks, once a second, whether one of the URLs is no longer kept back. The caller holds mu.
func (f *stopFilter) ended(now time.Time) bool {
	if len(f.kept) == 0 || now.Sub(f.looked) < lookEvery {
		return false
	}
	f.looked = now
	gone := false
	for id, u := range f.kept {
		if rule, stopped := f.stops.Check(u); !stopped || rule.ID != id {
			delete(f.kept, id)
			gone = true
		}
	}
	return gone
}
