package collyrobots

import (
	"errors"
	"net/url"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// permissible reports whether a permit may overrule a refusal: a rule's, and nothing else.
func (d *Decision) permissible() bool {
	return !d.Allowed && d.Reason == report.RobotsDisallowed
}

// unless is the refusal of a hop, unless a permit overrules it. again: the hop was judged before, and so counted if it needed the permit then.
func (r *Robots) unless(h *chain.Hop, err error, again bool) error {
	if err == nil || len(r.permits) == 0 {
		return err
	}
	var refused *RefusedError
	if !errors.As(err, &refused) || !refused.Decision.permissible() {
		return err
	}
	p := r.permitFor(h.URL())
	if p == nil {
		return err
	}
	if !again || p.uses.Load() == 0 {
		r.tellUse(p, h.URL(), &refused.Decision)
	}
	return nil
}

// isPermitted reports whether a permit overrules a decision on u.
func (r *Robots) isPermitted(u *url.URL, d *Decision) bool {
	return d.permissible() && r.permitFor(u) != nil
}

// permit overrules a decision that Check would give.
func (r *Robots) permit(u *url.URL, d Decision) Decision {
	if r.isPermitted(u, &d) {
		d.Allowed, d.Reason, d.Permitted = true, "", true
	}
	return d
}

// tellUse counts a use, and logs the first.
func (r *Robots) tellUse(p *permit, u *url.URL, d *Decision) {
	now := time.Now().UnixNano()
	p.last.Store(now)
	if p.uses.Add(1) > 1 {
		return
	}
	p.first.Store(now)
	r.log().Info("collyrobots: disallowed, and asked for by permit of the owner", "url", report.RedactURL(u.String()), "host", p.host,
		"rule", d.Rule, "line", d.Line, "permit", p.scope(), "reason", p.Reason, "ticket", p.Ticket, "until", p.Until)
}

// PermitUse is how often a Permit let a request pass that robots.txt disallows.
type PermitUse struct {
	Permit Permit
	Host   string // as it is compared: lower case, no port
	// Requests is how many requests went on under it, those included that another part refused then.
	Requests    int
	First, Last time.Time // zero: it was never used
}

// Permitted says how each Permit was used by this process, also one that was not or has ended, in the order of Options.Permits. The slice is the caller's.
func (r *Robots) Permitted() []PermitUse {
	var all []PermitUse
	for _, p := range r.permits {
		use := PermitUse{Permit: p.Permit, Host: p.host, Requests: int(p.uses.Load())}
		if at := p.first.Load(); at != 0 {
			use.First, use.Last = time.Unix(0, at), time.Unix(0, p.last.Load())
		}
		all = append(all, use)
	}
	return all
}
