package etiquette

import (
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

// A Policy says once what the Options of all parts ask for, and some things of one part under a name of its own. saidElsewhere is where: fields of the
// parts' Options that must be empty in a Policy, with what to use instead.
var saidElsewhere = map[string]map[string]string{
	"Identity":   {"UserAgent": "Policy.UserAgent"},
	"Throttle":   {"Rules": "Policy.Pace", "Share": "Policy.Share", "Hours": "Policy.Hours", "Budgets": "Policy.PerDay", "MaxRequests": "Policy.MaxRequests"},
	"Robots":     {"ProductToken": "Policy.Identity.Product", "AlsoObey": "Policy.AlsoObey", "Permits": "Policy.Permit"},
	"KillSwitch": {"File": "Policy.StopFile"},
}

// saidForAll are the fields that the Options of several parts have.
var saidForAll = map[string]string{
	"OnSkip": "Policy.OnSkip", "Logger": "Policy.Logger", "Report": "Policy.ReportFile, and Guard.Report", "Base": "Policy.Base",
	"Schemes": "Policy.Schemes", "AllowPrivate": "Policy.AllowPrivate", "Refusals": "Policy.Refusals", "StateDir": "Policy.StateDir",
}

// elsewhere is where a Policy says what a field of a part's Options says; empty: there.
func elsewhere(part, field string) string {
	if where := saidElsewhere[part][field]; where != "" {
		return where
	}
	return saidForAll[field]
}

// checkSaidOnce finds what was said in a part's Options although a Policy says it elsewhere.
func (p *Policy) checkSaidOnce(bad func(path string, err error)) {
	for part, options := range map[string]any{"Identity": p.Identity, "Throttle": p.Throttle, "Robots": p.Robots, "KillSwitch": p.KillSwitch} {
		v := reflect.ValueOf(options)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if where := elsewhere(part, name); where != "" && !v.Field(i).IsZero() {
				bad(part+"."+name, fmt.Errorf("it is said once for all parts: use %s", where))
			}
		}
	}
}

// recognisable lets a transport of any type be recognised when it is met again: a func, say, cannot be compared.
func recognisable(base http.RoundTripper) http.RoundTripper {
	if base == nil || reflect.TypeOf(base).Comparable() {
		return base
	}
	return &wrapped{base}
}

type wrapped struct{ http.RoundTripper }

// CloseIdleConnections lets Close drop the connections of the transport that is wrapped.
func (w *wrapped) CloseIdleConnections() {
	if t, ok := w.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

func (p *Policy) chainConfig() chain.Config {
	return chain.Config{Base: p.Base, Schemes: p.Schemes, AllowPrivate: p.AllowPrivate, Refusals: chain.Refusals(p.Refusals)}
}

func (p *Policy) identityOptions(r *report.Report) identity.Options {
	o := p.Identity
	o.UserAgent = p.UserAgent
	o.OnSkip, o.Logger, o.Report = p.OnSkip, p.Logger, r
	o.Base, o.Schemes, o.AllowPrivate, o.Refusals = p.Base, p.Schemes, p.AllowPrivate, identity.Refusals(p.Refusals)
	return o
}

func (p *Policy) robotsOptions(r *report.Report, productToken string) (collyrobots.Options, error) {
	o := p.Robots
	o.AlsoObey, o.Permits, o.ProductToken = p.AlsoObey, p.Permit, productToken
	o.OnSkip, o.Logger, o.Report = p.OnSkip, p.Logger, r
	o.Base, o.Schemes, o.AllowPrivate, o.Refusals = p.Base, p.Schemes, p.AllowPrivate, collyrobots.Refusals(p.Refusals)
	if o.Store == nil && p.StateDir != "" {
		s, err := collyrobots.NewFileStore(p.stateOf("robots"))
		if err != nil {
			return o, err
		}
		o.Store = s
	}
	return o, nil
}

func (p *Policy) killSwitchOptions(r *report.Report) killswitch.Options {
	o := p.KillSwitch
	o.File, o.StateDir = p.StopFile, p.stateOf("killswitch")
	o.OnSkip, o.Logger, o.Report = p.OnSkip, p.Logger, r
	o.Base, o.Schemes, o.AllowPrivate, o.Refusals = p.Base, p.Schemes, p.AllowPrivate, killswitch.Refusals(p.Refusals)
	return o
}

// stateOf is a part's folder below StateDir; empty if nothing is kept.
func (p *Policy) stateOf(part string) string {
	if p.StateDir == "" {
		return ""
	}
	return filepath.Join(p.StateDir, part)
}
