package etiquette

import (
	"errors"

	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// throttleOptions is what a Policy says about pace.
func (p *Policy) throttleOptions(r *report.Report) throttle.Options {
	o := p.Throttle
	o.Rules, o.StateDir, o.Share, o.MaxRequests = p.Pace, p.stateOf("throttle"), p.Share, p.MaxRequests
	o.OnSkip, o.Logger, o.Report = p.OnSkip, p.Logger, r
	o.Base, o.Schemes, o.AllowPrivate, o.Refusals = p.Base, p.Schemes, p.AllowPrivate, throttle.Refusals(p.Refusals)
	return o
}

// errNotKept is for what the throttle cannot keep yet: a promise that is not kept must not be made.
var errNotKept = errors.New("the throttle of this version cannot keep it")

// checkUnkept finds what a Policy says and the throttle does not keep.
func (p *Policy) checkUnkept(bad func(path string, err error)) {
	if len(p.Hours) > 0 {
		bad("Hours", errNotKept)
	}
	if len(p.PerDay) > 0 {
		bad("PerDay", errNotKept)
	}
}
