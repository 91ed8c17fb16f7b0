package collyrobots

import (
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// layer is a Robots as the chain sees it. It is a type of its own so that what only the chain calls is no part of the Robots' manual.
type layer struct{ *Robots }

// Kind is the layer's place among the parts of the pack, which calls it.
func (r layer) Kind() chain.Kind { return chain.Robots }

// Skipped is called by the pack for each request that was refused here.
func (r layer) Skipped(req *colly.Request, s report.Skip) { r.teller.Skipped(req, s) }

// Log is the logger that this part uses.
func (r layer) Log() *slog.Logger { return r.log() }

// Handle is called by the pack for each request on the wire: it lets pass what robots.txt allows, and fetches robots.txt if it is not known.
// robots.txt itself is always allowed (RFC 9309, 2.2.2).
func (r layer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if h.IsRobots() || isRobotsURL(h.URL()) {
		r.paceAsBefore(h)
		return next(h)
	}
	if err := r.unless(h, r.judge(h), false); err != nil {
		return h.Refuse(err)
	}
	return next(h)
}

// paceAsBefore gives a request for robots.txt itself the crawl delay of the copy that is known, even an old one.
func (r *Robots) paceAsBefore(h *chain.Hop) {
	o, err := h.Origin()
	if err != nil {
		return
	}
	s := r.cache.peek(o)
	if s == nil {
		return
	}
	if st := s.state.Load(); st != nil && st.copy != nil {
		if rules := st.copy.known(r.crawlerOf(h.ProductToken(), h.Header()).token); rules != nil {
			h.SetCrawlDelay(rules.delayNow())
		}
	}
}

// Admit is called by the pack before a request is on its way. It refuses what memory knows to be disallowed for the token that requests to this
// origin have been sent under: a callback that comes later may still give the request another name.
func (r layer) Admit(a chain.Admission) error {
	if isRobotsURL(a.URL) {
		return nil
	}
	if v, disallowed := r.remembers(a); disallowed {
		return r.refusal(a.URL, v)
	}
	return nil
}

// refusal is the error of what memory refuses, or nil. It is kept off the stack of what is admitted.
//
//go:noinline
func (r layer) refusal(u *url.URL, v finding) error {
	d, refused := r.refuses(u, v)
	if !refused {
		return nil
	}
	return &RefusedError{d}
}

// Recheck is called by the pack when a request has waited for its turn: the rules may have changed or run out meanwhile. It reads memory only.
func (r layer) Recheck(h *chain.Hop) (stale bool, err error) {
	if h.IsRobots() || isRobotsURL(h.URL()) {
		return false, nil
	}
	o, err := h.Origin()
	if err != nil {
		return false, nil // it was refused before
	}
	s := r.cache.peek(o)
	if s == nil {
		return true, nil
	}
	st := s.state.Load()
	sd := st.at(time.Now(), &r.options)
	if sd == unknown || sd == allDisallowed && r.options.Patience > 0 {
		return true, nil
	}
	return false, r.unless(h, r.apply(h, s, r.crawlerOf(h.ProductToken(), h.Header()), st, sd), true)
}

// Renew is called by the pack when Recheck found the rules stale and the turn has been given back: it fetches them and judges anew.
func (r layer) Renew(h *chain.Hop) error {
	if h.IsRobots() || isRobotsURL(h.URL()) {
		return nil
	}
	return r.unless(h, r.judge(h), true)
}

// Holds is called by the pack to learn whether an earlier refusal would be given again. It reads memory only.
func (r layer) Holds(a chain.Admission, s report.Skip) bool {
	if s.Reason != report.RobotsDisallowed && s.Reason != report.RobotsUnreachable && s.Reason != report.OptOut {
		// robots.txt was not sent, for another part's reason: not even asked for again at once.
		return time.Now().Before(s.RetryAt) || time.Since(s.Time) < shortestRetry
	}
	if _, err := origin.Of(a.URL); err != nil {
		return true
	}
	v, disallowed := r.remembers(a)
	if !disallowed {
		return false
	}
	_, refused := r.refuses(a.URL, v)
	return refused
}

var (
	_ chain.Layer     = layer{}
	_ chain.Admitter  = layer{}
	_ chain.Rechecker = layer{}
	_ chain.Renewer   = layer{}
	_ chain.Holder    = layer{}
)
