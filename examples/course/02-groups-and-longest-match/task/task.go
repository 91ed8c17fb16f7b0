// Package task is the task of lesson 2. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/02-groups-and-longest-match/task
package task

import (
	"strings"

	"github.com/collyetiquette/etiquette/examples/course/02-groups-and-longest-match/parts"
)

// Allowed reports whether the crawler with a product token may fetch a path, by a robots.txt. It is a reader as many a program has one: it takes
// the first rule that matches. It has four faults. Only this function must change; the parts it is made of are right.
func Allowed(file, token, path string) bool {
	ours := false
	for line := range strings.Lines(file) {
		switch key, value := parts.Split(line); key {
		case "user-agent":
			ours = value == "*" || value == token
		case "allow", "disallow":
			if ours && value != "" && parts.Matches(value, path) {
				return key == "allow"
			}
		}
	}
	return true
}
