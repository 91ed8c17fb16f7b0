package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
	"weak"

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
	w, ok := s.lastWay()
	if !ok {
		w = r.wayTo(s.origin)
	}
	if isRobotsURL(u) {
		return Decision{URL: u.Redacted(), Origin: s.origin.String(), Allowed: true, ProductToken: w.crawler.name}, nil
	}
	s.used.Store(time.Now().UnixNano())
	st, sd, err := r.obtain(ctx, s, w)
	var refusal report.Refusal
	switch {
	case errors.As(err, &refusal):
		return notAsked(u, s.origin, w.crawler, refusal), nil
	case err != nil:
		return Decision{}, err
	}
	return r.permit(u, r.decide(u, s.origin, w.crawler, st, sd)), nil
}

// wayTo is the way to an origin that nobody who is still there has asked for: through the first collector whose user has not ended it, else,
// if there is none, through Options.Base.
func (r *Robots) wayTo(o origin.Origin) way {
	u, _ := url.Parse(o.String()) // an origin is a URL
	w := way{&route{dialled: u.Host, host: u.Host}, r.alone}
	identity, userAgent, sends := "", r.options.ProductToken, r.options.ProductToken != ""
	if by, ok := r.firstAttached(); ok {
		w.chain = by.chain
		for _, l := range by.chain.Layers() {
			if t, ok := l.(chain.Tokener); ok {
				identity = t.ProductToken(u)
			}
		}
		if by.collector != nil {
			userAgent, sends = by.collector.UserAgent, true
		}
	}
	if !sends {
		userAgent = goUserAgent
	}
	w.through, w.user = weak.Make(w.chain), w.chain.FetchContext()
	w.crawler = r.crawlerNamed(identity, userAgent, sends)
	return w
}

// firstAttached is the first collector that can still fetch, or the first of all.
func (r *Robots) firstAttached() (living, bool) {
	all := r.living()
	for _, l := range all {
		if l.chain.FetchContext().Err() == nil {
			return l, true
		}
	}
	if len(all) == 0 {
		return living{}, false
	}
	return all[0], true
}
