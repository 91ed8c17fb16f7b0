package collyrobots

import (
	"math"
	"strings"
	"time"
)

// RequestRate is what a Request-rate line asks for.
type RequestRate struct {
	// Delay is the least time between the starts of two requests: the period that the line names, divided by its number of pages.
	Delay time.Duration
	// Hours are when the line holds. The zero value: always.
	Hours  Hours
	Source Source
}

// parseRate reads the value of a Request-rate record: "1/5" is a page in five seconds, "30/10m 1300-1659" thirty pages in ten minutes between
// 13:00 and 17:00 UTC. A rate without pages or without time is none. What no time.Duration holds is the longest one, and a delay is never
// rounded down.
func parseRate(value string) (d time.Duration, hours Hours, ok bool) {
	pages, rest, found := strings.Cut(value, "/")
	if !found {
		return 0, Hours{}, false
	}
	n, tail, ok := parseCount(trimBlanks(pages))
	if !ok || tail != "" || n == 0 {
		return 0, Hours{}, false
	}
	period, rest, ok := parseCount(trimBlanks(rest))
	if !ok || period == 0 {
		return 0, Hours{}, false
	}
	unit, rest := time.Second, trimBlanks(rest)
	if rest != "" && (len(rest) == 1 || isBlank(rest[1])) {
		switch rest[0] {
		case 's', 'S':
		case 'm', 'M':
			unit = time.Minute
		case 'h', 'H':
			unit = time.Hour
		default:
			return 0, Hours{}, false
		}
		rest = trimBlanks(rest[1:])
	}
	if rest != "" {
		from, to, ok := parseWindow(rest)
		if !ok {
			return 0, Hours{}, false
		}
		if from != to && to < dayMinutes {
			to++ // "1300-1659" is the whole of its last minute: longer, if in doubt
		}
		hours = hoursBetween(from, to)
	}
	d = math.MaxInt64
	if period <= math.MaxInt64/int64(unit) {
		d = time.Duration(period) * unit
	}
	q := d / time.Duration(n)
	if d%time.Duration(n) != 0 {
		q++
	}
	return q, hours, true
}

// parseCount reads the digits at the start of s. What no int64 holds is the largest one.
func parseCount(s string) (n int64, rest string, ok bool) {
	i := 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		digit := int64(s[i] - '0')
		if n > (math.MaxInt64-digit)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + digit
	}
	return n, s[i:], i > 0
}
