package collyrobots

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// judge decides on a hop, and tells the throttle how the site wants to be visited.
func (r *Robots) judge(h *chain.Hop) error {
	o, err := h.Origin()
	if err != nil {
		return withoutOrigin(h.URL(), err)
	}
	c := r.crawlerOf(h.ProductToken(), h.Header())
	r.warnOf(c)
	s := r.cache.get(o)
	s.used.Store(time.Now().UnixNano())
	st, sd, err := r.obtainPatiently(h.Context(), s, s.note(h, c))
	if err != nil {
		return unknownBecause(err, h.URL(), s.origin, c)
	}
	return r.apply(h, s, c, st, sd)
}

// withoutOrigin refuses a URL of which no robots.txt can be asked for.
func withoutOrigin(u *url.URL, err error) error {
	return &RefusedError{Decision{URL: u.Redacted(), Class: ClassUnreachable, Reason: report.RobotsUnreachable, Err: err}}
}

// unknownBecause is the error of a request whose robots.txt could not be asked for.
func unknownBecause(err error, u *url.URL, o origin.Origin, c *crawler) error {
	var refusal report.Refusal
	if errors.As(err, &refusal) {
		return &RefusedError{notAsked(u, o, c, refusal)}
	}
	return err
}

// apply judges a hop by a state that counts.
func (r *Robots) apply(h *chain.Hop, s *site, c *crawler, st *state, sd standing) error {
	switch sd {
	case rulesHold:
		rules := r.rules(s, st.copy, c.token)
		d, ok := rules.delayNow()
		h.SetCrawlDelay(d, ok) // a permit overrules neither
		h.SetHours(rules.hours())
		if !r.lets(rules, h) {
			return r.disallowed(h.URL(), s, c, st, sd)
		}
		if ok && d > 0 {
			r.warnUnpaced(h, st.copy, d)
		}
		return nil
	case allAllowed:
		return nil
	}
	return r.disallowed(h.URL(), s, c, st, sd)
}

// disallowed is the error of a request that a state refuses. Inlined, its Decision would lie on the stack of each request that is allowed.
//
//go:noinline
func (r *Robots) disallowed(u *url.URL, s *site, c *crawler, st *state, sd standing) error {
	return &RefusedError{r.decide(u, s.origin, c, st, sd)}
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
func (r *Robots) obtainPatiently(ctx context.Context, s *site, w way) (*state, standing, error) {
	st, sd, err := r.obtain(ctx, s, w)
	if r.options.Patience == 0 {
		return st, sd, err
	}
	for deadline := time.Now().Add(r.options.Patience); err == nil && sd == allDisallowed && !st.failure.RetryAt.After(deadline); {
		if err := pause(ctx, time.Until(st.failure.RetryAt)); err != nil {
			return nil, unknown, err
		}
		st, sd, err = r.obtain(ctx, s, w)
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

// mayBeHeld reports whether Options.Patience would hold the request on the wire instead of refusing it.
func (r *Robots) mayBeHeld(d *Decision) bool {
	p := r.options.Patience
	return p > 0 && d.Reason == report.RobotsUnreachable && !d.RetryAt.After(time.Now().Add(p))
}

// finding is what memory knows of a request.
type finding struct {
	site    *site
	state   *state
	holds   standing
	crawler *crawler
}

// remembers reports whether memory knows that a request is disallowed.
func (r *Robots) remembers(a chain.Admission) (v finding, disallowed bool) {
	o, err := origin.Of(a.URL)
	if err != nil {
		return v, false
	}
	if v.site = r.cache.peek(o); v.site == nil {
		return v, false
	}
	now := time.Now()
	v.state = v.site.state.Load()
	v.holds = v.state.at(now, &r.options)
	if v.holds == unknown || v.holds == allAllowed {
		return v, false
	}
	v.site.used.Store(now.UnixNano())
	v.crawler = r.crawlerOf(a.ProductToken, a.Header)
	if v.holds == rulesHold {
		rules := v.state.copy.known(v.crawler.token)
		if rules == nil || r.admits(rules, a.URL) {
			return v, false
		}
	}
	return v, true
}

// refuses is the decision on what memory knows to be disallowed, unless the request may be held or is permitted.
func (r *Robots) refuses(u *url.URL, v finding) (Decision, bool) {
	d := r.decide(u, v.site.origin, v.crawler, v.state, v.holds)
	return d, !r.mayBeHeld(&d) && !r.isPermitted(u, &d)
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
		d.CrawlDelay, d.HasCrawlDelay = rules.delayNow()
		if !m.Allowed {
			d.Reason, d.RetryAt = report.RobotsDisallowed, time.Time{}
		}
		// A permit overrules the rule only: what the site denies to our purpose stays denied.
		if rec := r.optOut(rules, u); rec != nil && (m.Allowed || r.permitFor(u) != nil) {
			d.Allowed, d.Reason, d.RetryAt = false, report.OptOut, time.Time{}
			d.Line, d.Rule = rec.source.Line, rec.source.Kind+": "+rec.source.Raw
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
