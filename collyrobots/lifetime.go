package collyrobots

import (
	"net/http"
	"strings"
	"time"
)

// All of this is arithmetic: no clock of its own, no I/O.

const (
	longestLife  = 24 * time.Hour // RFC 9309, 2.4
	shortestLife = time.Hour      // a site that says "max-age=1" is not asked for its robots.txt each second
)

// lifeOf is how long a robots.txt may be used that came at now with header h: longest, or less if Cache-Control or Expires say so, but
// not less than an hour. no-cache, no-store, max-age=0 and an Expires in the past are what servers add to everything; they count as absent.
func lifeOf(h http.Header, now time.Time, longest time.Duration) time.Duration {
	life, ok := maxAgeOf(h.Values("Cache-Control"))
	if !ok {
		life, ok = expiresIn(h, now)
	}
	if !ok {
		return longest
	}
	return min(max(life-ageOf(h), shortestLife), longest)
}

// maxAgeOf is the smallest max-age above zero.
func maxAgeOf(lines []string) (age time.Duration, ok bool) {
	for _, line := range lines {
		for line != "" {
			var directive string
			directive, line = cutDirective(line)
			name, value, _ := strings.Cut(directive, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "max-age") {
				continue
			}
			d, valid := deltaSeconds(strings.Trim(strings.TrimSpace(value), `"`))
			if valid && d > 0 && (!ok || d < age) {
				age, ok = d, true
			}
		}
	}
	return age, ok
}

// cutDirective cuts line at the first comma that is not within a quoted string.
func cutDirective(line string) (directive, rest string) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			quoted = !quoted
		case '\\':
			if quoted {
				i++
			}
		case ',':
			if !quoted {
				return line[:i], line[i+1:]
			}
		}
	}
	return line, ""
}

// expiresIn is the time from Date to Expires, if there is one.
func expiresIn(h http.Header, now time.Time) (time.Duration, bool) {
	expires, err := http.ParseTime(h.Get("Expires"))
	if err != nil {
		return 0, false
	}
	life := expires.Sub(dateOf(h, now))
	return life, life > 0
}

// dateOf is the server's clock, so that a wrong one does no harm to differences; else ours.
func dateOf(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}

// ageOf is how long the answer has been in caches on its way (RFC 9111, 5.1).
func ageOf(h http.Header) time.Duration {
	age, _ := deltaSeconds(strings.TrimSpace(h.Get("Age")))
	return age
}

// deltaSeconds reads a number of seconds (RFC 9111, 1.2.2). One that is too large to matter is a year.
func deltaSeconds(s string) (time.Duration, bool) {
	const most = 365 * 24 * 3600
	if s == "" {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		c := s[i]
		if c < '0' || '9' < c {
			return 0, false
		}
		n = min(n*10+int(c-'0'), most)
	}
	return time.Duration(n) * time.Second, true
}

const (
	shortestRetry = time.Minute
	longestRetry  = 24 * time.Hour

	firstUnreachable, lastUnreachable = time.Minute, time.Hour
	firstUnavailable, lastUnavailable = time.Hour, 24 * time.Hour
)

// retryAfter is the wait that the site asks for, between a minute and a day. One of zero, in the past or unreadable counts as absent.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	wait, ok := deltaSeconds(value)
	if !ok {
		at, err := http.ParseTime(value)
		if err != nil {
			return 0, false
		}
		wait = at.Sub(dateOf(h, now))
	}
	if wait <= 0 {
		return 0, false
	}
	return clampRetry(wait), true
}

func clampRetry(wait time.Duration) time.Duration { return min(max(wait, shortestRetry), longestRetry) }

// doubling is the wait after the count-th failure in a row: first, then twice as long each time, at most last.
func doubling(first, last time.Duration, count int) time.Duration {
	wait := first
	for range count - 1 {
		if wait >= last {
			return last
		}
		wait *= 2
	}
	return min(wait, last)
}
