// Package solution is one way to solve the task of lesson 8.
package solution

import (
	"encoding/json"
	"os"

	"github.com/collyetiquette/etiquette/killswitch"
)

// Stop adds a rule to the stop file, and replaces the file in one step.
func Stop(file, domain, reason, ticket string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var stops struct {
		Version int               `json:"version"`
		Rules   []killswitch.Rule `json:"rules"`
	}
	if err := json.Unmarshal(text, &stops); err != nil {
		return err // a file that cannot be read is not written over: it may hold stops
	}
	stops.Rules = append(stops.Rules, killswitch.Rule{ID: ticket, Domain: domain, Reason: reason, Ticket: ticket})
	if text, err = json.Marshal(stops); err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
