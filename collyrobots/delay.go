package collyrobots

import (
	"math"
	"strings"
	"time"
)

// parseDelay reads the value of a Crawl-delay record: seconds as a plain decimal number, "10", "0.5", ".5". Anything else,
// a sign or a unit too, is no delay. A number that no time.Duration holds is the longest one; what is finer than a nanosecond
// is rounded up, so that a delay never becomes shorter than it was asked for.
func parseDelay(value string) (time.Duration, bool) {
	whole, fraction, _ := strings.Cut(value, ".")
	if whole == "" && fraction == "" {
		return 0, false
	}
	const longest = math.MaxInt64
	var d int64
	for i := range len(whole) {
		c := whole[i]
		if c < '0' || '9' < c {
			return 0, false
		}
		if d <= longest/int64(time.Second) {
			d = d*10 + int64(c-'0')
		}
	}
	if d > longest/int64(time.Second)-1 {
		d = longest
	} else {
		d *= int64(time.Second)
	}
	unit, finer := int64(time.Second), false
	for i := range len(fraction) {
		c := fraction[i]
		if c < '0' || '9' < c {
			return 0, false
		}
		unit /= 10
		finer = finer || unit == 0 && c > '0'
		if d < longest {
			d += int64(c-'0') * unit
		}
	}
	if finer && d < longest {
		d++
	}
	return time.Duration(d), true
}
