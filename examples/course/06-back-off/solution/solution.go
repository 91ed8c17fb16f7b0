// Package solution is one way to solve the task of lesson 6.
package solution

import (
	"net/http"
	"strconv"
	"time"
)

const (
	first   = 30 * time.Second
	longest = time.Hour
)

// Pause is how long a host must be left alone after an answer.
func Pause(answer *http.Response, now time.Time, inARow int) time.Duration {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	if d := retryAfter(answer.Header.Get("Retry-After"), now); d > 0 {
		return d
	}
	pause := first
	for range inARow - 1 {
		pause = min(2*pause, longest)
	}
	return pause
}

// retryAfter reads both forms of the field (RFC 9110, 10.2.3). What it cannot use is zero or less.
func retryAfter(field string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(field, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(field); err == nil {
		return at.Sub(now)
	}
	return 0
}
