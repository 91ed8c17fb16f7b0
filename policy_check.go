package etiquette

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strings"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/throttle"
)

// fault is one thing that is wrong with a Policy.
type fault struct {
	path string // such as "Pace[1].Delay"; empty: the Policy as a whole
	err  error
}

func (f fault) Error() string { return fmt.Sprintf("etiquette: Policy.%s: %s", f.path, f.err) }
func (f fault) Unwrap() error { return f.err }

// check is all that is wrong, or nil.
func (p *Policy) check() error {
	var errs []error
	for _, f := range p.faults(true) {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// faults finds what is wrong without opening anything. who false: who we are is said elsewhere.
func (p *Policy) faults(who bool) []fault {
	var all []fault
	bad := func(path string, err error) {
		errs := []error{err}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			errs = joined.Unwrap()
		}
		for _, err := range errs {
			if err != nil {
				all = append(all, refine(path, err))
			}
		}
	}
	p.checkSaidOnce(bad)
	if len(all) > 0 {
		return all // the parts would say the same again
	}
	if who {
		p.checkIdentity(bad)
	}
	p.checkParts(bad)
	p.checkRules(bad)
	p.checkOwn(bad)
	return all
}

// fieldNamed finds the field that the error of a part begins with: "collyrobots: Options.MaxAge 5m0s is not …", "DomainGlob …".
var fieldNamed = regexp.MustCompile(`^(?:[a-z]+: Options\.)?([A-Z][A-Za-z0-9]*)((?:\[[^\]]*\])?)`)

// refine makes a fault whose path leads down to the field that a part's error names, in the Policy's words.
func refine(path string, err error) fault {
	m := fieldNamed.FindStringSubmatch(err.Error())
	if m == nil {
		return fault{path, err}
	}
	if where := elsewhereAt(path, m[1]); where != "" {
		return fault{strings.TrimPrefix(where, "Policy.") + m[2], err}
	}
	name, _, inList := strings.Cut(path, "[")
	f, _ := reflect.TypeFor[Policy]().FieldByName(name)
	t := f.Type
	if inList && t != nil && t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return fault{path, err}
	}
	if _, ok := t.FieldByName(m[1]); !ok {
		return fault{path, err}
	}
	field := m[1] + m[2]
	if rest, itself := strings.CutPrefix(err.Error(), field+" "); itself {
		err = errors.New(rest) // the path says which field
	}
	return fault{path + "." + field, err}
}

// quiet is p, without its lists of rules, for parts that are made to be looked at only: what is impolite is logged when they are really made.
func (p *Policy) quiet() *Policy {
	q := *p
	q.Logger, q.StateDir, q.StopFile = slog.New(slog.DiscardHandler), "", ""
	q.Pace, q.Hours, q.PerDay, q.Permit = nil, nil, nil, nil
	return &q
}

func (p *Policy) checkIdentity(bad func(string, error)) {
	if !p.saysWho() {
		bad("UserAgent", errNoName)
		return
	}
	_, err := identity.New(p.quiet().identityOptions(nil))
	bad("Identity", err)
}

// checkParts lets each part look at its options.
func (p *Policy) checkParts(bad func(string, error)) {
	for i, permit := range p.Permit { // one by one, so that the one that is wrong is named
		if r, err := collyrobots.New(collyrobots.Options{Permits: []collyrobots.Permit{permit}}); err != nil {
			bad(fmt.Sprintf("Permit[%d]", i), errors.New(strings.TrimPrefix(err.Error(), "collyrobots: Options.Permits[0].")))
		} else {
			_ = r.Close()
		}
	}
	quiet := p.quiet()
	o, _ := quiet.robotsOptions(nil, "") // it fails with a StateDir only
	if r, err := collyrobots.New(o); err != nil {
		bad("Robots", err)
	} else {
		_ = r.Close()
	}
	if t, err := throttle.New(quiet.throttleOptions(nil)); err != nil {
		bad("Throttle", err)
	} else {
		_ = t.Close()
	}
	if s, err := killswitch.New(quiet.killSwitchOptions(nil)); err != nil {
		bad("KillSwitch", err)
	} else {
		_ = s.Close()
	}
}

// checkRules lets the throttle look at each of its rules by itself, so that the one that is wrong is named.
func (p *Policy) checkRules(bad func(string, error)) {
	look := func(path, said string, o throttle.Options) {
		t, err := throttle.New(o)
		if err != nil {
			bad(path, errors.New(strings.TrimLeft(strings.TrimPrefix(err.Error(), "throttle: "+said+"[0]"), ".: ")))
			return
		}
		_ = t.Close()
	}
	for i, r := range p.Pace {
		look(fmt.Sprintf("Pace[%d]", i), "Rules", throttle.Options{Rules: []throttle.LimitRule{r}})
	}
	for i := range p.Hours {
		path, h := fmt.Sprintf("Hours[%d]", i), p.Hours[i].kept()
		_, _, err := p.Hours[i].window()
		if bad(path+".Between", err); err != nil {
			h.From, h.To = 0, aDay // the rest is looked at all the same
		}
		_, err = p.Hours[i].location()
		bad(path+".Zone", err)
		look(path, "Options.Hours", throttle.Options{Hours: []throttle.Hours{h}})
	}
	alone := max(p.Share, 0)
	if p.StateDir != "" {
		alone = 0 // they count together
	}
	for i, b := range p.PerDay {
		look(fmt.Sprintf("PerDay[%d]", i), "Options.Budgets", throttle.Options{Budgets: []throttle.Budget{throttle.Budget(b)}, Share: alone})
	}
}

// checkOwn looks at what no part looks at.
func (p *Policy) checkOwn(bad func(string, error)) {
	if p.Share < 0 {
		bad("Share", fmt.Errorf("%d is negative: it is a number of processes, 0 means one", p.Share))
	}
	if p.MaxRequests < 0 {
		bad("MaxRequests", fmt.Errorf("%d is negative: 0 means no limit", p.MaxRequests))
	}
	if p.Refusals > RefusalsError {
		bad("Refusals", fmt.Errorf("%d is none of RefusalsAuto, RefusalsSkip, RefusalsError", p.Refusals))
	}
	compileTakes(p.Take, bad)
}

// isDefaultFor reports whether p says nothing but this User-Agent.
func (p *Policy) isDefaultFor(userAgent string) bool {
	rest := *p
	rest.UserAgent = ""
	return p.UserAgent == userAgent && reflect.ValueOf(rest).IsZero()
}
