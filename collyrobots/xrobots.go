package collyrobots

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Bounds on what is read of a header.
const (
	mostFieldOctets = 8 << 10 // of one line; of Content-Usage, of all lines together
	mostFieldLines  = 64      // of one name
)

// HeaderSignals is what the header of an answer says about the answer: X-Robots-Tag, Content-Usage, Content-Signal and tdm-reservation.
// productToken and alsoObey are as in [Compile]: rules that are addressed to one of them, or to everybody, count. now is when
// unavailable_after is looked at.
//
// Of each field at most 64 lines are read, and of each line 8 KiB: of a longer X-Robots-Tag the rules that lie within, of another field
// nothing. HeaderSignals is pure.
func HeaderSignals(h http.Header, productToken string, now time.Time, alsoObey ...string) Signals {
	return headerSignals(h, agentsOf(productToken, alsoObey), now)
}

func headerSignals(h http.Header, a agents, now time.Time) Signals {
	var s Signals
	tags := tagReader{into: &s, agents: a, now: now, image: isImage(h)}
	for src, line := range s.fieldLines(h, "X-Robots-Tag") {
		if len(line) > mostFieldOctets {
			line = line[:max(strings.LastIndexByte(line[:mostFieldOctets+1], ','), 0)]
			s.addProblem(src, fmt.Sprintf("longer than %d octets: what lies behind does not count", mostFieldOctets))
		}
		tags.read(src, line, "*", true)
	}
	s.readUsage(h)
	for src, line := range s.fieldLines(h, "Content-Signal") {
		if len(line) > mostFieldOctets {
			s.addProblem(src, tooLong)
			continue
		}
		s.addContentSignal(src, line)
	}
	for src, line := range s.fieldLines(h, "Tdm-Reservation") {
		switch trimSpace(line) {
		case "1":
			s.say(src, Deny, TDM, AITrain)
		case "0":
			s.say(src, Allow, TDM)
		default:
			s.addProblem(src, "neither 0 nor 1, so nothing is said")
		}
	}
	return s
}

var tooLong = fmt.Sprintf("longer than %d octets, so nothing in it counts", mostFieldOctets)

// fieldLines are the lines of a field, each with its source, which is kept.
func (s *Signals) fieldLines(h http.Header, name string) func(yield func(Source, string) bool) {
	return func(yield func(Source, string) bool) {
		for i, line := range h.Values(name) {
			src := Source{Kind: strings.ToLower(name), Where: "header", Agent: "*", Raw: cutRaw(line)}
			if i == mostFieldLines {
				s.addProblem(src, fmt.Sprintf("more than %d lines: this one and those behind it do not count", mostFieldLines))
				return
			}
			s.addRaw(src)
			if !yield(src, line) {
				return
			}
		}
	}
}

// readUsage reads Content-Usage: all its lines are one dictionary.
func (s *Signals) readUsage(h http.Header) {
	var lines []string
	var src Source
	octets := 0
	for at, line := range s.fieldLines(h, "Content-Usage") {
		src = at
		octets += len(line)
		lines = append(lines, line)
	}
	if lines == nil {
		return
	}
	if octets > mostFieldOctets || len(h.Values("Content-Usage")) > mostFieldLines {
		s.addProblem(src, tooLong)
		return
	}
	if len(lines) > 1 {
		src.Raw = cutRaw(strings.Join(lines, ", "))
	}
	answers, err := parseUsage(lines)
	if err != nil {
		s.addProblem(src, err.Error())
	}
	for _, a := range answers {
		s.say(src, a.verdict, a.use)
	}
}

func (s *Signals) addContentSignal(src Source, value string) {
	answers, limit, faults := parseContentSignal(value)
	for _, a := range answers {
		s.say(src, a.verdict, a.use)
	}
	s.UseLimit = narrower(s.UseLimit, limit)
	for _, f := range faults {
		s.addProblem(src, f)
	}
}

func isImage(h http.Header) bool {
	t := trimSpace(h.Get("Content-Type"))
	return len(t) > 6 && strings.EqualFold(t[:6], "image/")
}
