package throttle

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones of this test are known everywhere
)

func TestWhenAHostIsOpen(t *testing.T) {
	zone := func(name string) *time.Location {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	berlin, sydney, beirut := zone("Europe/Berlin"), zone("Australia/Sydney"), zone("Asia/Beirut")
	const h, m = time.Hour, time.Minute
	for _, x := range []struct {
		name  string
		hours Hours
		now   string
		open  bool
		till  string
	}{
		{"before the opening", Hours{From: 22 * h, To: 23 * h}, "2026-03-02T21:59:59Z", false, "2026-03-02T22:00:00Z"},
		{"at the opening", Hours{From: 22 * h, To: 23 * h}, "2026-03-02T22:00:00Z", true, "2026-03-02T23:00:00Z"},
		{"at the closing", Hours{From: 22 * h, To: 23 * h}, "2026-03-02T23:00:00Z", false, "2026-03-03T22:00:00Z"},
		{"overnight, before midnight", Hours{From: 22 * h, To: 6 * h}, "2026-03-02T23:00:00Z", true, "2026-03-03T06:00:00Z"},
		{"overnight, after midnight", Hours{From: 22 * h, To: 6 * h}, "2026-03-03T05:59:00Z", true, "2026-03-03T06:00:00Z"},
		{"overnight, by day", Hours{From: 22 * h, To: 6 * h}, "2026-03-03T06:00:00Z", false, "2026-03-03T22:00:00Z"},
		{"up to midnight as 24 h", Hours{From: 22 * h, To: 24 * h}, "2026-03-02T23:00:00Z", true, "2026-03-03T00:00:00Z"},
		{"up to midnight as 0 h", Hours{From: 22 * h, To: 0}, "2026-03-02T23:00:00Z", true, "2026-03-03T00:00:00Z"},
		{"the whole day", Hours{To: 24 * h}, "2026-03-02T12:00:00Z", true, "2026-03-03T00:00:00Z"},
		{"across a month", Hours{From: 22 * h, To: 6 * h}, "2026-03-01T01:00:00Z", true, "2026-03-01T06:00:00Z"},
		{"a day on which it begins", Hours{From: 22 * h, To: 6 * h, Days: []time.Weekday{time.Friday}}, "2026-03-07T05:00:00Z", true, "2026-03-07T06:00:00Z"},
		{"not a day on which it begins", Hours{From: 22 * h, To: 6 * h, Days: []time.Weekday{time.Friday}}, "2026-03-07T22:00:00Z", false, "2026-03-13T22:00:00Z"},
		{"a weekend", Hours{To: 24 * h, Days: []time.Weekday{time.Saturday, time.Sunday}}, "2026-03-05T12:00:00Z", false, "2026-03-07T00:00:00Z"},

		{"winter time", Hours{From: 22 * h, To: 6 * h, Location: berlin}, "2026-03-27T20:59:00Z", false, "2026-03-27T21:00:00Z"},
		{"the night in which an hour is skipped", Hours{From: 22 * h, To: 6 * h, Location: berlin}, "2026-03-28T22:00:00Z", true, "2026-03-29T04:00:00Z"},
		{"summer time", Hours{From: 22 * h, To: 6 * h, Location: berlin}, "2026-03-29T12:00:00Z", false, "2026-03-29T20:00:00Z"},
		{"the night in which an hour comes twice", Hours{From: 22 * h, To: 6 * h, Location: berlin}, "2026-10-24T21:00:00Z", true, "2026-10-25T05:00:00Z"},
		{"an opening that is skipped", Hours{From: 2*h + 30*m, To: 5 * h, Location: berlin}, "2026-03-29T00:00:00Z", false, "2026-03-29T01:00:00Z"},
		{"a closing that is skipped", Hours{From: 1 * h, To: 2*h + 30*m, Location: berlin}, "2026-03-29T00:30:00Z", true, "2026-03-29T01:00:00Z"},
		{"all of it skipped", Hours{From: 2 * h, To: 3 * h, Location: berlin}, "2026-03-28T12:00:00Z", false, "2026-03-30T00:00:00Z"},
		{"all of it skipped, once a week", Hours{From: 2 * h, To: 3 * h, Days: []time.Weekday{time.Sunday}, Location: berlin}, "2026-03-28T12:00:00Z", false, "2026-04-05T00:00:00Z"},
		{"an opening that comes twice", Hours{From: 2*h + 30*m, To: 5 * h, Location: berlin}, "2026-10-25T00:00:00Z", false, "2026-10-25T00:30:00Z"},
		{"a closing that comes twice", Hours{From: 1 * h, To: 2*h + 30*m, Location: berlin}, "2026-10-25T00:00:00Z", true, "2026-10-25T00:30:00Z"},
		{"after a closing that comes twice", Hours{From: 1 * h, To: 2*h + 30*m, Location: berlin}, "2026-10-25T01:15:00Z", false, "2026-10-26T00:00:00Z"},
		{"south of the equator", Hours{From: 22 * h, To: 6 * h, Location: sydney}, "2026-04-04T12:00:00Z", true, "2026-04-04T20:00:00Z"},
		{"a midnight that is skipped", Hours{From: 0, To: 6 * h, Location: beirut}, "2026-03-28T21:00:00Z", false, "2026-03-28T22:00:00Z"},
	} {
		at := func(text string) time.Time {
			got, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		w, err := x.hours.compile()
		if err != nil {
			t.Fatalf("%s: compile = %v", x.name, err)
		}
		open, till := w.at(at(x.now))
		if open != x.open || !till.Equal(at(x.till)) {
			t.Errorf("%s: at(%s) = %v, %s, want %v, %s", x.name, x.now, open, till.UTC().Format(time.RFC3339), x.open, x.till)
		}
	}
}

func TestTheHoursAgreeWithTheClocksMinuteByMinuteThroughAYear(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		hours := Hours{From: 21 * time.Hour, To: 5*time.Hour + 15*time.Minute, Location: zone} // no clock is changed at either
		w, err := hours.compile()
		if err != nil {
			t.Fatal(err)
		}
		for now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); now.Year() == 2026; now = now.Add(5 * time.Minute) {
			c := now.In(zone)
			clock := time.Duration(c.Hour())*time.Hour + time.Duration(c.Minute())*time.Minute
			got, till := w.at(now)
			if want := clock >= hours.From || clock < hours.To; got != want {
				t.Fatalf("%s: at(%s) = %v, want %v", name, c, got, want)
			}
			if next, _ := w.at(till); next == got || !till.After(now) {
				t.Fatalf("%s: at(%s) says %v until %s, and %v then", name, c, got, till.In(zone), next)
			}
		}
	}
}
