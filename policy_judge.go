package etiquette

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// judge finds what contradicts itself in a Policy that was read without a fault, and tells it with its place in the file.
func (r *policyReader) judge(p *Policy) {
	for _, f := range p.faults(p.saysWho()) {
		path := r.refine(f)
		r.badBecause(f.err, r.placeOf(path), path, f.err.Error())
	}
	bad := func(path string, err error) { r.badBecause(nil, r.placeOf(path), path, err.Error()) }
	for _, list := range p.ruleLists() {
		list.check(bad)
	}
	permits := make(map[[2]string]int)
	for i, x := range p.Permit {
		if j, twice := permits[[2]string{x.Host, x.Path}]; twice {
			bad(fmt.Sprintf("Permit[%d]", i), fmt.Errorf("it is for the same as permit[%d]: keep one", j))
		}
		permits[[2]string{x.Host, x.Path}] = i
	}
	if p.StopFile != "" && p.StopFile == p.ReportFile {
		bad("ReportFile", fmt.Errorf("%q is the stop file: name another", p.ReportFile))
	}
}

// fieldNamed finds the field that the error of a part begins with: "collyrobots: Options.MaxAge 5m0s is not …".
var fieldNamed = regexp.MustCompile(`^(?:[a-z]+: Options\.)?([A-Z][A-Za-z0-9]*)`)

// refine is the path of a fault, down to the field that its error names if the file has that.
func (r *policyReader) refine(f fault) string {
	if m := fieldNamed.FindStringSubmatch(f.err.Error()); m != nil && r.places[join(f.path, m[1])] != nil {
		return join(f.path, m[1])
	}
	return f.path
}

// saysWho reports whether a Policy says who we are. A file may leave that to code.
func (p *Policy) saysWho() bool {
	return p.UserAgent != "" || p.Identity.Product != "" || p.Identity.ContactURL != "" || p.Identity.ContactEmail != ""
}

// placeOf is where a path stands in the file, or the nearest thing that holds it.
func (r *policyReader) placeOf(path string) *token.Position {
	for path != "" {
		if at := r.places[path]; at != nil {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return nil
}

// ruleList is a list of rules of which the first that matches a host counts.
type ruleList struct {
	field string
	hosts [][2]string // glob and regular expression
}

func (p *Policy) ruleLists() []ruleList {
	pace, hours, perDay, take := ruleList{field: "Pace"}, ruleList{field: "Hours"}, ruleList{field: "PerDay"}, ruleList{field: "Take"}
	for _, x := range p.Pace {
		pace.add(x.DomainGlob, x.DomainRegexp)
	}
	for _, x := range p.Hours {
		hours.add(x.DomainGlob, x.DomainRegexp)
	}
	for _, x := range p.PerDay {
		perDay.add(x.DomainGlob, x.DomainRegexp)
	}
	for _, x := range p.Take {
		take.add(x.DomainGlob, x.DomainRegexp)
	}
	return []ruleList{pace, hours, perDay, take}
}

func (l *ruleList) add(glob, expr string) { l.hosts = append(l.hosts, [2]string{glob, expr}) }

// check finds rules that can never count. In a file that is a mistake; in code a rule may well be put in front of all that a file says.
func (l *ruleList) check(bad func(path string, err error)) {
	first := make(map[[2]string]int)
	everyHost := -1
	for i, hosts := range l.hosts {
		path := fmt.Sprintf("%s[%d]", l.field, i)
		j, twice := first[hosts]
		switch {
		case everyHost >= 0:
			bad(path, fmt.Errorf("it can never count, because %s[%d] comes first and is for every host: put that last", keyName(l.field), everyHost))
		case twice:
			bad(path, fmt.Errorf("it is for the same hosts as %s[%d], which comes first: keep one", keyName(l.field), j))
		case hosts == [2]string{} || hosts == [2]string{"*", ""}:
			everyHost = i
		}
		if !twice {
			first[hosts] = i
		}
	}
}

var errNoName = errors.New(`it is empty: say who you are, such as "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)"`)
