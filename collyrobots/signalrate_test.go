package collyrobots

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestRequestRates(t *testing.T) {
	for _, tt := range []struct {
		value string
		delay time.Duration
		hours string
	}{
		{"1/5", 5 * time.Second, "always"},
		{"1/5s", 5 * time.Second, "always"},
		{"1/10m", 10 * time.Minute, "always"},
		{"1/2H", 2 * time.Hour, "always"},
		{"30/10m", 20 * time.Second, "always"},
		{"7/1", 142857143 * time.Nanosecond, "always"}, // rounded up
		{"1/10m 1300-1659", 10 * time.Minute, "13:00-17:00"},
		{"1/5 2200 - 0359", 5 * time.Second, "22:00-04:00"},
		{"1/5s\t0600-0845", 5 * time.Second, "06:00-08:46"},
		{"1/5 0300-0300", 5 * time.Second, "always"},
		{"1 / 5 m", 5 * time.Minute, "always"},
		{"1/5 1300-2400", 5 * time.Second, "13:00-00:00"},
		{"1/5 0000-2359", 5 * time.Second, "always"},
		{"1/" + strings.Repeat("9", 100), math.MaxInt64, "always"},
		{"1/9223372036h", math.MaxInt64, "always"},
		{strings.Repeat("9", 100) + "/1", 1, "always"},
	} {
		d, hours, ok := parseRate(tt.value)
		if !ok || d != tt.delay || hours.String() != tt.hours {
			t.Errorf("parseRate(%.40q) = %v, %v, %v, want %v, %s", tt.value, d, hours, ok, tt.delay, tt.hours)
		}
	}
}

func TestRequestRatesThatCannotBeRead(t *testing.T) {
	for _, value := range []string{"", "/", "1", "1/", "/5", "0/5", "1/0", "1/0m", "-1/5", "1/-5", "1/5d", "1/5 min", "1/5.5", "1.5/5", "a/b", "1/5 2500-0100",
		"1/5 noon", "1//5", "1/5/6", "1 2/5", "+1/5", "1/5ms", "1e3/5"} {
		if d, hours, ok := parseRate(value); ok {
			t.Errorf("parseRate(%q) = %v, %v, want none", value, d, hours)
		}
	}
}

func FuzzRequestRate(f *testing.F) {
	for _, s := range []string{"1/5", "30/10m 1300-1659", "1/5 2200 - 0359", "0/0", "1/99999999999999999999h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		d, hours, ok := parseRate(value)
		if ok && d <= 0 {
			t.Errorf("parseRate(%q) = %v: a rate that asks for nothing", value, d)
		}
		if !ok && (d != 0 || !hours.IsZero()) {
			t.Errorf("parseRate(%q) = %v, %v although it cannot be read", value, d, hours)
		}
	})
}

func FuzzVisitTime(f *testing.F) {
	for _, s := range []string{"2200-0400", "22:00 - 04:00", "0000-2400", "9999-9999", "-"} {
		f.Add(s, int64(0))
	}
	f.Fuzz(func(t *testing.T, value string, unix int64) {
		from, to, ok := parseWindow(value)
		if !ok {
			return
		}
		h := hoursBetween(from, to)
		now := time.Unix(unix%(1<<40), 0)
		next, ok := h.Next(now)
		if !ok || next.Before(now) || next.Sub(now) >= 24*time.Hour || !h.Contains(next) {
			t.Errorf("%q: Next(%v) = %v, %v", value, now, next, ok)
		}
		var back Hours
		if err := back.UnmarshalText([]byte(h.String())); err != nil || back != h {
			t.Errorf("%q is %s, read back as %s, %v", value, h, back, err)
		}
	})
}
