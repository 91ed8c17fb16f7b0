package throttle

import (
	"math"
	"sync/atomic"
)

// never is the end of what has none.
const never = math.MaxInt64

// quota counts what is sent, over all hosts, up to Options.MaxRequests. A request counts from its start, so that no two take the last place, and no
// longer if it is not sent after all.
type quota struct {
	limit int64 // 0: none
	used  atomic.Int64
}

// spent reports whether no page may be sent any more.
func (q *quota) spent() bool { return q.limit > 0 && q.used.Load() >= q.limit }

// take counts a request, or reports that there is no room for it. There always is for a robots.txt.
func (q *quota) take(robots bool) bool {
	if q.limit == 0 {
		return true
	}
	for {
		n := q.used.Load()
		if n >= q.limit && !robots {
			return false
		}
		if q.used.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// giveBack takes back a request that was not sent.
func (q *quota) giveBack() {
	if q.limit > 0 {
		q.used.Add(-1)
	}
}
