package throttle

import "time"

// searchDays is how many days are looked through for an opening: on a day on which clocks skip all of it, a weekly window does not open.
const searchDays = 15

// at reports whether the window is open at an instant, and until when that is known to stay so.
func (w *window) at(now time.Time) (open bool, till time.Time) {
	year, month, day := now.In(w.zone).Date()
	for d := -1; d <= searchDays; d++ { // what began yesterday may still last
		if !w.days[time.Date(year, month, day+d, 0, 0, 0, 0, time.UTC).Weekday()] {
			continue
		}
		last := day + d
		if w.to < w.from {
			last++
		}
		opens, closes := onClocks(year, month, day+d, w.from, w.zone), onClocks(year, month, last, w.to, w.zone)
		switch {
		case !now.Before(closes) || !opens.Before(closes):
		case now.Before(opens):
			return false, opens
		default:
			return true, closes
		}
	}
	return false, now.Add(aDay)
}

// onClocks is the instant at which the clocks of a zone show a time of day. A time that they skip is the instant of the change; of a time that they show
// twice it is the first.
func onClocks(year int, month time.Month, day int, timeOfDay time.Duration, zone *time.Location) time.Time {
	shown := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Add(timeOfDay)
	before, offset := withOffsetOf(shown, shown.Add(-aDay), zone)
	if _, is := before.Zone(); is == offset {
		return before
	}
	after, offset := withOffsetOf(shown, shown.Add(aDay), zone)
	if _, is := after.Zone(); is == offset {
		return after
	}
	change, _ := before.ZoneBounds()
	return change
}

// withOffsetOf is the instant at which clocks would show what shown does in UTC, if the zone's offset were that of another instant.
func withOffsetOf(shown, other time.Time, zone *time.Location) (t time.Time, offset int) {
	_, offset = other.In(zone).Zone()
	return shown.Add(-time.Duration(offset) * time.Second).In(zone), offset
}
