package collyrobots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/internal/pattern"
	"github.com/collyetiquette/etiquette/report"
)

// Signals is what the file says of the use of rawURL, besides allow and disallow, for the crawler that the rules were compiled for. A URL that
// may not be fetched has no signals. rawURL is as in [Rules.Match].
//
// Of Content-Usage, and of Content-Signal should it name a path, the records with the longest path that matches count (of two of the same
// length, what denies), those of each group by itself. Records above all groups count as far as they restrict. Of the records of one
// scope (ours, those obeyed besides, nobody's) 2,048 with 128 KiB of text are kept, none longer than 4 KiB.
func (r *Rules) Signals(rawURL string) Signals { return r.signals(pattern.TextPath(rawURL)) }

func (r *Rules) signals(path string) Signals {
	if r.notes.signals == nil || !r.matchPath(path).Allowed {
		return Signals{}
	}
	return r.notes.signals.at(path)
}

// delayNow is the longest of what Crawl-delay and Request-rate ask for now. The clock is looked at only if there is a rate.
func (r *Rules) delayNow() (d time.Duration, ok bool) {
	if s := r.notes.signals; s != nil && len(s.common.Rates) > 0 {
		return r.delayAt(time.Now())
	}
	return r.CrawlDelay()
}

// delayAt is delayNow at another time.
func (r *Rules) delayAt(t time.Time) (d time.Duration, ok bool) {
	d, ok = r.CrawlDelay()
	if r.notes.signals == nil {
		return d, ok
	}
	rate := r.notes.signals.rateAt(t)
	return max(d, rate), ok || rate > 0
}

// hours are those of Visit-time, or nil.
func (r *Rules) hours() chain.Hours {
	if r.notes.signals == nil || r.notes.signals.hours == nil {
		return nil
	}
	return r.notes.signals.hours
}

// Signals is what robots.txt says of the use of rawURL, before the page is fetched; [SignalsOf] adds what the page says. robots.txt is fetched
// if it is not known, as in [Robots.Check], whose errors these are. Where it cannot be read nothing is said.
func (r *Robots) Signals(ctx context.Context, rawURL string) (Signals, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Signals{}, fmt.Errorf("collyrobots: Signals: %w", err)
	}
	s, w, st, _, err := r.lookUp(ctx, u)
	var refusal report.Refusal
	switch {
	case errors.As(err, &refusal):
		return Signals{}, nil
	case err != nil:
		return Signals{}, fmt.Errorf("collyrobots: Signals: %w", err)
	}
	return r.signalsIn(st, s.origin, w.crawler.token, u), nil
}

// lookUp is the robots.txt of u's origin, fetched if it is not known. The error is that u is unusable, the cause of ctx, or the refusal of the
// request for robots.txt.
func (r *Robots) lookUp(ctx context.Context, u *url.URL) (*site, way, *state, standing, error) {
	o, err := origin.Of(u)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, way{}, nil, unknown, err
	}
	s := r.cache.get(o)
	w, ok := s.lastWay()
	if !ok {
		w = r.wayTo(s.origin)
	}
	s.used.Store(time.Now().UnixNano())
	st, sd, err := r.obtain(ctx, s, w)
	return s, w, st, sd, err
}

// signalsIn is what a state says of u. A copy that has run out still says what was said when its pages were fetched.
func (r *Robots) signalsIn(st *state, o origin.Origin, token string, u *url.URL) Signals {
	if st == nil || st.copy == nil || isRobotsURL(u) {
		return Signals{}
	}
	s := st.copy.rules(token, &r.options).signals(pattern.URLPath(u))
	s.setWhere(o.String() + robotsPath)
	return s
}

// setWhere says in which robots.txt the sources of s stand.
func (s *Signals) setWhere(robots string) {
	for i := range s.Statements {
		s.Statements[i].Source.Where = robots
	}
	for i := range s.Raw {
		s.Raw[i].Where = robots
	}
	for i := range s.Rates {
		s.Rates[i].Source.Where = robots
	}
	for i := range s.Problems {
		s.Problems[i].Source.Where = robots
	}
}

// SiteSignals is an origin whose robots.txt says more than rules.
type SiteSignals struct {
	Origin string // such as "https://shop.example"
	// Home is what it says of the home page, and with it what holds for the whole site.
	Home Signals
}

// homePage is the page for which the signals of a whole site are told.
var homePage = &url.URL{Path: "/"}

// SiteSignals lists those of the origins that are in memory whose robots.txt says more than rules, in the order of their names: for a
// report. A page may say other things than the home page, see [SignalsOf]. It fetches nothing.
func (r *Robots) SiteSignals() []SiteSignals {
	var all []SiteSignals
	for _, s := range r.cache.all() {
		st := s.state.Load()
		if st == nil || st.copy == nil {
			continue
		}
		token, ok := "", false
		if rt := s.route.Load(); rt != nil {
			token, ok = rt.crawler.token, true
		}
		if !ok {
			token = r.wayTo(s.origin).crawler.token
		}
		if said := r.signalsIn(st, s.origin, token, homePage); said.saysAnything() {
			all = append(all, SiteSignals{s.origin.String(), said})
		}
	}
	slices.SortFunc(all, func(a, b SiteSignals) int { return cmp.Compare(a.Origin, b.Origin) })
	return all
}

func (s *Signals) saysAnything() bool { return len(s.Raw) > 0 || len(s.Problems) > 0 }

// all is a snapshot of the sites.
func (c *cache) all() []*site {
	var all []*site
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.RLock()
		for _, s := range sh.m {
			all = append(all, s)
		}
		sh.mu.RUnlock()
	}
	return all
}
