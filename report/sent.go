package report

import "time"

// Source says where a promised interval comes from.
type Source string

// The sources.
const (
	FromDefault    Source = "default"     // no rule matched the host
	FromRule       Source = "rule"        // a rule that somebody wrote
	FromCrawlDelay Source = "crawl_delay" // robots.txt
	FromBlock      Source = "block"       // a 429 or 503
)

// Request is one request on the wire at the moment it is sent.
type Request struct {
	// Host is the host key: the name that is sent as Host, lower case, no port. Empty: the request is not counted.
	Host string
	// Time is when it was let go. Zero means now. With more than one request to a host in flight it should be the instant by which the gaps are kept:
	// what lies between that and this call looks like a shorter gap otherwise.
	Time time.Time
	// Interval is the gap that is promised between this page and the page before; zero: none. Source is where it comes from.
	Interval time.Duration
	Source   Source
	// CrawlDelay is what the host's robots.txt asks for. It is promised between any two requests, robots.txt included. Zero: nothing.
	CrawlDelay time.Duration
	// Robots says that robots.txt is asked for and no page.
	Robots bool
	// Secure says that it goes by https. Both schemes of a host share one pace.
	Secure bool
}

// Answer is how one request ended.
type Answer struct {
	Host   string // as in Request
	Status int    // 0: there was no answer
	Bytes  int64  // of the body, as far as it was read
}

// Sent counts a request and measures the gap before it. It is to be called at the moment of sending, for each hop, robots.txt included; it neither blocks nor
// allocates, but for what a host needs the first times, and costs a few times what reading the clock does.
func (r *Report) Sent(q Request) {
	if q.Host == "" {
		return
	}
	t := r.table()
	now := t.instant(q.Time)
	s := t.shard(q.Host)
	s.mu.Lock()
	s.of(q.Host, now).sent(now, &q)
	s.mu.Unlock()
}

// Ended counts the end of a request that Sent counted.
func (r *Report) Ended(a Answer) {
	if a.Host == "" {
		return
	}
	t := r.table()
	now := t.instant(time.Time{})
	s := t.shard(a.Host)
	s.mu.Lock()
	s.of(a.Host, now).ended(now, &a)
	s.mu.Unlock()
}
