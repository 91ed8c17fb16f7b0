// Package solution is one way to solve the task of lesson 3.
package solution

import (
	"io"
	"net/http"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// mostBytes is how much of a robots.txt a crawler must read at least (RFC 9309, 2.5).
const mostBytes = 500 << 10

// Class asks an origin for its robots.txt and says what the answer is.
func Class(client *http.Client, origin string) collyrobots.Class {
	resp, err := client.Get(origin + "/robots.txt")
	if err != nil {
		return collyrobots.ClassUnreachable
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, mostBytes)); err != nil {
		return collyrobots.ClassUnreachable // a file of which half is missing may miss the line that matters
	}
	switch status := resp.StatusCode; {
	case status/100 == 2:
		return collyrobots.ClassRules
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout:
		return collyrobots.ClassUnreachable // "not now" is not "there is none"
	case status/100 == 4:
		return collyrobots.ClassUnavailable
	}
	return collyrobots.ClassUnreachable
}
