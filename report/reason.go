package report

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

// end is how a reason ends.
type end uint8

const (
	never    end = iota // asked again, the same request is refused again
	atRetry             // a person or the site said no: not before the skip's RetryAt
	byItself            // it passes, at the skip's RetryAt if that is known
)

// what is said of each reason: how it ends, and what it means to people who do not know the list.
var reasons = map[Reason]struct {
	end   end
	plain string
}{
	RobotsDisallowed:  {never, "robots.txt disallows it"},
	RobotsUnreachable: {byItself, "robots.txt cannot be read, so everything is disallowed"},
	CrawlDelayTooLong: {atRetry, "robots.txt asks for a longer gap than the crawl accepts"},
	RateLimited:       {byItself, "the host answered 429 or 503 and asked for a long wait"},
	AccessDenied:      {atRetry, "the host keeps saying no and is left alone"},
	RetryLimit:        {byItself, "the URL failed too often"},
	Stopped:           {atRetry, "a person stopped the host"},
	Identity:          {never, "it would have gone out under a wrong or unreachable name"},
	PrivateAddress:    {never, "a redirect leads to a private address"},
	OutsideHours:      {byItself, "the host is crawled at other hours"},
	Budget:            {byItself, "the budget of requests or bytes is spent"},
	QueueFull:         {byItself, "the queue had no room"},
	HostTableFull:     {byItself, "too many hosts owed a wait"},
	Bypassed:          {never, "it did not come through the pack"},
	OptOut:            {never, "the site opted out of the declared purpose"},
	Unwanted:          {never, "the policy does not take such content"},
}

// plain is what the reason means, in a few words.
func (r Reason) plain() string { return reasons[r].plain }
