package collyrobots

import (
	"net/url"
	"slices"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// Known is what memory knows of the robots.txt of a URL's origin, and what follows from it for the URL. It is a value: nothing in it changes later.
type Known struct {
	// Entry is the robots.txt as it was read, and what came since. What it points to must not be changed.
	Entry Entry
	// Decision is that on the URL. What it rests on may have run out by Decision.ExpiresAt: then the next request fetches robots.txt first.
	Decision Decision
	// Signals is what it says of the use of the URL, besides allow and disallow.
	Signals Signals

	alsoObey []string
}

// Explain says how the robots.txt as it was read decides on the URL. It is the zero Explanation if there is none that could be read.
func (k *Known) Explain() Explanation {
	if k.Entry.Copy == nil {
		return Explanation{}
	}
	return Explain(k.Entry.Copy.Body, k.Decision.URL, k.Decision.ProductToken, k.alsoObey...)
}

// Known is what memory knows about rawURL. It fetches nothing and does not ask Options.Store: see [Robots.Check] for that. It is false if rawURL is
// unusable, or if the robots.txt of its origin was not asked for or has been forgotten.
func (r *Robots) Known(rawURL string) (Known, bool) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Known{}, false
	}
	o, err := origin.Of(u)
	if err != nil {
		return Known{}, false
	}
	s := r.cache.peek(o)
	if s == nil {
		return Known{}, false
	}
	st := s.state.Load()
	sd := st.atItsBest(time.Now(), &r.options)
	if sd == unknown {
		return Known{}, false
	}
	w, ok := s.lastWay()
	if !ok {
		w = r.wayTo(s.origin)
	}
	k := Known{Entry: st.entry(s.origin.String()), Decision: r.decide(u, s.origin, w.crawler, st, sd), alsoObey: r.options.AlsoObey}
	if isRobotsURL(u) {
		d := &k.Decision
		d.Allowed, d.Class, d.Reason, d.Line, d.Rule, d.RetryAt, d.Err = true, "", "", 0, "", time.Time{}, nil
	}
	k.Decision = r.permit(u, k.Decision)
	k.Signals = r.signalsIn(st, s.origin, w.crawler.token, u)
	return k, true
}

// KnownOrigins are the origins of a host, such as "https://shop.example:8443", whose robots.txt memory knows, in the order of their names. host is a
// name or address as it stands in a URL; a port is passed over.
func (r *Robots) KnownOrigins(host string) []string {
	key, err := origin.HostKeyOf(host)
	if err != nil {
		return nil
	}
	var all []string
	for _, s := range r.cache.ofHost(key) {
		if s.state.Load() != nil {
			all = append(all, s.origin.String())
		}
	}
	slices.Sort(all)
	return all
}
