package collyrobots

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// Hours are the minutes of each day, in UTC, in which a site wants to be visited. The zero value is all of them. Hours are comparable.
type Hours struct {
	shut [(dayMinutes + 63) / 64]uint64 // a bit for each minute in which it does not
}

const dayMinutes = 24 * 60

// Contains reports whether t lies in h.
func (h Hours) Contains(t time.Time) bool { return !h.isShut(minuteOf(t)) }

// Next is when h is open next: t itself if it is open at t, else the start of the next open minute. It is false if h is never open.
func (h Hours) Next(t time.Time) (time.Time, bool) {
	at := minuteOf(t)
	if !h.isShut(at) {
		return t, true
	}
	start := t.UTC().Truncate(time.Minute)
	for n := 1; n < dayMinutes; n++ {
		if !h.isShut((at + n) % dayMinutes) {
			return start.Add(time.Duration(n) * time.Minute).In(t.Location()), true
		}
	}
	return time.Time{}, false
}

// IsZero reports whether h is all hours.
func (h Hours) IsZero() bool { return h == Hours{} }

// String writes h as windows, "22:00-04:00"; several are separated by commas. All hours are "always", none are "never".
func (h Hours) String() string {
	if h.IsZero() {
		return "always"
	}
	var windows []string
	for at := range dayMinutes {
		if h.isShut(at) || !h.isShut((at+dayMinutes-1)%dayMinutes) {
			continue // no window begins here
		}
		end := at
		for !h.isShut(end % dayMinutes) {
			end++
		}
		windows = append(windows, clock(at)+"-"+clock(end%dayMinutes))
	}
	if windows == nil {
		return "never"
	}
	return strings.Join(windows, ", ")
}

// MarshalText is String, for JSON.
func (h Hours) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (h *Hours) UnmarshalText(text []byte) error {
	*h = Hours{}
	switch string(text) {
	case "always":
		return nil
	case "never":
		*h = Hours{}.not()
		return nil
	}
	open := Hours{}.not()
	for window := range strings.SplitSeq(string(text), ",") {
		from, to, ok := parseWindow(window)
		if !ok {
			return fmt.Errorf("collyrobots: %.40q is no window of hours", window)
		}
		open = open.or(hoursBetween(from, to))
	}
	*h = open
	return nil
}

func clock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

func minuteOf(t time.Time) int {
	t = t.UTC()
	return t.Hour()*60 + t.Minute()
}

func (h *Hours) isShut(minute int) bool { return h.shut[minute/64]>>(minute%64)&1 != 0 }

// and is when both are open.
func (h Hours) and(o Hours) Hours {
	for i := range h.shut {
		h.shut[i] |= o.shut[i]
	}
	return h
}

// or is when one of them is open.
func (h Hours) or(o Hours) Hours {
	for i := range h.shut {
		h.shut[i] &= o.shut[i]
	}
	return h
}

// not is when h is shut.
func (h Hours) not() Hours {
	for i := range h.shut {
		h.shut[i] = ^h.shut[i]
	}
	if rest := dayMinutes % 64; rest != 0 {
		h.shut[len(h.shut)-1] &= 1<<rest - 1
	}
	return h
}

// minutes is for how much of the day h is open.
func (h Hours) minutes() int {
	n := dayMinutes
	for _, word := range h.shut {
		n -= bits.OnesCount64(word)
	}
	return n
}

// hoursBetween is from one minute of the day to another, which is not part of it; past midnight if that is not later. From a minute to the same
// one is the whole day.
func hoursBetween(from, to int) Hours {
	h := Hours{}.not()
	for n := (to-from+dayMinutes-1)%dayMinutes + 1; n > 0; n-- {
		at := (from + n - 1) % dayMinutes
		h.shut[at/64] &^= 1 << (at % 64)
	}
	return h
}

// parseWindow reads "HHMM-HHMM", with blanks around the "-" or a ":" in each time as it occurs; "2400" is the end of the day.
func parseWindow(s string) (from, to int, ok bool) {
	a, b, found := strings.Cut(s, "-")
	if !found {
		return 0, 0, false
	}
	from, ok = parseMinute(trimBlanks(a))
	if !ok || from == dayMinutes {
		return 0, 0, false
	}
	to, ok = parseMinute(trimBlanks(b))
	return from, to, ok
}

// parseMinute reads a time of the day, "0400" or "04:00".
func parseMinute(s string) (int, bool) {
	if len(s) == 5 && s[2] == ':' {
		s = s[:2] + s[3:]
	}
	if len(s) != 4 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || '9' < c {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	hour, minute := n/100, n%100
	if minute > 59 || hour > 24 || hour == 24 && minute > 0 {
		return 0, false
	}
	return hour*60 + minute, true
}
