package throttle

import "time"

// longestInterval is more than anybody waits for; beyond it, sums of instants would overflow.
const longestInterval = 10 * 365 * 24 * time.Hour

// processes is how many processes ask the same hosts.
func (o *Options) processes() int { return max(1, o.Share) }

// shared is what this process keeps of an interval that all processes keep together.
func (o *Options) shared(d time.Duration) time.Duration {
	if n := time.Duration(o.processes()); d > longestInterval/n {
		return longestInterval
	}
	return d * time.Duration(o.processes())
}
