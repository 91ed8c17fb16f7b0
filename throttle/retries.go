package throttle

import (
	"net/http"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// repeater is a hop that can be sent again from the top of its chain, so that a stop, fresh rules and the block are all looked at.
type repeater interface {
	// Repeat drops the answer and sends the request again as a hop of its own.
	Repeat(*http.Response) (*http.Response, error)
	// Repeats is how often the request was repeated before this hop.
	Repeats() int
}

// repeat asks again, after the block, for what was answered 429 or 503: as often as Options.Retries says, and only what is safe to ask twice. The
// count is the request's own: colly.Context is shared by a page and all its children. It runs inside the request, so Collector.Wait waits for it.
func (t *Throttle) repeat(h *chain.Hop, resp *http.Response) (*http.Response, error) {
	if t.opts.Retries == 0 || h.IsRobots() || h.Method() != http.MethodGet && h.Method() != http.MethodHead {
		return resp, nil
	}
	if given := resp.Request; given.Body != nil && given.Body != http.NoBody {
		return resp, nil
	}
	r, ok := any(h).(repeater)
	if !ok || r.Repeats() >= t.opts.Retries {
		return resp, nil
	}
	return r.Repeat(resp)
}
