package report

import "time"

// Reason says why a request was not sent. The list is closed: a program may switch over it.
type Reason string

// The reasons, each with the part that gives it.
const (
	RobotsDisallowed  Reason = "robots_disallowed"    // collyrobots: a rule of robots.txt disallows the URL (RFC 9309, 2.2.2)
	RobotsUnreachable Reason = "robots_unreachable"   // collyrobots: robots.txt cannot be read, so everything is disallowed (RFC 9309, 2.3.1.4)
	CrawlDelayTooLong Reason = "crawl_delay_too_long" // throttle: robots.txt asks for a longer gap than the crawl accepts
	RateLimited       Reason = "rate_limited"         // throttle: the host answered 429 or 503 and the block lasts too long to wait for
	AccessDenied      Reason = "access_denied"        // throttle: the host keeps saying no and is left alone
	RetryLimit        Reason = "retry_limit"          // throttle: the URL failed too often
	Stopped           Reason = "stopped"              // killswitch: a person stopped the host
	Identity          Reason = "identity"             // identity: the request would go out under a wrong or unreachable name
	PrivateAddress    Reason = "private_address"      // chain: a redirect leads from a public to a private address
	OutsideHours      Reason = "outside_hours"        // throttle: the host is crawled at other hours
	Budget            Reason = "budget"               // throttle: the budget of requests or bytes is spent
	QueueFull         Reason = "queue_full"           // throttle: the frontier has no room
	HostTableFull     Reason = "host_table_full"      // throttle: too many hosts owe a wait
	Bypassed          Reason = "bypassed"             // chain: the request did not come through the chain
	OptOut            Reason = "opt_out"              // collyrobots: the site opted out of the declared purpose
	Unwanted          Reason = "unwanted"             // etiquette: the policy does not take such content
)

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
