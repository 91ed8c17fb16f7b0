package throttle

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// Throttle paces requests, each host by itself. It serves any number of collectors and clients, which then share the pace of each host. It is safe for
// concurrent use, and has no goroutine and no timer while nobody waits.
type Throttle struct {
	opts          Options
	paces         paces
	windows       []*window
	budgets       []*budget
	maxCrawlDelay time.Duration
	maxBlockWait  time.Duration
	epoch         time.Time // instants count from here
	teller        chain.Teller
	layer         *layer

	hosts     hosts
	ceilings  ceilings
	quota     quota
	spendings spendings
	urls      urls
	state     state
	attached  collectors
	repeating sync.Map      // requests that repeat is at, by *http.Request
	closing   chan struct{} // closed by Close
	closed    atomic.Bool
	frontiers atomic.Pointer[[]weak.Pointer[Frontier]]

	waiting, flights, shortfall atomic.Int64
	measured                    measured
}

// New makes a Throttle. It neither starts a goroutine nor touches the network; with a StateDir it reads what is owed from before. An error names
// the option that makes no sense, or says what is wrong with the directory.
func New(o Options) (*Throttle, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	ps, err := compileRules(o.Rules)
	if err != nil {
		return nil, err
	}
	t := &Throttle{opts: o, paces: ps, epoch: time.Now(), closing: make(chan struct{})}
	if t.windows, err = compileHours(o.Hours); err != nil {
		return nil, err
	}
	if t.budgets, err = compileBudgets(&o); err != nil {
		return nil, err
	}
	t.maxCrawlDelay = o.MaxCrawlDelay
	if t.maxCrawlDelay == 0 {
		t.maxCrawlDelay = DefaultMaxCrawlDelay
	}
	for i := range ps {
		ps[i].delay = o.shared(ps[i].delay)
	}
	t.maxBlockWait = max(o.MaxBlockWait, 0)
	if o.MaxBlockWait == 0 {
		t.maxBlockWait = DefaultMaxBlockWait
	}
	limit := o.MaxHosts
	if limit == 0 {
		limit = DefaultMaxHosts
	}
	t.teller = chain.Teller{OnSkip: o.OnSkip, Logger: o.Logger, Report: o.Report}
	t.layer = &layer{t}
	t.hosts.init(t, limit)
	t.ceilings.init(o.Total, o.DomainRate, o.processes())
	t.quota.limit = int64(o.MaxRequests)
	t.urls.seed = t.hosts.seed
	if err := t.state.open(t, o.StateDir); err != nil {
		return nil, err
	}
	if err := t.spendings.open(t); err != nil {
		return nil, err
	}
	if o.Report != nil {
		o.Report.AddSource(t.describe)
	}
	return t, nil
}

// now is the instant, in nanoseconds since the throttle began, never zero.
func (t *Throttle) now() int64 { return int64(time.Since(t.epoch)) + 1 }

// at is the instant of a time. One that is too far away to be counted with is the last.
func (t *Throttle) at(w time.Time) int64 { return int64(min(w.Sub(t.epoch), math.MaxInt64-1)) + 1 }

func (t *Throttle) wall(at int64) time.Time { return t.epoch.Add(time.Duration(at - 1)) }

// Wait waits until the request may be sent. It returns when the turn has come, with an error of ctx (its cause) when that ends first, with an *Error when the host
// is parked or blocked for too long, or with ErrClosed. Crawl delays are known to it only for hosts that are also crawled with robots attached.
func (t *Throttle) Wait(ctx context.Context, u *url.URL) (*Turn, error) {
	tn, err := t.take(ctx, u, nil)
	if err != nil {
		return nil, err
	}
	if err := tn.secure(); err != nil {
		return nil, err
	}
	tn.write()
	tn.sending(false)
	return tn, nil
}

// take waits for a turn for the hop, or, without one, for the URL.
func (t *Throttle) take(ctx context.Context, u *url.URL, h *chain.Hop) (*Turn, error) {
	key, err := hostKey(u, h)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	tn := &Turn{url: u, hop: h, ctx: ctx, robots: h != nil && h.IsRobots()}
	for {
		if err := t.patience(tn, key); err != nil {
			return nil, err
		}
		if err := t.enter(tn, key); err != nil {
			return nil, err
		}
		if err := tn.await(); err != nil {
			return nil, err
		}
		if !t.mustBePatient(tn) {
			return tn, nil
		}
		tn.Cancel() // the URL failed once more while it waited
	}
}

// hostKey names the line that a request stands in.
func hostKey(u *url.URL, h *chain.Hop) (string, error) {
	if h != nil {
		return h.HostKey()
	}
	return origin.HostKey(u)
}

