package collyrobots

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// Kind is the layer's place among the parts of the pack, which calls it.
func (r *Robots) Kind() chain.Kind { return chain.Robots }

// Skipped is called by the pack for each request that was refused here.
func (r *Robots) Skipped(req *colly.Request, s report.Skip) { r.teller.Skipped(req, s) }

// Log is the logger that this part uses.
func (r *Robots) Log() *slog.Logger { return r.log() }

// Handle is called by the pack for each request on the wire: it lets pass what robots.txt allows, and fetches robots.txt if it is not known.
// robots.txt itself is always allowed (RFC 9309, 2.2.2).
func (r *Robots) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if h.IsRobots() || isRobotsURL(h.URL()) {
		r.paceAsBefore(h)
		return next(h)
	}
	if err := r.judge(h); err != nil {
		return h.Refuse(err)
	}
	return next(h)
}

// judge decides on a hop, and tells the throttle of the crawl delay.
func (r *Robots) judge(h *chain.Hop) error {
	o, err := origin.Of(h.URL())
	if err != nil {
		return &RefusedError{Decision{URL: h.URL().Redacted(), Class: ClassUnreachable, Reason: report.RobotsUnreachable, Err: err}}
	}
	c := r.crawlerOf(h.ProductToken(), h.Header())
	r.warnOf(c)
	s := r.cache.get(o)
	s.used.Store(time.Now().UnixNano())
	s.note(h, c)
	st, sd, err := r.obtainPatiently(h.Context(), s)
	if err != nil {
		var refusal report.Refusal
		if errors.As(err, &refusal) {
			return &RefusedError{notAsked(h.URL(), s.origin, c, refusal)}
		}
		return err
	}
	return r.apply(h, s, c, st, sd)
}

// apply judges a hop by a state that counts.
func (r *Robots) apply(h *chain.Hop, s *site, c *crawler, st *state, sd standing) error {
	switch sd {
	case rulesHold:
		rules := r.rules(s, st.copy, c.token)
		if m := rules.matchURL(h.URL()); !m.Allowed {
			return &RefusedError{r.decide(h.URL(), s.origin, c, st, sd)}
		}
		d, ok := rules.CrawlDelay()
		h.SetCrawlDelay(d, ok)
		if ok && d > 0 {
			r.warnUnpaced(h, st.copy, d)
		}
		return nil
	case allAllowed:
		return nil
	}
	return &RefusedError{r.decide(h.URL(), s.origin, c, st, sd)}
}

// rules is the rules of a copy for a token.
func (r *Robots) rules(s *site, c *heldCopy, token string) *Rules {
	if rules := c.known(token); rules != nil {
		return rules
	}
	rules := c.rules(token, &r.options)
	r.cache.resize(s)
	return rules
}

