package report

import "time"

// Skip is one request that was refused before it was sent. The zero value says nothing and is never recorded.
type Skip struct {
	Time   time.Time // when it was refused
	URL    string    // what was asked for, without a password; the query is whole, so use RedactURL before you log it
	Method string    // its method
	Host   string    // the name that would have been sent as Host: lower case, no port
	Reason Reason    // one of the constants of this package
	Detail string    // one sentence for people
	Line   int       // the line of robots.txt that decided, counted from 1; 0: none
	Rule   string    // that rule as it is matched, such as "disallow: /private/*"; empty: none
	// RetryAt is when the same request may be asked again with a chance to be sent. Zero: not known, perhaps never.
	RetryAt time.Time
	// Waited is how long the request waited before it was refused.
	Waited time.Duration
	// Referrer is the URL of the request that led here by a redirect. Empty: it was asked for directly.
	Referrer string
}

// Refusal is the error of every request that the pack refused to send: *collyrobots.RefusedError, *throttle.Error,
// *identity.Error, *killswitch.Error and the chain's own. Find it with errors.As, or with etiquette.Refused.
type Refusal interface {
	error
	Skip() Skip
}
