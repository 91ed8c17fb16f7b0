package throttle

import "time"

// Source says where a host's interval comes from.
type Source string

// The sources.
const (
	FromRule       Source = "rule"        // a LimitRule, or the default where none matches
	FromCrawlDelay Source = "crawl_delay" // robots.txt
	FromBlock      Source = "block"       // a 429 or 503
)

// interval is the gap to keep between two requests to a host, and where it comes from. A crawl delay is a floor under the rule's delay, never
// permission to go faster. blockLeft is how long a block still lasts.
func interval(ruleDelay, crawlDelay, blockLeft time.Duration) (time.Duration, Source) {
	d, from := ruleDelay, FromRule
	if crawlDelay > d {
		d, from = crawlDelay, FromCrawlDelay
	}
	if blockLeft > d {
		d, from = blockLeft, FromBlock
	}
	return d, from
}