// obtainPatiently is obtain, but holds the request for Options.Patience while robots.txt is unreachable.
func (r *Robots) obtainPatiently(ctx context.Context, s *site) (*state, standing, error) {
	rt := s.route.Load()
	st, sd, err := r.obtain(ctx, s, rt)
	if r.options.Patience == 0 {
		return st, sd, err
	}
	for deadline := time.Now().Add(r.options.Patience); err == nil && sd == allDisallowed && !st.failure.RetryAt.After(deadline); {
		if err := pause(ctx, time.Until(st.failure.RetryAt)); err != nil {
			return nil, unknown, err
		}
		st, sd, err = r.obtain(ctx, s, rt)
	}
	return st, sd, err
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// paceAsBefore gives a request for robots.txt itself the crawl delay of the copy that is known, even an old one.
func (r *Robots) paceAsBefore(h *chain.Hop) {
	o, err := origin.Of(h.URL())
	if err != nil {
		return
	}
	s := r.cache.peek(o)
	if s == nil {
		return
	}
	if st := s.state.Load(); st != nil && st.copy != nil {
		if rules := st.copy.known(r.crawlerOf(h.ProductToken(), h.Header()).token); rules != nil {
			h.SetCrawlDelay(rules.CrawlDelay())
		}
	}
}

// Admit is called by the pack before a request is on its way. It refuses what memory knows to be disallowed for the token that requests to this
// origin have been sent under: a callback that comes later may still give the request another name.
func (r *Robots) Admit(a chain.Admission) error {
	if isRobotsURL(a.URL) {
		return nil
	}
	d, refused := r.remembers(a)
	if !refused || r.mayBeHeld(&d) {
		return nil
	}
	return &RefusedError{d}
}

// mayBeHeld reports whether Options.Patience would hold the request on the wire instead of refusing it.
func (r *Robots) mayBeHeld(d *Decision) bool {
	p := r.options.Patience
	return p > 0 && d.Reason == report.RobotsUnreachable && !d.RetryAt.After(time.Now().Add(p))
}

// remembers reports whether memory knows that a request is refused, and why.
func (r *Robots) remembers(a chain.Admission) (Decision, bool) {
	o, err := origin.Of(a.URL)
	if err != nil {
		return Decision{}, false
	}
	s := r.cache.peek(o)
	if s == nil {
		return Decision{}, false
	}
	now := time.Now()
	st := s.state.Load()
	sd := st.at(now, &r.options)
	if sd == unknown || sd == allAllowed {
		return Decision{}, false
	}
	s.used.Store(now.UnixNano())
	c := r.crawlerOf(a.ProductToken, a.Header)
	if sd == rulesHold {
		rules := st.copy.known(c.token)
		if rules == nil || rules.matchURL(a.URL).Allowed {
			return Decision{}, false
		}
	}
	return r.decide(a.URL, s.origin, c, st, sd), true
}

// Recheck is called by the pack when a request has waited for its turn: the rules may have changed or run out meanwhile. It reads memory only.
func (r *Robots) Recheck(h *chain.Hop) (stale bool, err error) {
	if h.IsRobots() || isRobotsURL(h.URL()) {
		return false, nil
	}
	o, err := origin.Of(h.URL())
	if err != nil {
		return false, nil // it was refused before
	}
	s := r.cache.peek(o)
	if s == nil {
		return true, nil
	}
	st := s.state.Load()
	sd := st.at(time.Now(), &r.options)
	if sd == unknown {
		return true, nil
	}
	return false, r.apply(h, s, r.crawlerOf(h.ProductToken(), h.Header()), st, sd)
}

// Renew is called by the pack when Recheck found the rules stale and the turn has been given back: it fetches them and judges anew.
func (r *Robots) Renew(h *chain.Hop) error {
	if h.IsRobots() || isRobotsURL(h.URL()) {
		return nil
	}
	return r.judge(h)
}

// Holds is called by the pack to learn whether an earlier refusal would be given again. It reads memory only.
func (r *Robots) Holds(a chain.Admission, s report.Skip) bool {
	if s.Reason != report.RobotsDisallowed && s.Reason != report.RobotsUnreachable {
		// robots.txt was not sent, for another part's reason: not even asked for again at once.
		return time.Now().Before(s.RetryAt) || time.Since(s.Time) < shortestRetry
	}
	if _, err := origin.Of(a.URL); err != nil {
		return true
	}
	d, refused := r.remembers(a)
	return refused && !r.mayBeHeld(&d)
}

// decide is the decision on u by a state that counts.
func (r *Robots) decide(u *url.URL, o origin.Origin, c *crawler, st *state, sd standing) Decision {
	d := Decision{URL: u.Redacted(), Origin: o.String(), ProductToken: c.name}
	if f := st.failure; f != nil && (sd != rulesHold || !time.Now().Before(st.copy.ExpiresAt)) {
		d.Class, d.Status, d.FetchedAt, d.ExpiresAt = f.Class, f.Status, f.At, f.RetryAt
		d.Err = errors.New(f.Cause)
		if f.Class == ClassUnreachable {
			d.RetryAt = f.RetryAt
		}
	} else {
		d.Class, d.Status, d.FetchedAt, d.ExpiresAt = ClassRules, st.copy.Status, st.copy.FetchedAt, st.copy.ExpiresAt
	}
	switch sd {
	case rulesHold:
		rules := st.copy.rules(c.token, &r.options)
		m := rules.matchURL(u)
		d.Allowed, d.Line, d.Rule = m.Allowed, m.Line, m.Rule
		d.CrawlDelay, d.HasCrawlDelay = rules.CrawlDelay()
		if !m.Allowed {
			d.Reason, d.RetryAt = report.RobotsDisallowed, time.Time{}
		}
	case allAllowed:
		d.Allowed = true
	case forbiddenToCrawl:
		d.Reason, d.RetryAt = report.RobotsDisallowed, st.failure.RetryAt
	default:
		d.Reason = report.RobotsUnreachable
	}
	return d
}

// notAsked is the decision where robots.txt was not asked for, since another part refused to send that request.
func notAsked(u *url.URL, o origin.Origin, c *crawler, refusal report.Refusal) Decision {
	s := refusal.Skip()
	return Decision{
		URL: u.Redacted(), Origin: o.String(), Class: ClassUnreachable, Reason: s.Reason, ProductToken: c.name, RetryAt: s.RetryAt, Err: refusal,
	}
}
