package killswitch

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// ErrStopped matches, with errors.Is, the error of every request that a rule refused or ended.
var ErrStopped = errors.New("killswitch: stopped")

// ErrNotSaved matches the error of a Stop or Lift that the disk did not take. A stop is in force all the same until the process ends; a lift is not.
var ErrNotSaved = errors.New("killswitch: not saved")

// Error is the error of a request that a rule refused, or ended while it was under way. It matches ErrStopped.
type Error struct {
	Rule   Rule
	URL    string // what was asked for, without a password
	Method string
	Host   string // canonical
	Time   time.Time
	// Ended is true for a request that was under way when the rule came.
	Ended bool
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("killswitch: " + e.URL + " is stopped")
	if e.Ended {
		b.WriteString(", ended while under way")
	}
	fmt.Fprintf(&b, " (rule %s", e.Rule.ID)
	if e.Rule.Ticket != "" {
		fmt.Fprintf(&b, ", ticket %q", e.Rule.Ticket)
	}
	b.WriteByte(')')
	if e.Rule.Reason != "" {
		fmt.Fprintf(&b, ": %q", e.Rule.Reason)
	}
	if !e.Rule.Until.IsZero() {
		b.WriteString(": until " + e.Rule.Until.Format(time.RFC3339))
	}
	return b.String()
}

// Is makes the error match ErrStopped.
func (e *Error) Is(target error) bool { return target == ErrStopped }

// Skip implements report.Refusal.
func (e *Error) Skip() report.Skip {
	detail := "stopped"
	if e.Rule.Reason != "" {
		detail = e.Rule.Reason
	}
	if e.Rule.Ticket != "" {
		detail += " (" + e.Rule.Ticket + ")"
	}
	return report.Skip{Time: e.Time, URL: e.URL, Method: e.Method, Host: e.Host, Reason: report.Stopped, Detail: detail,
		Rule: e.Rule.ID + ": " + e.Rule.Scope(), RetryAt: e.Rule.Until}
}

func newError(e *entry, u *url.URL, method string) *Error {
	host, _ := origin.HostKey(u)
	return &Error{Rule: e.rule, URL: u.Redacted(), Method: method, Host: host, Time: time.Now()}
}
