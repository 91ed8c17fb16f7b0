package throttle

import (
	"math"
	"testing"
	"time"
)

func TestParseRetryAfter(t *testing.T) {
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) string { return now.Add(d).Format("Mon, 02 Jan 2006 15:04:05 GMT") }
	for _, x := range []struct {
		name, value, date string
		want              time.Duration
		ok                bool
	}{
		{"RFC 9110 10.2.3 delay-seconds", "120", "", 2 * time.Minute, true},
		{"space around it", " 7 ", "", 7 * time.Second, true},
		{"RFC 9110 10.2.3 HTTP-date", in(time.Hour), "", time.Hour, true},
		{"a date is compared with the answer's own", in(time.Hour), in(50 * time.Minute), 10 * time.Minute, true},
		{"a Date that cannot be read is passed over", in(time.Hour), "yesterday", time.Hour, true},
		{"RFC 9110 5.6.7 obsolete date", now.Add(time.Hour).Format(time.ANSIC), "", time.Hour, true},
		{"zero is no header", "0", "", 0, false},
		{"the past is no header", in(-time.Hour), "", 0, false},
		{"nothing", "", "", 0, false},
		{"negative", "-5", "", 0, false},
		{"a fraction", "1.5", "", 0, false},
		{"words", "soon", "", 0, false},
		{"too large to count is not shortened below the longest", "99999999999999999999", "", longestRetryAfter, true},
	} {
		got, ok := parseRetryAfter(x.value, x.date, now)
		if got != x.want || ok != x.ok {
			t.Errorf("%s: parseRetryAfter(%q, %q) = %v, %v, want %v, %v", x.name, x.value, x.date, got, ok, x.want, x.ok)
		}
	}
}

func TestLengthenAddsUpToATenth(t *testing.T) {
	for _, x := range []struct {
		d      time.Duration
		jitter float64
		want   time.Duration
	}{{100 * time.Second, 0, 100 * time.Second}, {100 * time.Second, 1, 110 * time.Second}, {math.MaxInt64, 1, math.MaxInt64 / 2}} {
		if got := lengthen(x.d, x.jitter); got != x.want {
			t.Errorf("lengthen(%v, %v) = %v, want %v", x.d, x.jitter, got, x.want)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, s := range []string{"120", "0", "Fri, 31 Dec 1999 23:59:59 GMT", "-1", "99999999999999999999", " 3\t", "٣"} {
		f.Add(s, "")
		f.Add("60", s)
	}
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value, date string) {
		d, ok := parseRetryAfter(value, date, now)
		if ok != (d > 0) && ok {
			t.Errorf("parseRetryAfter(%q, %q) = %v, %v: no wait, but a header", value, date, d, ok)
		}
		if d > longestRetryAfter || ok && lengthen(d, 1) < d {
			t.Errorf("parseRetryAfter(%q, %q) = %v, longer than can be counted with", value, date, d)
		}
	})
}
