package throttle

import (
	"errors"
	"fmt"
)

// Budget is how much of each host that it matches is asked for on one day; of several the first that matches counts, and a host that none matches has
// no such limit. A request beyond it waits for the next day, if that begins within Options.MaxBlockWait, or is refused (budget) with the beginning of that
// day as RetryAt, and later if the host has Hours. So a crawl that is larger than the budget goes on day after day: by itself if MaxBlockWait is a day, else
// when what was refused is asked again.
//
// A day begins at midnight UTC, and not with the first request: so all who share a budget agree on it without a word, owners find it in logs that are
// kept by the day, and a count is all that has to be remembered. What is owed between two requests is owed at midnight as well, so two days' budgets are
// never one burst; but Hours that pass midnight UTC hold parts of two.
//
// A request counts when it is sent, whatever comes of it; robots.txt and redirects count as any other. A body counts as it is read, in octets as they come
// out of Base: decompressed, where net/http asked for compression by itself. How large a body will be is not known when it is asked for, so the one with which
// the budget runs out is read to its end, and with Parallelism those beside it.
//
// With a StateDir the count outlives the process, and is one for all who share the directory, each of which must have the same Budgets. Without one, each
// of Options.Share processes gets its part.
type Budget struct {
	// DomainGlob and DomainRegexp match hosts as in a LimitRule. Both empty: every host. One that is asked on ports with different budgets keeps the
	// lesser of each limit.
	DomainGlob, DomainRegexp string
	// Requests is how many are sent on one day. Zero means no such limit.
	Requests int
	// Bytes is how many octets of bodies are read on one day. Zero means no such limit.
	Bytes int64
}

// budget is a Budget as it is kept.
type budget struct {
	pattern
	most tally
}

// mostTold is more than anybody asks for or reads on one day.
const mostTold = 1 << 60

// tally is a number of requests and of octets. As a limit, zero means none.
type tally struct{ requests, bytes int64 }

// add adds up, and stays between zero and more than anybody can ask for.
func (t *tally) add(o tally) {
	t.requests = min(max(t.requests+o.requests, 0), mostTold)
	t.bytes = min(max(t.bytes+o.bytes, 0), mostTold)
}

// reaches reports whether a limit is reached.
func (t tally) reaches(most tally) bool {
	return most.requests > 0 && t.requests >= most.requests || most.bytes > 0 && t.bytes >= most.bytes
}

func compileBudgets(o *Options) ([]*budget, error) {
	var out []*budget
	for i := range o.Budgets {
		b, err := o.Budgets[i].compile(o)
		if err != nil {
			return nil, fmt.Errorf("throttle: Options.Budgets[%d]%w", i, err)
		}
		out = append(out, b)
	}
	return out, nil
}

func (b *Budget) compile(o *Options) (c *budget, err error) {
	c = &budget{most: tally{int64(b.Requests), b.Bytes}}
	switch {
	case b.Requests < 0:
		return nil, fmt.Errorf(".Requests %d is negative: zero means no limit", b.Requests)
	case b.Bytes < 0:
		return nil, fmt.Errorf(".Bytes %d is negative: zero means no limit", b.Bytes)
	case b.Requests == 0 && b.Bytes == 0:
		return nil, errors.New(": it limits nothing: say Requests or Bytes")
	}
	if n := int64(o.processes()); o.StateDir == "" && n > 1 {
		switch {
		case b.Requests > 0 && c.most.requests < n:
			return nil, fmt.Errorf(".Requests %d is too little for Options.Share %d processes: give them one StateDir", b.Requests, n)
		case b.Bytes > 0 && c.most.bytes < n:
			return nil, fmt.Errorf(".Bytes %d is too little for Options.Share %d processes: give them one StateDir", b.Bytes, n)
		}
		c.most.requests, c.most.bytes = c.most.requests/n, c.most.bytes/n
	}
	c.pattern, err = compilePattern(b.DomainGlob, b.DomainRegexp)
	return c, err
}
