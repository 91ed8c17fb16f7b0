package etiquette

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
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
	if len(errs) == 0 {
		p.checkUnkept(func(path string, err error) { errs = append(errs, fault{path, err}) })
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
				all = append(all, fault{path, err})
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
	p.checkPace(bad)
	p.checkOwn(bad)
	return all
}

// quiet is p, without its lists of rules, for parts that are made to be looked at only: what is impolite is logged when they are really made.
func (p *Policy) quiet() *Policy {
	q := *p
	q.Logger, q.StateDir, q.StopFile, q.Pace = slog.New(slog.DiscardHandler), "", "", nil
	q.Permit = nil
	return &q
}

func (p *Policy) checkIdentity(bad func(string, error)) {
	if !p.saysWho() {
		bad("UserAgent", errNoName)
		return
	}
	_, err := identity.New(p.quiet().identityOptions(nil))
	path := "Identity"
	if p.UserAgent != "" {
		path = "UserAgent"
	}
	bad(path, err)
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

// checkPace lets the throttle look at each rule by itself, so that the one that is wrong is named.
func (p *Policy) checkPace(bad func(string, error)) {
	for i, r := range p.Pace {
		t, err := throttle.New(throttle.Options{Rules: []throttle.LimitRule{r}})
		if err != nil {
			bad(fmt.Sprintf("Pace[%d]", i), errors.New(strings.TrimPrefix(err.Error(), "throttle: Rules[0].")))
			continue
		}
		_ = t.Close()
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
	for i := range p.Hours {
		h := &p.Hours[i]
		_, err := compileHosts(h.DomainGlob, h.DomainRegexp)
		bad(fmt.Sprintf("Hours[%d]", i), err)
		_, _, err = h.window()
		bad(fmt.Sprintf("Hours[%d].Between", i), err)
		_, err = h.location()
		bad(fmt.Sprintf("Hours[%d].Zone", i), err)
	}
	for i, b := range p.PerDay {
		_, err := compileHosts(b.DomainGlob, b.DomainRegexp)
		bad(fmt.Sprintf("PerDay[%d]", i), err)
		switch {
		case b.Requests < 0:
			bad(fmt.Sprintf("PerDay[%d].Requests", i), fmt.Errorf("%d is negative: 0 means no limit", b.Requests))
		case b.Bytes < 0:
			bad(fmt.Sprintf("PerDay[%d].Bytes", i), fmt.Errorf("%d is negative: 0 means no limit", b.Bytes))
		case b.Requests == 0 && b.Bytes == 0:
			bad(fmt.Sprintf("PerDay[%d]", i), errors.New("it limits nothing: say Requests or Bytes"))
		}
	}
}

// isDefaultFor reports whether p says nothing but this User-Agent.
func (p *Policy) isDefaultFor(userAgent string) bool {
	rest := *p
	rest.UserAgent = ""
	return p.UserAgent == userAgent && reflect.ValueOf(rest).IsZero()
}
