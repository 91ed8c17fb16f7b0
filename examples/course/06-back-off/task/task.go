// Package task is the task of lesson 6. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/06-back-off/task
package task

import (
	"net/http"
	"time"
)

// Pause is how long a host must be left alone after an answer. A 429 or 503 asks for a pause: for as long as its Retry-After says, in seconds or as a
// date; if it says nothing that can be used, for 30 seconds, doubled with each such answer in a row (inARow is 1 for the first), and for an hour at most.
// Any other answer asks for none. now is the time at which the answer came.
//
// As it stands, it does not read what the site says.
func Pause(answer *http.Response, now time.Time, inARow int) time.Duration {
	if answer.StatusCode == http.StatusTooManyRequests {
		return time.Second
	}
	return 0
}
