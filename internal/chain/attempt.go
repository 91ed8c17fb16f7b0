package chain

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// maxRedirects is how many redirects of one request are followed, whatever a redirect handler says: as many as browsers do. Without a limit, and
// with a timeout for each attempt, a loop would have no end.
const maxRedirects = 20

// attempt sends the hop. It is the innermost handler.
func (c *Chain) attempt(h *Hop) (*http.Response, error) {
	if h.ctx.Err() != nil {
		return nil, context.Cause(h.ctx.Context)
	}
	if h.trail.hops > maxRedirects {
		return nil, fmt.Errorf("etiquette: %s not sent: it comes after %d redirects", h.sent.Redacted(), maxRedirects)
	}
	if err := h.checkPrivate(); err != nil {
		h.refusedBy = itself
		return nil, err
	}
	base, own, err := c.base(h)
	if err != nil {
		h.refusedBy = itself
		return nil, err
	}
	h.copyRequest(own && h.proxy == nil)
	if err := h.rewind(); err != nil {
		return nil, err
	}
	h.onWire = true
	h.starting()
	resp, err := h.roundTrip(base)
	if err != nil {
		err = h.explain(err)
		h.finish(err)
		return nil, err
	}
	if resp == nil {
		err = fmt.Errorf("etiquette: the base transport %T returned neither an answer nor an error", base)
		h.finish(err)
		return nil, err
	}
	resp.Request = h.given
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	h.wrapBody(resp)
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		throttledOnWire.put(h.given.URL)
	}
	if willRedirect(resp) {
		if !own || h.proxy != nil {
			h.trace.public = !isPrivateLiteral(h.given.URL)
		}
		c.trails.leave(resp, trail{admitted: h.trail.admitted, public: h.trace.public, timeout: h.timeout, hops: h.trail.hops + 1})
		h.finishTurn(nil)
	} else if h.body.ReadCloser == http.NoBody {
		h.finish(nil)
	}
	return resp, nil
}

// starting lets who wants to know see that the hop is sent now, or once more, and starts the clock of the attempt.
func (h *Hop) starting() {
	for _, s := range h.chain.stack().starter {
		s.Starting(h)
	}
	h.startTimer()
}

// copyRequest makes the one copy that is sent. The request that was given is never changed.
func (h *Hop) copyRequest(judgeDialled bool) {
	header := h.out.Header
	if header == nil {
		header = h.given.Header
	}
	h.out = *h.given.WithContext(h.withTrace(judgeDialled))
	h.out.Header = header
	//lint:ignore SA1019 it belongs to the client's timeout, which the attempt keeps instead
	h.out.Cancel = nil
	h.out.Response = nil
	if f := h.chain.front; f != nil && f.DisableKeepAlives {
		h.out.Close = true // what SetProxyFunc asks for; the shared base is never written to
	}
}

// closeUnsent closes the body of a request that was not handed to the base, as an http.RoundTripper must.
func (h *Hop) closeUnsent() {
	if b := h.given.Body; b != nil && !h.onWire {
		_ = b.Close()
	}
}

// drop reads nothing more of a response and lets its hop end.
func drop(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	_ = resp.Body.Close()
}
