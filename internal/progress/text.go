package progress

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// escape is text from strangers for a terminal: on one line, and without what moves the cursor, cannot be seen or turns the writing around.
func escape(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// columnsOf is how many columns of a terminal a text takes at most: what is not ASCII may be wide.
func columnsOf(text string) int { return 2*utf8.RuneCountInString(text) - countASCII(text) }

func countASCII(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			n++
		}
	}
	return n
}

// cut makes a text fit into so many columns.
func cut(text string, most int) string {
	if columnsOf(text) <= most {
		return text
	}
	most -= 2 // the dots
	used := 0
	for i, c := range text {
		if used += columnsOf(string(c)); used > most {
			if most < 0 {
				return ""
			}
			return text[:i] + "…"
		}
	}
	return text
}

// number has commas between the thousands.
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// until is how long something takes still, in seven characters at most. It is rounded up: what is said to come in 3 s does not come sooner.
func until(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d <= 9900*time.Millisecond:
		d += 100*time.Millisecond - 1
		return fmt.Sprintf("%d.%ds", d/time.Second, d%time.Second/(100*time.Millisecond))
	case d <= time.Minute-time.Second:
		return fmt.Sprintf("%ds", (d+time.Second-1)/time.Second)
	case d <= time.Hour-time.Second:
		d += time.Second - 1
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d <= day-time.Minute:
		d += time.Minute - 1
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d < 1000*day:
		d += time.Hour - 1
		return fmt.Sprintf("%dd%02dh", d/day, d%day/time.Hour)
	}
	return "years"
}

// clock is a time of day, or the day if that is another.
func clock(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateOnly)
}
