package report

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// scope is said by every form of the report: what it knows, and what it cannot know.
const scope = "This report speaks of one process only. What others send to the same hosts, even with the same policy, is not in it."

// page is what the written forms of the report have in common.
type page struct {
	Summary Summary
	Now     time.Time
	Hosts   []Host // worst first
	Rules   []ruleCount
	Broken  *BrokenError // nil: none
}

// ruleCount is how many skips one reason and rule led to, on all hosts.
type ruleCount struct {
	Count
	N int
}

func (r *Report) page() *page {
	hosts, gone := r.read()
	p := &page{Summary: r.summary(hosts, &gone), Hosts: hosts}
	p.Now = p.Summary.Read
	p.Broken, _ = r.Verify().(*BrokenError)
	for c, n := range r.Counts() {
		p.Rules = append(p.Rules, ruleCount{c, n})
	}
	slices.SortFunc(p.Rules, func(a, b ruleCount) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Rule, b.Rule))
	})
	worstFirst(p.Hosts)
	return p
}

// fact is a line of the summary.
type fact struct{ Name, Text string }

// facts are the summary for people.
func (p *page) facts() []fact {
	s := &p.Summary
	facts := []fact{
		{"Requests", several(s.Requests, "request") + " to " + several(s.Hosts, "host") + ", " + number(s.Robots) + " of them for robots.txt, " + byteSize(s.Bytes)},
		{"Answers", s.Answers.sentence()},
		{"Skipped", s.skips()},
		{"Held back", several(s.Blocks, "block") + ", " + several(s.Parkings, "parked host") + ", " + several(s.Stops, "stop") + "; at present " + several(s.Held, "host")},
	}
	add := func(when bool, name, text string) {
		if when {
			facts = append(facts, fact{name, text})
		}
	}
	add(s.WithoutRules > 0, "Without rules", several(s.WithoutRules, "host")+" crawled without rules of robots.txt")
	add(s.Waiting > 0 && s.ETA.IsZero(), "Waiting", several(s.Waiting, "request"))
	add(s.Waiting > 0 && !s.ETA.IsZero(), "Waiting", several(s.Waiting, "request")+", the last starts about "+clock(s.ETA, p.Now))
	add(s.HostsForgotten > 0, "Left out", several(s.HostsForgotten, "host")+" only in the sums, for want of room; "+several(s.Unmeasured, "gap")+" not measured")
	add(s.Lost > 0, "Lost", several(s.Lost, "skip")+" that could not be written to the file")
	return facts
}

// verdict is the self-audit in a sentence.
func (p *page) verdict() string {
	switch s := &p.Summary; {
	case s.Broken > 0:
		return number(s.Broken) + " of " + several(s.Measured, "promise") + " broken, on " + several(s.BrokenHosts, "host")
	case s.Measured == 0:
		return "No promise to keep yet"
	default:
		return "All " + several(s.Measured, "promise") + " kept"
	}
}

func (s *Summary) skips() string {
	if s.Skipped == 0 {
		return "none"
	}
	var parts []string
	for _, r := range s.reasonsByCount() {
		parts = append(parts, number(s.Reasons[r])+" "+clean(string(r)))
	}
	return several(s.Skipped, "request") + ": " + strings.Join(parts, ", ")
}

func (a *Answers) sentence() string {
	var parts []string
	for _, x := range []struct {
		n    int
		name string
	}{{a.OK, "2xx"}, {a.Redirects, "3xx"}, {a.ClientErrors, "4xx"}, {a.ServerErrors, "5xx"}, {a.Other, "other"}, {a.Failed, "without an answer"}} {
		if x.n > 0 {
			parts = append(parts, number(x.n)+" "+x.name)
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	if a.Throttled > 0 {
		parts = append(parts, number(a.Throttled)+" of them 429 or 503")
	}
	return strings.Join(parts, ", ")
}
