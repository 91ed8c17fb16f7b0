// Package solution is one way to solve the task of lesson 2.
package solution

import (
	"strings"

	"github.com/collyetiquette/etiquette/examples/course/02-groups-and-longest-match/parts"
)

// rule is a line with Allow or Disallow.
type rule struct {
	allow   bool
	pattern string
}

// Allowed reports whether the crawler with a product token may fetch a path: by the groups that name it, all together, or by those for "*" if none does.
func Allowed(file, token, path string) bool {
	rules, named := group(file, token)
	if !named {
		rules, _ = group(file, "*")
	}
	return decide(rules, path)
}

// group collects the rules of all groups for one name. A group begins with one or more agent lines; the first agent line behind a rule begins another.
func group(file, name string) (rules []rule, named bool) {
	ours, inAgents := false, false
	for line := range strings.Lines(file) {
		switch key, value := parts.Split(line); key {
		case "user-agent":
			same := strings.EqualFold(value, name)
			ours = same || inAgents && ours
			named = named || same
			inAgents = true
		case "allow", "disallow":
			inAgents = false
			if ours && value != "" {
				rules = append(rules, rule{key == "allow", value})
			}
		}
	}
	return rules, named
}

// decide lets the longest rule that matches decide, and of two of the same length the allow. Without any, the path is allowed.
func decide(rules []rule, path string) bool {
	best := rule{allow: true}
	for _, r := range rules {
		if !parts.Matches(r.pattern, path) {
			continue
		}
		if len(r.pattern) > len(best.pattern) || len(r.pattern) == len(best.pattern) && r.allow {
			best = r
		}
	}
	return best.allow
}