// enter puts the turn into its host's line and leaves the host locked, or refuses it.
func (t *Throttle) enter(tn *Turn, key string) error {
	s, h := t.hosts.find(key)
	if h == nil && t.state.shared() {
		s.mu.Unlock()
		t.state.refresh()
		s, h = t.hosts.find(key)
	}
	now := t.now()
	if h == nil {
		var till int64
		if h, till = s.add(key, now); h == nil {
			s.mu.Unlock()
			return &Error{URL: tn.url.Redacted(), Host: key, Reason: report.HostTableFull, Needed: time.Duration(till - now), RetryAt: t.wall(till)}
		}
	}
	t.applyRule(h, key, tn.url)
	tn.gate, tn.arrived = s.gateOf(h), now
	if tn.hop != nil && !tn.robots {
		tn.gate.stretch = tn.hop.Stretch()
	}
	t.heed(tn, now)
	if err := t.refuse(tn, now); err != nil {
		tn.gate.settle()
		s.mu.Unlock()
		t.reportParked(err)
		return err
	}
	tn.gate.join(tn)
	return nil
}

// applyRule finds the host's rule. A host on several ports keeps the most careful of theirs.
func (t *Throttle) applyRule(h *host, key string, u *url.URL) {
	_, port := originsOf(u)
	if h.port == port {
		return
	}
	t.applyTimes(h, key, port)
	rule := t.paces.match(key, port)
	if h.port == 0 {
		h.rule, h.port = rule, port
		return
	}
	if was, is := &t.paces[h.rule], &t.paces[rule]; is.slower(was) {
		if h.next > 0 {
			h.next += int64(max(is.delay-was.delay, 0))
		}
		h.rule, h.port = rule, port
	}
}

// applyTimes finds the hours and the budget of a host on a port.
func (t *Throttle) applyTimes(h *host, key string, port uint16) {
	if i := first(t.windows, key, port); i >= 0 {
		h.keepHours(t.windows[i])
	}
	if i := first(t.budgets, key, port); i >= 0 {
		h.keepBudget(t.budgets[i])
	}
}

// asIfAsked is how a host would stand if it were asked on a port, where nobody asked it yet. It is for looking at only. The caller holds the lock.
func (t *Throttle) asIfAsked(h *host, key string, port uint16) *host {
	if h != nil && h.port != 0 || first(t.windows, key, port) < 0 && first(t.budgets, key, port) < 0 {
		return h
	}
	var guess host
	if h != nil {
		guess = *h
	}
	if guess.more != nil {
		m := *guess.more
		m.openings = slices.Clone(m.openings)
		if m.account != nil {
			a := *m.account
			m.account = &a
		}
		guess.more = &m
	}
	t.applyTimes(&guess, key, port)
	return &guess
}

// heed takes in what robots.txt asks of this origin. Hours and a crawl delay reach those who wait as well. A crawl delay that is too long parks the host; one that is short enough again unparks it.
func (t *Throttle) heed(tn *Turn, now int64) {
	if tn.hop == nil || tn.robots || tn.hop.Chain().Layer(chain.Robots) == nil {
		return
	}
	g, h := tn.gate, tn.gate.host
	o, _ := originsOf(tn.url)
	if h.visit(o, tn.hop.Hours()) {
		g.advance(now)
	}
	d, ok := tn.hop.CrawlDelay()
	if !ok {
		d = 0
	}
	if d == 0 && h.delay == 0 {
		return
	}
	was := h.delay
	h.asked(o, t.opts.shared(d))
	tooLong := h.crawlDelay() > t.opts.shared(t.maxCrawlDelay) && (h.more == nil || h.delay > h.more.accepted)
	switch {
	case tooLong && (h.more == nil || now >= h.more.parked):
		h.park(now, now+int64(parkFor), report.CrawlDelayTooLong)
		g.refuseHeld(now)
	case !tooLong && h.more != nil && h.more.reason == report.CrawlDelayTooLong:
		h.more.parked, h.more.reason = 0, ""
	}
	if h.delay != was {
		g.advance(now)
	}
}

// Transport paces a plain http.Client: next sends what may be sent; nil means the pack's own transport. A redirect is a request of its own.
func (t *Throttle) Transport(next http.RoundTripper) http.RoundTripper {
	return chain.Transport(next, t.opts.config(), t.layer)
}

// Close ends the waiting of all who wait, with ErrClosed; later requests are not sent. It writes what is owed to the StateDir and may be called twice.
func (t *Throttle) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	close(t.closing)
	t.hosts.each(func(g *gate) { g.refuseLine(t.now(), func(*Turn) error { return ErrClosed }) })
	t.attached.closeIdle()
	t.spendings.close()
	return t.state.close()
}

// same reports whether two Options ask for the same. Two functions are never the same.
func (o *Options) same(p *Options) bool {
	if o.OnSkip != nil || p.OnSkip != nil || o.Logger != p.Logger || o.Report != p.Report || !sameBase(o.Base, p.Base) {
		return false
	}
	a, b := *o, *p
	a.Base, a.Logger, a.Report, b.Base, b.Logger, b.Report = nil, nil, nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

func sameBase(a, b http.RoundTripper) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}
