package report

import "time"

// tally is what is known of one host. Its shard's mutex guards it. Instants are nanoseconds since the epoch of the table, zero is never.
type tally struct {
	name string
	sums
	first, last    int64 // anything at all
	sentAt, pageAt int64 // the latest request, and the latest that was no robots.txt

	interval time.Duration // that was promised last
	source   Source
	gaps     gaps
	strip    strip
	breaches []breach
	holds    holds
	skips    skipCounts
}

// sums are what can be added up over hosts.
type sums struct {
	requests, robots, secure int
	bytes                    int64
	answers                  Answers
	measured                 int // gaps, after robots.txt included
	broken                   int
	brokenDelays             int // of these, crawl delays
	brokenBlocks             int // and blocks
	skipped                  int
	blocks, parkings, stops  int
}

func (s *sums) add(o *sums) {
	s.requests += o.requests
	s.robots += o.robots
	s.secure += o.secure
	s.bytes += o.bytes
	s.answers.add(&o.answers)
	s.measured += o.measured
	s.broken += o.broken
	s.brokenDelays += o.brokenDelays
	s.brokenBlocks += o.brokenBlocks
	s.skipped += o.skipped
	s.blocks += o.blocks
	s.parkings += o.parkings
	s.stops += o.stops
}

// sent takes in a request. Two that are told in the wrong order are as far apart as they are.
func (t *tally) sent(now int64, q *Request) {
	t.seen(now)
	t.requests++
	if q.Secure {
		t.secure++
	}
	p := t.judge(now, q)
	if p.promised > 0 {
		t.measured++
	}
	if p.kept < p.promised {
		t.broke(p)
	}
	t.strip.add(newMark(p, q.Robots))
	t.sentAt = max(t.sentAt, now)
	if q.Robots {
		t.robots++
		return
	}
	if t.pageAt > 0 {
		t.gaps.add(distance(now, t.pageAt))
	}
	t.pageAt = max(t.pageAt, now)
	t.interval, t.source = q.Interval, q.Source
}

// judge measures the gap before a request against what was promised: the first promise that was broken, else the last that was kept. Promised is zero if
// nothing was.
func (t *tally) judge(now int64, q *Request) breach {
	p := breach{at: now}
	if h := t.holds.block(now); h != nil {
		p.kept, p.promised, p.source = time.Duration(now-h.from), time.Duration(h.until-h.from), FromBlock
		return p
	}
	if q.CrawlDelay > 0 && t.sentAt > 0 { // robots.txt waits for it too, and is waited for
		p.kept, p.promised, p.source = distance(now, t.sentAt), q.CrawlDelay, FromCrawlDelay
	}
	if !q.Robots && q.Interval > 0 && t.pageAt > 0 && p.kept >= p.promised {
		p.kept, p.promised, p.source = distance(now, t.pageAt), q.Interval, q.Source
	}
	return p
}

// ended takes in an answer.
func (t *tally) ended(now int64, a *Answer) {
	t.seen(now)
	t.bytes += max(a.Bytes, 0)
	t.answers.count(a.Status)
}

func (t *tally) seen(now int64) {
	if t.first == 0 || now < t.first {
		t.first = now
	}
	t.last = max(t.last, now)
}

// owes reports whether a gap would go unmeasured if the host were forgotten now.
func (t *tally) owes(now int64) bool {
	return t.pageAt > 0 && now-t.pageAt < int64(t.interval) || t.holds.current(now) != nil
}

func distance(a, b int64) time.Duration {
	if a < b {
		a, b = b, a
	}
	return time.Duration(a - b)
}
