package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// clean is text from strangers: on one line, without what cannot be seen or turns the writing around.
func clean(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\t':
			return ' '
		case !unicode.IsPrint(c):
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// short is clean, and at most most characters of it.
func short(text string, most int) string {
	if len(text) > 4*most {
		text = text[:4*most] // in octets: no more need be looked at
	}
	text = clean(text)
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// number has commas between the thousands.
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// several is a number and its noun: "1 host", "2 hosts".
func several(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + one + "s"
}

// span is a duration, as for intervals: rounded down, since a gap must not look longer than it is.
func span(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return max(d, 0).Truncate(time.Microsecond).String()
	case d < time.Minute:
		return d.Truncate(time.Millisecond).String()
	}
	return left(d.Truncate(time.Second))
}

// left is a time that runs down, in whole seconds rounded up. The script counts in the same words.
func left(d time.Duration) string {
	s := int((max(d, 0) + time.Second - 1) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %ds", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%dh %dm", s/3600, s%3600/60)
	}
	return fmt.Sprintf("%dd %dh", s/86400, s%86400/3600)
}

// clock is a time of day, with the date if that is another day than today.
func clock(t, today time.Time) string {
	t = t.In(today.Location())
	if t.Format(time.DateOnly) == today.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

func byteSize(n int64) string {
	size, unit := float64(n), 0
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	for size >= 1000 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	if unit == 0 || size >= 100 {
		return fmt.Sprintf("%.0f %s", size, units[unit])
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}

// countdown is a moment that is waited for.
type countdown struct {
	At   time.Time
	Left string
}

// count is a countdown for a template; its Left is empty for a moment that is not known or has passed.
func count(at, now time.Time) countdown {
	if !at.After(now) {
		return countdown{}
	}
	return countdown{at, left(at.Sub(now))}
}

// Millis is the moment for the script.
func (c countdown) Millis() int64 { return c.At.UnixMilli() }

// Stamp is the moment for the datetime attribute.
func (c countdown) Stamp() string { return c.At.UTC().Format(time.RFC3339) }
