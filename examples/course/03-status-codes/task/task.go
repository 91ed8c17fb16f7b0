// Package task is the task of lesson 3. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/03-status-codes/task
package task

import (
	"net/http"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// Class asks an origin, such as "http://shop.test", for its robots.txt and says what the answer is: collyrobots.ClassRules, if there is a file that can be
// read; ClassUnavailable, if the site says that it has none; ClassUnreachable, if nobody can know what the site wants.
//
// As it stands, everything that is not a file counts as "there is none". That is how a crawler comes to flood a site that is ill.
func Class(client *http.Client, origin string) collyrobots.Class {
	resp, err := client.Get(origin + "/robots.txt")
	if err != nil {
		return collyrobots.ClassUnavailable
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return collyrobots.ClassUnavailable
	}
	return collyrobots.ClassRules
}
