package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// classes say what each class means.
var classes = map[collyrobots.Class]string{
	collyrobots.ClassRules:       "its rules hold (RFC 9309, 2.3.1.1)",
	collyrobots.ClassUnavailable: "the site has none, so there are no rules (RFC 9309, 2.3.1.3)",
	collyrobots.ClassUnreachable: "nobody knows what the site wants, so everything is disallowed (RFC 9309, 2.3.1.4)",
}

// groups say what each group means.
var groups = map[string]string{
	"named": "it names us, so that of \"*\" does not count (RFC 9309, 2.2.1)",
	"*":     "no group names us (RFC 9309, 2.2.1)",
	"none":  "no group names us, and there is none for \"*\": no rules (RFC 9309, 2.2.1)",
}

// decide says whether the URL may be fetched and why.
func (a *answer) decide() {
	m := a.Rules.Match
	a.Allowed = m.Allowed && a.Robots.Class != collyrobots.ClassUnreachable
	var rivals []collyrobots.MatchedRule
	for _, r := range a.Rules.Rules {
		if !r.Decides {
			rivals = append(rivals, r)
		}
	}
	switch {
	case a.Robots.Class != collyrobots.ClassRules:
		a.Why = classes[a.Robots.Class]
	case m.Line == 0:
		a.Why = "no rule matches, and what no rule matches is allowed (RFC 9309, 2.2.2)"
	case len(rivals) == 0:
		a.Why = "it is the only rule that matches"
	default:
		a.Why = victory(a.Rules.Rules[0], rivals[0])
	}
}

// victory says why one rule beats the next best.
func victory(winner, next collyrobots.MatchedRule) string {
	switch {
	case winner.Octets > next.Octets:
		return fmt.Sprintf("it is the longest that matches: %d octets against %d (RFC 9309, 2.2.2)", winner.Octets, next.Octets)
	case winner.Allows != next.Allows:
		return fmt.Sprintf("of two with %d octets the allow wins (RFC 9309, 2.2.2)", winner.Octets)
	}
	return fmt.Sprintf("line %d says the same with as many octets", next.Line)
}

// take takes over what the site says besides its rules.
func (a *answer) take(s collyrobots.Signals) {
	a.Signals, a.Images = make(map[string]use), make(map[string]use)
	for u := collyrobots.Index; u <= collyrobots.TDM; u++ {
		v, src := s.Verdict(u)
		a.Signals[u.String()] = use{v, texts(src)}
		if iv, src := s.Images(u); iv != collyrobots.Unknown && iv != v {
			a.Images[u.String()] = use{iv, texts(src)}
		}
	}
	for _, r := range s.Rates {
		a.RequestRates = append(a.RequestRates, fmt.Sprintf("%v between two requests, %v UTC (%v)", r.Delay, r.Hours, r.Source))
	}
	a.VisitTime, a.UseLimit, a.Licenses = s.Hours.String(), s.UseLimit, append(a.Licenses, s.Licenses...)
	for _, p := range s.Problems {
		a.Problems = append(a.Problems, fmt.Sprintf("%v: %s", p.Source, p.Text))
	}
}

func texts(sources []collyrobots.Source) []string {
	out := make([]string, len(sources))
	for i, s := range sources {
		out[i] = s.String()
	}
	return out
}

func (a *answer) print(out io.Writer) {
	row := func(name, format string, args ...any) {
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-12s %s", name, fmt.Sprintf(format, args...)), " "))
	}
	row("url", "%s", a.URL)
	row("robots.txt", "%s", a.Robots.From)
	row("class", "%s: %s", a.Robots.Class, classes[a.Robots.Class])
	if a.Robots.Err != "" {
		row("", "%s", a.Robots.Err)
	}
	group := fmt.Sprintf("%s, line %d", a.Rules.Group, a.Rules.GroupLine)
	if a.Rules.GroupLine == 0 {
		group = a.Rules.Group
	}
	row("token", "%s", a.Rules.ProductToken)
	row("group", "%s: %s", group, groups[a.Rules.Group])
	for i, r := range a.Rules.Rules {
		name, mark := "rules", " "
		if i > 0 {
			name = ""
		}
		if r.Decides {
			mark = "*"
		}
		row(name, "%s line %-5d %s", mark, r.Line, r.Rule)
	}
	verdict := "disallowed"
	if a.Allowed {
		verdict = "allowed"
	}
	row("decision", "%s: %s", verdict, a.Why)
	row("crawl delay", "%s", orNone(a.CrawlDelay))
	list(row, "rates", a.RequestRates)
	row("visit time", "%s", a.VisitTime)
	for u := collyrobots.Index; u <= collyrobots.TDM; u++ {
		name := "signals"
		if u > collyrobots.Index {
			name = ""
		}
		said := a.Signals[u.String()]
		row(name, "%-9s %-8s %s", u, said.Verdict, strings.Join(said.Sources, "; "))
		if images, ok := a.Images[u.String()]; ok {
			row("", "%-9s %-8s %s", " images", images.Verdict, strings.Join(images.Sources, "; "))
		}
	}
	if a.UseLimit != "" {
		row("use", "%s", a.UseLimit)
	}
	list(row, "licences", a.Licenses)
	list(row, "sitemaps", a.Sitemaps)
	list(row, "problems", a.Problems)
	row("Colly alone", "%s", a.Colly)
	row("grobotstxt", "%s", a.Grobotstxt)
}

func list(row func(string, string, ...any), name string, lines []string) {
	if len(lines) == 0 {
		row(name, "none")
	}
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		row(name, "%s", line)
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
