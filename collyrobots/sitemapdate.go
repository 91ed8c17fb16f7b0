package collyrobots

import (
	"time"
)

// modification is when a page was last changed, as far as its sitemap says: not before first, and before last.
type modification struct{ first, last time.Time }

// modificationLayouts are those of W3C's note on dates, with what is met in their place.
var modificationLayouts = []struct {
	layout string
	span   func(time.Time) time.Time // the end of the time that it names
}{
	{time.RFC3339, aSecond}, {"2006-01-02T15:04:05Z0700", aSecond}, {"2006-01-02T15:04Z07:00", aMinute}, {"2006-01-02T15:04Z0700", aMinute},
	{"2006-01-02T15:04:05", somewhere(aSecond)}, {"2006-01-02T15:04", somewhere(aMinute)},
	{"2006-01-02 15:04:05Z07:00", aSecond}, {"2006-01-02 15:04:05 Z07:00", aSecond}, {"2006-01-02 15:04:05 -0700", aSecond},
	{"2006-01-02 15:04:05", somewhere(aSecond)}, {"2006-01-02 15:04", somewhere(aMinute)},
	{"2006-01-02", somewhere(func(t time.Time) time.Time { return t.AddDate(0, 0, 1) })},
	{"2006-01", somewhere(func(t time.Time) time.Time { return t.AddDate(0, 1, 0) })},
	{"2006", somewhere(func(t time.Time) time.Time { return t.AddDate(1, 0, 0) })},
}

func aSecond(t time.Time) time.Time { return t.Add(time.Second) }
func aMinute(t time.Time) time.Time { return t.Add(time.Minute) }

// somewhere is for a time without a zone: it ends as late as anywhere on Earth.
func somewhere(span func(time.Time) time.Time) func(time.Time) time.Time {
	return func(t time.Time) time.Time { return span(t).Add(12 * time.Hour) }
}

// parseModification reads a lastmod. The zero value: it cannot be read, or there is none.
func parseModification(s string) modification {
	if len(s) > longestDate {
		return modification{}
	}
	for _, l := range modificationLayouts {
		if t, err := time.Parse(l.layout, s); err == nil {
			return modification{t, l.span(t)}
		}
	}
	return modification{}
}

// before reports whether it is certain that nothing was changed since t.
func (m modification) before(t time.Time) bool { return !m.last.IsZero() && !m.last.After(t) }
