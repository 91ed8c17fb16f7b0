// Package task is the task of lesson 8. Its test tells you what is still wrong:
//
//	go test -tags task ./examples/course/08-kill-switch/task
package task

import (
	"fmt"
	"os"
)

// Stop writes into the stop file that a domain must be left alone, its subdomains too, with the reason and the number of the ticket. What the file says
// already stays in force. A crawl is reading the file while you write it, so it must never see half of a file. Each rule has an id of its own; the number of
// the ticket is a good one. So the file looks like this, and it may hold more rules, with other fields (killswitch.Rule has them all):
//
//	{"version": 1, "rules": [{"id": "OPS-1", "domain": "shop.test", "reason": "the owner asked by mail", "ticket": "OPS-1"}]}
//
// As it stands, it works once, for one host.
func Stop(file, domain, reason, ticket string) error {
	text := fmt.Sprintf(`{"version": 1, "rules": [{"id": "%s", "host": "%s", "reason": "%s"}]}`, ticket, domain, reason)
	return os.WriteFile(file, []byte(text), 0o600)
}
