package collyrobots

import (
	"strings"
	"time"
)

// longestDate is longer than any date that can be read.
const longestDate = 64

// zones are the zone names of RFC 822 and those of Europe. time.Parse takes a name that it does not know for UTC; here a date with such a
// name is none.
var zones = map[string]time.Duration{
	"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0,
	"EST": -5 * time.Hour, "EDT": -4 * time.Hour, "CST": -6 * time.Hour, "CDT": -5 * time.Hour,
	"MST": -7 * time.Hour, "MDT": -6 * time.Hour, "PST": -8 * time.Hour, "PDT": -7 * time.Hour,
	"WEST": time.Hour, "CET": time.Hour, "CEST": 2 * time.Hour, "EET": 2 * time.Hour, "EEST": 3 * time.Hour, "MSK": 3 * time.Hour,
}

// dateLayouts are those of RFC 822, RFC 850 and ISO 8601, without the day of the week and without a named zone.
var dateLayouts = []string{
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 -0700", "2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04 -0700",
	"2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "2 Jan 06 15:04:05", "2 Jan 06 15:04", "2 Jan 2006", "2 Jan 06",
	"2 January 2006 15:04:05 -0700", "2 January 2006 15:04:05", "2 January 2006 15:04", "2 January 2006",
	"Jan 2 15:04:05 2006",
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04",
	"2006-01-02", "20060102T150405Z0700", "20060102T150405", "20060102",
}

// parseDate reads the date of unavailable_after. Without a zone it is UTC, without a time the beginning of the day.
func parseDate(s string) (time.Time, bool) {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" || len(s) > longestDate {
		return time.Time{}, false
	}
	s = withoutWeekday(s)
	var offset time.Duration
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		if named, ok := zones[strings.ToUpper(s[i+1:])]; ok {
			s, offset = s[:i], named
		}
	}
	if d := strings.SplitN(s, "-", 3); len(d) == 3 && len(d[1]) == 3 { // RFC 850: 25-Jun-11
		s = d[0] + " " + d[1] + " " + d[2]
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Add(-offset).UTC(), true
		}
	}
	return time.Time{}, false
}

// withoutWeekday cuts "Mon, ", "Monday, " or "Mon " off the front of s.
func withoutWeekday(s string) string {
	word, rest, found := strings.Cut(s, " ")
	if !found {
		return s
	}
	word = strings.TrimSuffix(word, ",")
	for d := time.Sunday; d <= time.Saturday; d++ {
		if name := d.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) {
			return rest
		}
	}
	return s
}
