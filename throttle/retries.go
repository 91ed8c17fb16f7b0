package throttle

import (
	"io"
	"net/http"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// repeat asks again, after the block, for what was answered 429 or 503: as often as Options.Retries says, and only what is safe to ask twice. Each time
// is a hop of its own from the top of the chain, so a stop, fresh rules and the block are looked at. The count is the request's own: colly.Context is
// shared by a page and all its children. It runs inside the request, so Collector.Wait waits for it.
func (t *Throttle) repeat(h *chain.Hop, resp *http.Response) (*http.Response, error) {
	if t.opts.Retries == 0 || h.IsRobots() || h.Method() != http.MethodGet && h.Method() != http.MethodHead {
		return resp, nil
	}
	given := resp.Request
	if given.Body != nil && given.Body != http.NoBody {
		return resp, nil
	}
	if _, inside := t.repeating.LoadOrStore(given, true); inside {
		return resp, nil // this hop is a repetition; the one that repeats counts
	}
	defer t.repeating.Delete(given)
	for range t.opts.Retries {
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be used again
		_ = resp.Body.Close()
		var err error
		if resp, err = h.Again(); err != nil || !throttled(resp.StatusCode) {
			return resp, err
		}
	}
	return resp, nil
}
