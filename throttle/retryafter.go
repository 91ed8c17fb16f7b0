package throttle

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestRetryAfter is what a number too large to count with becomes. It is never shortened below that.
const longestRetryAfter = 100 * 365 * 24 * time.Hour

// parseRetryAfter reads a Retry-After (RFC 9110, 10.2.3): seconds in digits, or a date, which is compared with the answer's own Date where there is
// one, so that a server whose clock is wrong is understood. Zero, the past and what cannot be read count as no header.
func parseRetryAfter(value, date string, now time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0, false
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(longestRetryAfter/time.Second) {
			seconds = int64(longestRetryAfter / time.Second)
		}
		return time.Duration(seconds) * time.Second, seconds > 0
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(date); err == nil {
		now = sent
	}
	d := min(at.Sub(now), longestRetryAfter)
	return max(d, 0), d > 0
}

// lengthen adds up to a tenth, so that all who were told the same do not come back at once.
func lengthen(d time.Duration, jitter float64) time.Duration {
	longer := float64(d) * (1 + jitter/10)
	if longer >= math.MaxInt64/2 {
		return math.MaxInt64 / 2
	}
	return time.Duration(longer)
}
