package collyrobots

import (
	"encoding/json"
	"testing"
	"time"
)

func at(hhmm string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05", "2026-03-14 "+hhmm)
	if err != nil {
		panic(err)
	}
	return t
}

func TestVisitTimeWindows(t *testing.T) {
	for _, tt := range []struct {
		name, value, at, next string // next "": open
	}{
		{"inside, past midnight", "2200-0400", "01:00:00", ""},
		{"OP-19 outside waits for the start of the window", "2200-0400", "05:00:00", "22:00:00"},
		{"the first minute is inside", "2200-0400", "22:00:00", ""},
		{"the last second before the end is inside", "2200-0400", "03:59:59", ""},
		{"the end is outside", "2200-0400", "04:00:00", "22:00:00"},
		{"blanks around the dash", "2200 - 0400", "05:00:00", "22:00:00"},
		{"seconds are counted from the start of the minute", "0600-0845", "05:59:30", "06:00:00"},
		{"the next day's window", "0100-0200", "02:00:00", "+01:00:00"},
		{"the end of the day", "2000-2400", "23:59:59", ""},
		{"the end of the day is midnight", "2000-2400", "00:00:00", "20:00:00"},
		{"from a time to itself is the whole day", "0300-0300", "17:12:00", ""},
		{"colons", "06:00-08:45", "09:00:00", "+06:00:00"},
	} {
		from, to, ok := parseWindow(tt.value)
		if !ok {
			t.Errorf("%s: parseWindow(%q) = false", tt.name, tt.value)
			continue
		}
		h := hoursBetween(from, to)
		now := at(tt.at)
		want := now
		switch {
		case tt.next == "":
		case tt.next[0] == '+':
			want = at(tt.next[1:]).AddDate(0, 0, 1)
		default:
			want = at(tt.next)
		}
		got, ok := h.Next(now)
		if !ok || !got.Equal(want) {
			t.Errorf("%s: %s at %s: Next = %v, %v, want %v", tt.name, tt.value, tt.at, got, ok, want)
		}
		if got, want := h.Contains(now), tt.next == ""; got != want {
			t.Errorf("%s: %s at %s: Contains = %v, want %v", tt.name, tt.value, tt.at, got, want)
		}
	}
}

func TestWindowsThatCannotBeRead(t *testing.T) {
	for _, value := range []string{"", "-", "2200", "2200-", "-0400", "2260-0400", "2500-0400", "2401-0400", "2400-0400", "22-04", "22000400", "abcd-efgh",
		"+100-0400", "2200-0400-0600", "２２00-0400", "2200-0400 UTC"} {
		if from, to, ok := parseWindow(value); ok {
			t.Errorf("parseWindow(%q) = %d, %d, want none", value, from, to)
		}
	}
}

func TestNextKeepsTheZoneAndLooksAtUTC(t *testing.T) {
	zone := time.FixedZone("CET", 3600)
	h := hoursBetween(22*60, 4*60)
	now := time.Date(2026, 3, 14, 5, 30, 0, 0, zone) // 04:30 UTC
	got, ok := h.Next(now)
	if want := time.Date(2026, 3, 14, 23, 0, 0, 0, zone); !ok || !got.Equal(want) || got.Location() != zone {
		t.Errorf("Next(%v) = %v, %v, want %v", now, got, ok, want)
	}
}

func TestHoursOfSeveralCrawlersAreThoseOfAll(t *testing.T) {
	a, b := hoursBetween(22*60, 4*60), hoursBetween(2*60, 6*60)
	if got, want := a.and(b).String(), "02:00-04:00"; got != want {
		t.Errorf("and = %s, want %s", got, want)
	}
	if got, want := a.or(b).String(), "22:00-06:00"; got != want {
		t.Errorf("or = %s, want %s", got, want)
	}
	never := a.and(hoursBetween(10*60, 11*60))
	if got, ok := never.Next(at("05:00:00")); ok {
		t.Errorf("Next of hours that are never open = %v, want none", got)
	}
	if got, want := never.String(), "never"; got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
	if got, want := never.minutes(), 0; got != want {
		t.Errorf("minutes = %d, want %d", got, want)
	}
}

func TestHoursAsText(t *testing.T) {
	two := hoursBetween(60, 120).or(hoursBetween(600, 660))
	for _, h := range []Hours{{}, Hours{}.not(), hoursBetween(22*60, 4*60), two, hoursBetween(0, 1), hoursBetween(1439, 0)} {
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		var back Hours
		if err := json.Unmarshal(text, &back); err != nil || back != h {
			t.Errorf("%s read back = %v, %v", text, back, err)
		}
	}
	if got, want := two.String(), "01:00-02:00, 10:00-11:00"; got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
	var h Hours
	if err := json.Unmarshal([]byte(`"soon"`), &h); err == nil {
		t.Errorf("a text that is no window was read as %v", h)
	}
}
