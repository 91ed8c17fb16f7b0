package collyrobots

import (
	"fmt"
	"slices"
	"strings"
)

// contentSignals are the names of Content-Signal. Names and values are compared without regard to case.
var contentSignals = map[string]Use{"search": Search, "ai-input": AIInput, "ai-train": AITrain}

// useLimits are the values of "use", the narrowest first.
var useLimits = []string{"immediate", "reference", "full"}

// narrower is the narrower of two limits of use. What is none counts as nothing said.
func narrower(a, b string) string {
	for _, limit := range useLimits {
		if a == limit || b == limit {
			return limit
		}
	}
	return ""
}

// parseContentSignal reads the value of a Content-Signal record: "search=yes, ai-train=no". What is not listed is neither granted nor
// denied. Blanks or ";" in place of commas are read as what was meant. limit is the value of "use", empty if there is none; faults say what
// could not be read.
func parseContentSignal(value string) (s said, limit string, faults []string) {
	fault := func(format string, args ...any) {
		if len(faults) < keptProblems {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	rest := value
	for {
		rest = strings.TrimLeft(rest, ", ;\t\v\f")
		if rest == "" {
			return s, limit, faults
		}
		var name, val string
		name, rest = cutWord(rest)
		after, found := strings.CutPrefix(strings.TrimLeft(rest, " \t\v\f"), "=")
		if !found {
			fault("%.40q is no signal: it has no value", name)
			continue
		}
		val, rest = cutWord(strings.TrimLeft(after, " \t\v\f"))
		use, known := contentSignals[strings.ToLower(name)]
		switch v := strings.ToLower(val); {
		case known && v == "yes":
			s.add(use, Allow)
		case known && v == "no":
			s.add(use, Deny)
		case known:
			fault("%s=%.40q is neither yes nor no", strings.ToLower(name), val)
		case strings.EqualFold(name, "use"):
			if !slices.Contains(useLimits, v) {
				fault("use=%.40q is none of %s", val, strings.Join(useLimits, ", "))
			}
			limit = narrower(limit, v)
		}
	}
}

// cutWord cuts s behind the word that it begins with.
func cutWord(s string) (word, rest string) {
	if i := strings.IndexAny(s, ",;= \t\v\f"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}
