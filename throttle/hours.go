package throttle

import (
	"fmt"
	"sync"
	"time"
)

const aDay = 24 * time.Hour

// Hours says when the hosts that it matches may be asked; of several the first that matches counts, and a host that none matches is asked at any time.
// At another time a request waits for the opening, if that is within Options.MaxBlockWait, or is refused (outside_hours) with the opening as
// RetryAt. A request that is already under way at the closing is not touched. robots.txt keeps to the hours, too.
//
// What a site says itself, with a Visit-time in its robots.txt, is kept as well, where robots are attached: pages of the host are then asked for when
// both are open.
type Hours struct {
	// DomainGlob and DomainRegexp match hosts as in a LimitRule. Both empty: every host. One that is asked on ports with different hours is open when
	// all of them are.
	DomainGlob, DomainRegexp string
	// From and To are times of day, since midnight as clocks show it: from From on, up to To, overnight if To is earlier. 24 hours as To is the end of
	// the day. When clocks skip a time, the moment at which they do so stands for it; of a time that they show twice the first counts.
	From, To time.Duration
	// Days are the days on which the time begins: with 22 to 6 h and Friday, it ends on Saturday. Empty: every day.
	Days []time.Weekday
	// Location is the time zone of From, To and Days. Nil means UTC.
	Location *time.Location
}

// window is Hours as they are kept. It remembers what it last found, since that holds for hours. It is safe for concurrent use.
type window struct {
	pattern
	from, to time.Duration
	days     [7]bool
	zone     *time.Location

	mu          sync.Mutex
	open        bool
	since, till time.Time // when that holds, by the wall clock
}

func compileHours(all []Hours) ([]*window, error) {
	var out []*window
	for i := range all {
		w, err := all[i].compile()
		if err != nil {
			return nil, fmt.Errorf("throttle: Options.Hours[%d]%w", i, err)
		}
		out = append(out, w)
	}
	return out, nil
}

func (h *Hours) compile() (*window, error) {
	w := &window{from: h.From, to: h.To, zone: h.Location}
	switch {
	case h.From < 0 || h.From >= aDay:
		return nil, fmt.Errorf(".From %s is no time of day: it is the time since midnight, less than 24h", h.From)
	case h.To < 0 || h.To > aDay:
		return nil, fmt.Errorf(".To %s is no time of day: it is the time since midnight, at most 24h", h.To)
	case h.From == h.To:
		return nil, fmt.Errorf(".From and .To %s are no time at all: the whole day is from 0 to 24h", h.From)
	}
	for _, d := range h.Days {
		if d < time.Sunday || d > time.Saturday {
			return nil, fmt.Errorf(".Days holds %d, which is no day of the week", d)
		}
		w.days[d] = true
	}
	if len(h.Days) == 0 {
		w.days = [7]bool{true, true, true, true, true, true, true}
	}
	if w.zone == nil {
		w.zone = time.UTC
	}
	var err error
	w.pattern, err = compilePattern(h.DomainGlob, h.DomainRegexp)
	return w, err
}

// Next implements chain.Hours. Where no opening is found, that is to be looked at again a day later.
func (w *window) Next(t time.Time) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Before(w.since) || !t.Before(w.till) {
		w.open, w.till = w.at(t)
		w.since = t
	}
	if w.open {
		return t, true
	}
	return w.till, true
}
