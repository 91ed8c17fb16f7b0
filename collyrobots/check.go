package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// Check says whether rawURL may be fetched now, with which crawl delay, and why. It fetches robots.txt if it is not known, through the
// collector that last asked for the origin, else the first one attached, else Options.Base; it waits for that until ctx ends. The URL itself
// is not fetched. The error is that rawURL is unusable, or the cause of ctx: a robots.txt that cannot be read is a Decision.
func (r *Robots) Check(ctx context.Context, rawURL string) (Decision, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Decision{}, fmt.Errorf("collyrobots: Check: %w", err)
	}
	o, err := origin.Of(u)
	if err != nil {
		return Decision{}, fmt.Errorf("collyrobots: Check: %w", err)
	}
	if err := context.Cause(ctx); err != nil {
		return Decision{}, err
	}
	s := r.cache.get(o)
	rt := s.route.Load()
	if rt == nil || rt.ended() != nil {
		rt = r.routeTo(s.origin)
	}
	if isRobotsURL(u) {
		return Decision{URL: u.Redacted(), Origin: s.origin.String(), Allowed: true, ProductToken: rt.crawler.name}, nil
	}
	s.used.Store(time.Now().UnixNano())
	st, sd, err := r.obtain(ctx, s, rt)
	var refusal report.Refusal
	switch {
	case errors.As(err, &refusal):
		return notAsked(u, s.origin, rt.crawler, refusal), nil
	case err != nil:
		return Decision{}, err
	}
	return r.decide(u, s.origin, rt.crawler, st, sd), nil
}

// routeTo is the way to an origin that nobody has asked for yet: through the first collector whose user has not ended it, else, if there never
// was one, through Options.Base.
func (r *Robots) routeTo(o origin.Origin) *route {
	u, _ := url.Parse(o.String()) // an origin is a URL
	rt := &route{dialled: u.Host, host: u.Host}
	identity, userAgent, sends := "", r.options.ProductToken, r.options.ProductToken != ""
	if by, ok := r.firstAttached(); ok {
		rt.chain = by.chain
		for _, l := range by.chain.Layers() {
			if t, ok := l.(chain.Tokener); ok {
				identity = t.ProductToken(u)
			}
		}
		if c := by.collector.Value(); c != nil {
			userAgent, sends = c.UserAgent, true
		}
	}
	if !sends {
		userAgent = goUserAgent
	}
	rt.crawler = r.crawlerNamed(identity, userAgent, sends)
	return rt
}

// firstAttached is the first collector that can still fetch, or the first of all.
func (r *Robots) firstAttached() (attachment, bool) {
	r.mu.Lock()
	attached := r.attached
	r.mu.Unlock()
	for _, a := range attached {
		if a.chain.FetchContext().Err() == nil {
			return a, true
		}
	}
	if len(attached) == 0 {
		return attachment{}, false
	}
	return attached[0], true
}
