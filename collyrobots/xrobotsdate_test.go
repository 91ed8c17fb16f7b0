package collyrobots

import (
	"strings"
	"testing"
	"time"
)

func TestDatesOfUnavailableAfter(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"25 Jun 2010 15:00:00 PST", "2010-06-25T23:00:00Z"},
		{"25-Aug-2007 15:00:00 EST", "2007-08-25T20:00:00Z"},
		{"Saturday, 25-Jun-11 15:00:00 GMT", "2011-06-25T15:00:00Z"},
		{"Sat, 25 Jun 2011 15:00:00 GMT", "2011-06-25T15:00:00Z"},
		{"Sat, 25 Jun 11 15:00 UT", "2011-06-25T15:00:00Z"},
		{"Sat, 25 Jun 2011 15:00:00 +0200", "2011-06-25T13:00:00Z"},
		{"25 June 2011 15:00:00 CEST", "2011-06-25T13:00:00Z"},
		{"25 jun 2011 15:00:00 pdt", "2011-06-25T22:00:00Z"},
		{"Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"},
		{"2026-09-21", "2026-09-21T00:00:00Z"},
		{"2026-09-21T15:04:05Z", "2026-09-21T15:04:05Z"},
		{"2026-09-21T15:04:05.5Z", "2026-09-21T15:04:05.5Z"},
		{"2026-09-21T15:04:05+02:00", "2026-09-21T13:04:05Z"},
		{"2026-09-21T15:04:05-0330", "2026-09-21T18:34:05Z"},
		{"2026-09-21T15:04", "2026-09-21T15:04:00Z"},
		{"2026-09-21 15:04:05", "2026-09-21T15:04:05Z"},
		{"2026-09-21 15:04:05 MSK", "2026-09-21T12:04:05Z"},
		{"20260921T150405Z", "2026-09-21T15:04:05Z"},
		{"  25   Jun\t2010 15:00:00   GMT ", "2010-06-25T15:00:00Z"},
	} {
		got, ok := parseDate(tt.in)
		if want, err := time.Parse(time.RFC3339, tt.want); err != nil || !ok || !got.Equal(want) {
			t.Errorf("parseDate(%q) = %v, %v, want %v", tt.in, got, ok, tt.want)
		}
	}
}

func TestDatesThatCannotBeRead(t *testing.T) {
	for _, s := range []string{"", "soon", "never", "25 Jun", "Saturday", "Saturday,", "2026", "2026-13-01", "31 Feb 2026 10:00:00 GMT",
		"25 Jun 2010 15:00:00 XYZ", "25 Jun 2010 25:00:00 GMT", "noindex", "-", "1750000000", "25 Jun 2010 15:00:00 PST PST", strings.Repeat("2026-09-21 ", 9)} {
		if got, ok := parseDate(s); ok {
			t.Errorf("parseDate(%q) = %v, want none", s, got)
		}
	}
}

func FuzzUnavailableAfter(f *testing.F) {
	for _, s := range []string{"25 Jun 2010 15:00:00 PST", "Saturday, 25-Jun-11 15:00:00 GMT", "2026-09-21T15:04:05+02:00", "Sun Nov  6 08:49:37 1994"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := parseDate(s); ok && (got.Location() != time.UTC || !strings.ContainsAny(s, "0123456789")) {
			t.Errorf("parseDate(%q) = %v", s, got)
		}
	})
}
