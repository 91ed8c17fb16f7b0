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
		return &RefusedError{Decision{URL: h.URL().Redacted(), Class: ClassUnreachable, Reason: report.RobotsUnreachable, Err: err}}
	}
	c := r.crawlerOf(h.ProductToken(), h.Header())
	r.warnOf(c)
	s := r.cache.get(o)
	s.used.Store(time.Now().UnixNano())
	st, sd, err := r.obtainPatiently(h.Context(), s, s.note(h, c))
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
		d, ok := rules.delayNow()
		h.SetCrawlDelay(d, ok) // a permit overrules neither
		h.SetHours(rules.hours())
		if !r.lets(rules, h) {
			return &RefusedError{r.decide(h.URL(), s.origin, c, st, sd)}
		}
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
		if rules == nil || r.admits(rules, a.URL) {
			return Decision{}, false
		}
	}
	return r.decide(a.URL, s.origin, c, st, sd), true
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
