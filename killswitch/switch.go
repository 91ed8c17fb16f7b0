package killswitch

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// Switch holds the rules in force and keeps to them. It is safe for concurrent use. Make it with New or Attach, and Close it.
type Switch struct {
	opts    Options
	layer   *layer
	index   *index
	flights *flights
	state   *state // nil without a StateDir
	file    fileReader
	watch   watch
	guard   callGuard
	calls   calls
	opened  atomic.Bool // New has returned it

	tokenPath string // absolute

	mu    sync.Mutex // guards what follows, and every change of the index
	read  map[Rule]*entry
	looks int64 // at the stop file
	made  made
	past  []*entry // no longer in force, for Report
	// stale is in force while the stop file has been unreadable for longer than MaxStale, or the saved state is damaged.
	stale   map[string]*entry
	told    map[string]string   // alarms that were given, by what they are about
	timed   map[*entry]struct{} // those of read and made that end by themselves
	nextEnd time.Time           // when the first of them does
	flushed time.Time           // when the refusals were last written to the audit log
}

// New makes a switch. It reads the stop file and the saved state, starts nothing, and touches no network. It fails if the file does not exist,
// cannot be read whole and was never read before, or if the saved state is damaged: a switch that may have lost a stop must not begin.
func New(o Options) (*Switch, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Switch{opts: o, index: newIndex(), flights: newFlights(), read: make(map[Rule]*entry), made: make(made),
		stale: make(map[string]*entry), told: make(map[string]string), timed: make(map[*entry]struct{})}
	s.watch.init()
	s.layer = newLayer(s)
	if o.TokenFile != "" {
		path, err := filepath.Abs(o.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("killswitch: Options.TokenFile: %w", err)
		}
		s.tokenPath = path
		s.tokens() // so that a file that lets nobody in is told of now, and not when somebody wants to stop a host
	}
	if err := s.openState(); err != nil {
		return nil, err
	}
	if err := s.openFile(); err != nil {
		s.closeState()
		return nil, err
	}
	s.opened.Store(true)
	return s, nil
}

// Close ends the watching of files. The rules that are in force stay so. It is safe to call twice.
func (s *Switch) Close() error {
	s.watch.close()
	s.calls.close()
	s.flushCounts(time.Now())
	return s.closeState()
}

// Check reports whether a request for u would be refused, and by which rule. It looks at the clock and at memory only, but for the first use
// of a Switch with files, which reads them.
func (s *Switch) Check(u *url.URL) (Rule, bool) {
	s.use()
	if e := s.index.find(u); e.stops() {
		return e.rule, true
	}
	return Rule{}, false
}

// Rules are the rules in force, of all sources, in the order of their IDs. The slice is the caller's.
func (s *Switch) Rules() []Rule {
	s.use()
	now := time.Now()
	var rules []Rule
	s.mu.Lock()
	for e := range s.entries() {
		if !e.expired(now) {
			rules = append(rules, e.rule)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(rules, func(a, b Rule) int {
		if a.ID != b.ID {
			return cmp.Compare(a.ID, b.ID)
		}
		return cmp.Compare(a.Scope(), b.Scope())
	})
	return rules
}

// entries yields all that is in force. The caller holds mu.
func (s *Switch) entries() func(func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for _, e := range s.read {
			if !yield(e) {
				return
			}
		}
		for _, es := range s.made {
			for _, e := range es {
				if !yield(e) {
					return
				}
			}
		}
		for _, e := range s.stale {
			if !yield(e) {
				return
			}
		}
	}
}

// publish puts rules in force. The caller holds mu, and calls strike once it has let go of it.
func (s *Switch) publish(es ...*entry) {
	if len(es) == 0 {
		return
	}
	now := time.Now()
	for _, e := range es {
		if e.applied.IsZero() {
			e.applied = now
		}
		if !e.rule.Until.IsZero() {
			s.timed[e] = struct{}{}
			s.noteEnd(e, now)
		}
	}
	s.index.add(es...)
	s.changed()
}

// changed has OnChange called, but not for what New finds.
func (s *Switch) changed() {
	if s.opened.Load() {
		s.calls.change(s.opts.OnChange)
	}
}

// landingTime is how long a stop waits for the requests that it ended to be off the wire.
const landingTime = 50 * time.Millisecond

// strike ends what one of these rules covers and does not let come to its end, but for one hop. Other rules have struck before, and spared
// what they wanted to. What it returns waits until nothing more of that is sent, but not for long.
func (s *Switch) strike(spared *chain.Hop, es ...*entry) (wait func()) {
	fresh := newIndex()
	if s.flights.any() { // else there is nothing to end; what enters from now on sees the rules
		fresh.add(es...)
	}
	l := s.flights.end(fresh, s.layer, spared)
	return func() {
		late := time.NewTimer(landingTime)
		defer late.Stop()
		select {
		case <-l.down:
		case <-late.C:
		}
	}
}

// maxPast bounds what is remembered of rules that are no longer in force.
const maxPast = 10_000

// retire takes rules out of force. The caller holds mu.
func (s *Switch) retire(reason string, es ...*entry) {
	now := time.Now()
	s.index.remove(es...)
	times := s.flights.times(es...)
	for _, e := range es {
		delete(s.timed, e)
		delete(s.told, "rule "+e.rule.ID)
		e.saved = e.saved.later(times[e])
		if e.lifted.IsZero() {
			e.lifted, e.liftReason = now, reason
		}
	}
	s.remember(es...)
	if slices.ContainsFunc(es, func(e *entry) bool { return e.overSince.IsZero() }) { // else nothing was in force any more
		s.changed()
	}
}

// remember keeps rules that are no longer in force for Report. The caller holds mu.
func (s *Switch) remember(es ...*entry) {
	s.past = append(s.past, es...)
	if n := len(s.past) - maxPast; n > 0 {
		s.past = slices.Clone(s.past[n:])
	}
}
