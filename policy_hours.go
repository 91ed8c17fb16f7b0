package etiquette

import (
	"fmt"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/throttle"
)

// Hours says when the hosts that it matches may be asked: off-peak for their main audience, say. A request at another time waits for the opening, if that
// is within Throttle.MaxBlockWait, or is refused (outside_hours) with the opening as RetryAt. robots.txt keeps to them, too. What a site asks for itself,
// with a Visit-time in its robots.txt, is kept as well: pages are asked for when both are open.
type Hours struct {
	// DomainGlob and DomainRegexp match hosts as in a throttle.LimitRule. Both empty: every host.
	DomainGlob, DomainRegexp string
	// Between is two times of day, "22:00-06:00" say: from the first on, up to the second, overnight if that is earlier. "24:00" is the end of a day.
	Between string
	// Days are the days on which the time begins: with "22:00-06:00" and Friday, it ends on Saturday. Empty: every day.
	Days []time.Weekday
	// Zone is the name of the time zone, "Europe/Berlin" say. Empty means UTC.
	Zone string
}

// PerDay is how much of each host that it matches is asked for on one day, which begins at midnight UTC: a large crawl is thereby spread over days. A
// request beyond it waits for the next day, if that begins within Throttle.MaxBlockWait, or is refused (budget) with the beginning of that day as RetryAt.
// robots.txt and redirects count. With a StateDir the count outlives the process, and is one for all processes that share it; without one, each of Share
// processes gets its part. [throttle.Budget] says more.
type PerDay struct {
	// DomainGlob and DomainRegexp match hosts as in a throttle.LimitRule. Both empty: every host.
	DomainGlob, DomainRegexp string
	// Requests is how many are sent on one day. Zero means no such limit.
	Requests int
	// Bytes is how many bytes of bodies are taken in on one day, after decompression. Zero means no such limit. The body with which they run out is
	// read to its end.
	Bytes int64
}

const aDay = 24 * time.Hour

// kept is h as the throttle keeps it.
func (h *Hours) kept() throttle.Hours {
	k := throttle.Hours{DomainGlob: h.DomainGlob, DomainRegexp: h.DomainRegexp, Days: h.Days}
	k.From, k.To, _ = h.window()
	k.Location, _ = h.location()
	return k
}

// window is Between as times since midnight.
func (h *Hours) window() (from, to time.Duration, err error) {
	a, b, ok := strings.Cut(h.Between, "-")
	if !ok {
		return 0, 0, fmt.Errorf(`%q is not two times of day: write "22:00-06:00"`, h.Between)
	}
	if from, err = timeOfDay(a); err != nil {
		return 0, 0, err
	}
	if to, err = timeOfDay(b); err != nil {
		return 0, 0, err
	}
	if from == aDay || from == to {
		return 0, 0, fmt.Errorf(`%q is no time at all: the whole day is "00:00-24:00"`, h.Between)
	}
	return from, to, nil
}

// timeOfDay reads "06:00"; "24:00" is the end of the day.
func timeOfDay(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if text == "24:00" {
		return aDay, nil
	}
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, fmt.Errorf(`%q is no time of day: write hours and minutes, "06:00"`, text)
	}
	return t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)), nil
}

// location is the time zone.
func (h *Hours) location() (*time.Location, error) {
	loc, err := time.LoadLocation(h.Zone)
	if err != nil || h.Zone == "Local" {
		return nil, fmt.Errorf(`%q is no time zone that is known here: write its name in the IANA database, "Europe/Berlin", or "UTC"`, h.Zone)
	}
	return loc, nil
}
