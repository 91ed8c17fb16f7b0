// Package check judges the task of lesson 6.
package check

import (
	"net/http"
	"testing"
	"time"
)

var now = time.Date(2030, time.May, 7, 12, 0, 0, 0, time.UTC)

var cases = []struct {
	about      string
	status     int
	retryAfter string
	inARow     int
	want       time.Duration
}{
	{"an answer that is well asks for no pause", 200, "", 1, 0},
	{"a 404 says that a page is missing, and not that we ask too much", 404, "", 1, 0},
	{"Retry-After counts with 429 and 503 only", 301, "120", 1, 0},
	{"a number is seconds", 429, "120", 1, 2 * time.Minute},
	{"503 asks for a pause just as 429 does", 503, "120", 1, 2 * time.Minute},
	{"what the site says counts, not how often it said so", 429, "7", 5, 7 * time.Second},
	{"a long pause is not shortened in silence", 503, "86400", 1, 24 * time.Hour},
	{"a date is a date", 503, "Tue, 07 May 2030 12:05:00 GMT", 1, 5 * time.Minute},
	{"the older forms of a date are read too", 503, "Tuesday, 07-May-30 12:05:00 GMT", 1, 5 * time.Minute},
	{"without a Retry-After it is 30 seconds at first", 429, "", 1, 30 * time.Second},
	{"without a Retry-After it is doubled each time", 503, "", 2, time.Minute},
	{"without a Retry-After it is doubled each time", 503, "", 4, 4 * time.Minute},
	{"without a Retry-After it is an hour at most", 429, "", 9, time.Hour},
	{"an hour at most, also after very many", 429, "", 500, time.Hour},
	{"a date that has passed is of no use", 503, "Tue, 07 May 2030 11:59:00 GMT", 1, 30 * time.Second},
	{"what is neither is of no use", 429, "soon", 1, 30 * time.Second},
	{"a negative number is of no use", 429, "-5", 1, 30 * time.Second},
}

// Pause fails for each answer after which pause is not what the site asks for.
func Pause(t *testing.T, pause func(answer *http.Response, now time.Time, inARow int) time.Duration) {
	for _, c := range cases {
		answer := &http.Response{StatusCode: c.status, Header: http.Header{}}
		if c.retryAfter != "" {
			answer.Header.Set("Retry-After", c.retryAfter)
		}
		if got := pause(answer, now, c.inARow); got != c.want {
			t.Errorf("status %d with Retry-After %q, number %d in a row: Pause says %s, want %s: %s", c.status, c.retryAfter, c.inARow, got, c.want, c.about)
		}
	}
}
