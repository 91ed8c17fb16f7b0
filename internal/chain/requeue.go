package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// maxKept is how many refused requests are kept in memory so that they can be asked again.
const maxKept = 100_000

// keptRequest is what is needed to ask a refused GET or HEAD again.
type keptRequest struct {
	skip   report.Skip
	method string
	url    string
	header http.Header
	depth  int
	ctx    *colly.Context
	order  uint64 // as they were refused
}

// kept holds refused requests, so that a temporary refusal loses nothing.
type kept struct {
	mu   sync.Mutex
	all  map[memoryKey]keptRequest
	last uint64 // the order of the latest
	lost int
}

// keep keeps a skip's request and warns once when there is no room.
func (c *Chain) keep(r *colly.Request, s report.Skip) {
	if !c.kept.keep(r, s) {
		c.logger().Warn("etiquette: too many refused requests to keep them all: further ones cannot be asked again with Requeue", "kept", maxKept)
	}
}

// keep is false the first time that a request is lost for want of room.
func (k *kept) keep(r *colly.Request, s report.Skip) bool {
	if r == nil || r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != "" {
		return true
	}
	q := keptRequest{skip: s, method: methodOf(r.Method), url: r.URL.String(), header: r.Headers.Clone(), depth: r.Depth, ctx: r.Ctx}
	if r.Host != "" && r.Host != r.URL.Host {
		q.header.Set("Host", r.Host) // Colly takes the Host to send from here
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := memoryKey{q.method, q.url}
	if q.method == http.MethodGet {
		delete(k.all, memoryKey{http.MethodHead, q.url}) // CheckHead's own
	}
	if _, known := k.all[key]; !known && len(k.all) >= maxKept {
		k.lost++
		return k.lost > 1
	}
	if k.all == nil {
		k.all = make(map[memoryKey]keptRequest)
	}
	k.last++
	q.order = k.last
	k.all[key] = q
	return true
}

// take removes and returns the requests that were refused for one of the reasons: those that may be asked soonest first, and of these who was refused first. No reasons: those whose refusal has an end.
func (k *kept) take(reasons []report.Reason) []keptRequest {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []keptRequest
	for key, q := range k.all {
		if len(reasons) == 0 && q.skip.RetryAt.IsZero() || len(reasons) > 0 && !slices.Contains(reasons, q.skip.Reason) {
			continue
		}
		out = append(out, q)
		delete(k.all, key)
	}
	slices.SortFunc(out, func(a, b keptRequest) int {
		if d := a.skip.RetryAt.Compare(b.skip.RetryAt); d != 0 {
			return d
		}
		return cmp.Compare(a.order, b.order)
	})
	return out
}

func (k *kept) putBack(qs []keptRequest) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, q := range qs {
		key := memoryKey{q.method, q.url}
		if _, newer := k.all[key]; !newer {
			if k.all == nil {
				k.all = make(map[memoryKey]keptRequest)
			}
			k.all[key] = q
		}
	}
}

// Lost is how many refused requests could not be kept for want of room.
func (c *Chain) Lost() int {
	c.kept.mu.Lock()
	defer c.kept.mu.Unlock()
	return c.kept.lost
}

// Requeue asks again, through col, what was refused for one of the reasons; with no reasons, what was refused for a time. It waits for each
// RetryAt, blocks as Visit does, passes Colly's mark of visited URLs, and returns how many were asked. When ctx ends it returns its error, and
// what was not asked stays kept. What is refused anew is kept anew and not asked in the same call.
func (c *Chain) Requeue(ctx context.Context, col *colly.Collector, reasons ...report.Reason) (int, error) {
	template, err := emptyRequest(col)
	if err != nil {
		return 0, err
	}
	todo := c.kept.take(reasons)
	for i, q := range todo {
		if err := sleep(ctx, time.Until(q.skip.RetryAt)); err != nil {
			c.kept.putBack(todo[i:])
			return i, err
		}
		r := *template
		r.Method, r.Depth, r.Ctx = q.method, q.depth, q.ctx
		header := q.header.Clone()
		r.Headers = &header
		if r.URL, err = template.URL.Parse(q.url); err != nil {
			c.kept.putBack(todo[i+1:])
			return i, err
		}
		_ = r.Retry() // its error has reached OnError, as that of any Visit in a queue
	}
	return len(todo), nil
}

// emptyRequest is a request that belongs to col; Colly makes one only from its serialised form.
func emptyRequest(col *colly.Collector) (*colly.Request, error) {
	text, err := json.Marshal(map[string]any{"URL": "http://requeue.invalid/", "Method": http.MethodGet, "Headers": http.Header{}})
	if err != nil {
		return nil, err
	}
	r, err := col.UnmarshalRequest(text)
	if err != nil {
		return nil, err
	}
	r.Body = nil
	return r, nil
}
