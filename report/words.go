package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// plain is the source for people.
func (s Source) plain() string { return clean(strings.ReplaceAll(string(s), "_", " ")) }

// clean is text from strangers for a terminal or a page: on one line, without what cannot be seen or turns the writing around.
func clean(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// shorten cuts the middle out of a text of more than most characters.
func shorten(text string, most int) string {
	c := []rune(text)
	if len(c) <= most {
		return text
	}
	head := most * 2 / 3
	return string(c[:head]) + "…" + string(c[len(c)-(most-head-1):])
}

// number has commas between the thousands.
func number(n int) string {
	digits := strconv.Itoa(n)
	if n < 0 {
		return digits
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
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

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return number(n) + " times"
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

// span is a duration in two units at most. It is rounded down: a gap must not look longer than it was.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = max(d, 0); {
	case d < time.Millisecond:
		return d.Truncate(time.Microsecond).String()
	case d < time.Second:
		return d.Truncate(time.Millisecond).String()
	case d < 10*time.Second:
		return d.Truncate(10 * time.Millisecond).String()
	case d < time.Minute:
		return d.Truncate(100 * time.Millisecond).String()
	case d < time.Hour:
		return units(int(d/time.Minute), "m", int(d%time.Minute/time.Second), "s")
	case d < day:
		return units(int(d/time.Hour), "h", int(d%time.Hour/time.Minute), "m")
	}
	return units(int(d/day), "d", int(d%day/time.Hour), "h")
}

func units(n int, unit string, rest int, smaller string) string {
	text := strconv.Itoa(n) + unit
	if rest > 0 {
		text += strconv.Itoa(rest) + smaller
	}
	return text
}

// clock is a time of day, with the date if that is another day than today.
func clock(t, today time.Time) string {
	t = t.In(today.Location())
	if t.Format(time.DateOnly) == today.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}
