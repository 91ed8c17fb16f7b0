package throttle

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// run is one call of Run.
type run struct {
	collector *colly.Collector
	end       context.CancelCauseFunc
}

// Run crawls what is queued and what its handlers add, with so many requests at once, and returns when nothing is left that can be handed out and
// none is under way. The collector must be attached to the frontier's Throttle, and must not have its Wait running. A collector with Async starts each
// request in a goroutine of its own; threads then only hand out, and when the queue is empty Run waits for all that is under way before it looks again.
//
// Run ends early with an error when ctx or the collector's own context ends, the Throttle or the frontier is closed, or the backing storage fails. It
// then waits for the requests under way, which follow the collector's context. In any case it puts back into the backing storage what was not handed
// out, and an error says what could not be; without one, it stays queued for a later Run.
func (f *Frontier) Run(ctx context.Context, c *colly.Collector, threads int) error {
	if threads < 1 {
		return fmt.Errorf("throttle: Run with %d threads: at least 1 is needed", threads)
	}
	ch := chain.Of(c)
	if ch == nil || ch.Layer(chain.Throttle) != chain.Layer(f.throttle.layer) {
		return errors.New("throttle: Run with a collector that this frontier's Throttle does not pace: call its Attach first")
	}
	if err := f.Init(); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	user := ch.FetchContext()
	defer context.AfterFunc(user, func() { end(context.Cause(user)) })()

	f.Refilter()
	r := &run{collector: c, end: end}
	var workers sync.WaitGroup
	for range threads {
		workers.Go(func() { f.work(ctx, r) })
	}
	workers.Wait()
	err := context.Cause(ctx)
	if err == errEmpty {
		err = nil
	}
	return errors.Join(err, f.putBack())
}

// work hands out requests until the run ends.
func (f *Frontier) work(ctx context.Context, r *run) {
	for {
		it, b, err := f.next(ctx, r)
		if err != nil {
			r.end(err)
			return
		}
		f.done(b, f.do(r.collector, it))
	}
}

// do performs one request. It reports whether that is still on its way, in a goroutine of Colly's.
func (f *Frontier) do(c *colly.Collector, it item) (underWay bool) {
	req, err := c.UnmarshalRequest([]byte(it))
	if err == nil {
		err = req.Do()
	}
	if err != nil { // OnError has heard of what was sent and what was refused; the rest is a URL already visited, or one that a filter of Colly's keeps out
		f.throttle.teller.Log().Debug("throttle: a queued request was not fetched", "err", err)
	}
	return err == nil && c.Async
}

// done ends a hand-out of Run. One that is still under way has until handOutFor to reach its host's line.
func (f *Frontier) done(b *backlog, underWay bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active--
	if underWay || f.backlogs[b.host] != b {
		f.ring()
		return
	}
	f.arrived(b)
	f.mark(b)
}
