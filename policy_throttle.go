package etiquette

import (
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// throttleOptions is what a Policy says about pace and times. Hours must have been checked.
func (p *Policy) throttleOptions(r *report.Report) throttle.Options {
	o := p.Throttle
	o.Rules, o.StateDir, o.Share, o.MaxRequests = p.Pace, p.stateOf("throttle"), p.Share, p.MaxRequests
	for i := range p.Hours {
		o.Hours = append(o.Hours, p.Hours[i].kept())
	}
	for _, b := range p.PerDay {
		o.Budgets = append(o.Budgets, throttle.Budget(b))
	}
	o.OnSkip, o.Logger, o.Report = p.OnSkip, p.Logger, r
	o.Base, o.Schemes, o.AllowPrivate, o.Refusals = p.Base, p.Schemes, p.AllowPrivate, throttle.Refusals(p.Refusals)
	return o
}
