package throttle

import "time"

const (
	firstBlock = 30 * time.Second // what a 429 without Retry-After earns
	lastBlock  = time.Hour        // what such blocks double up to
	quietTime  = 30 * time.Minute // how long after a block's end it is forgotten
	mostLevels = 64               // how often blocks are counted to have doubled
	cleanRun   = 10               // how many clean answers take back one level

	parkFor        = 24 * time.Hour // how long a host that says no, or does nothing else than block, is left alone
	longestBlock   = 24 * time.Hour // a Retry-After beyond it parks the host
	stallTime      = 15 * time.Minute
	stallIncidents = 5
)

// block is what a host's 429 and 503 answers earned it. Instants are nanoseconds since the throttle began.
type block struct {
	until, begun int64
	length       int64 // of the latest block
	since        int64 // of the incidents without a clean answer between them, the first
	incidents    uint16
	level        uint8 // how often blocks doubled
	clean        uint8 // clean answers since the latest incident or change of level
	probing      bool  // no clean answer since the latest block
}

// incident takes in a 429 or 503 for a request that started at the given instant. Answers to requests from before the block began are part of the
// incident that began it: they do not raise the level, but a Retry-After may still extend the block. A block is only ever extended.
func (b *block) incident(now, started int64, retryAfter, interval time.Duration, jitter float64) (extended bool) {
	fresh := b.begun == 0 || started > b.begun
	if fresh {
		b.forgive(now)
		if b.incidents == 0 {
			b.since = now
		}
		b.incidents++
		b.level = min(b.level+1, mostLevels)
		b.begun, b.probing, b.clean = now, true, 0
	}
	wait := retryAfter
	if wait <= 0 {
		if !fresh {
			return false
		}
		wait = backOff(b.level-1, interval)
	}
	until := now + int64(lengthen(wait, jitter))
	if until <= b.until {
		return false
	}
	b.until, b.length = until, until-now
	return true
}

// backOff is how long a block without a Retry-After lasts.
func backOff(level uint8, interval time.Duration) time.Duration {
	d := max(firstBlock, 10*min(interval, lastBlock))
	for ; level > 0 && d < lastBlock; level-- {
		d *= 2
	}
	return min(d, lastBlock)
}

// answered takes in a clean answer: the host is well again.
func (b *block) answered(now, started int64) {
	if b.level == 0 || started <= b.begun {
		return
	}
	b.forgive(now)
	b.probing, b.incidents = false, 0
	if b.clean++; b.clean >= cleanRun && b.level > 0 {
		b.level--
		b.clean = 0
	}
}

// forgive forgets incidents that are long enough ago. The quiet time begins when the block ends.
func (b *block) forgive(now int64) {
	if b.level > 0 && now >= b.quietAt() {
		b.level, b.incidents, b.clean, b.probing = 0, 0, 0, false
	}
}

// quietAt is when the host is forgiven if nothing happens until then.
func (b *block) quietAt() int64 { return b.until + max(int64(quietTime), b.length) }

// alone reports whether only one request may be under way: while the block is in force, and for the first request after it.
func (b *block) alone(now int64) bool { return now < b.until || b.probing && now < b.quietAt() }

// stalled reports that the host does nothing else than block.
func (b *block) stalled(now int64) bool {
	return b.incidents >= stallIncidents && now-b.since >= int64(stallTime)
}
