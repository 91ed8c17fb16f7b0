// Package throttle decides when the next request to a host may start.
//
// Each host has a line of its own. A request starts when it is at the head of its host's line, the interval since the request before it has
// passed, no block is in force and the ceilings over all hosts and over its registered domain have room:
//
//	t, err := throttle.Attach(c, throttle.LimitRule{Delay: 2 * time.Second})
//
// A [LimitRule] has the fields of Colly's and means the same for one host. What differs: a rule for "*" paces every host by itself; redirect hops
// and robots.txt are paced too; a Crawl-delay of robots.txt is a floor under the rule's delay; a 429 or 503 stops the whole host for as long as it
// asks (RFC 9110, 10.2.3; RFC 6585, 4); and who waits can be cancelled.
//
// [Hours] say when a host may be asked, besides the Visit-time of its robots.txt, and a [Budget] how much of it on one day.
//
// What was refused is a [*Error] or a skip with one of the reasons crawl_delay_too_long, rate_limited, access_denied, retry_limit, outside_hours,
// budget, host_table_full and queue_full.
//
// A [Frontier] is a queue that hands out a URL when its host may be asked, so that a slow host holds no other up.
package throttle
