package chain

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// serve takes one request through the chain. user is the live context that it follows.
func (c *Chain) serve(r *http.Request, user context.Context, robots bool) (*http.Response, error) {
	return c.run(c.newHop(r, user, robots))
}

func (c *Chain) run(h *Hop) (*http.Response, error) {
	c.flying.Add(1)
	defer c.flying.Add(-1)
	defer h.finishIfPanicking()
	if u := h.given.URL; u.Opaque != "" {
		h.refusedBy = itself
		return c.fail(h, newBypass(u, h.Method(), "its URL.Opaque is set, so that another address could be asked than the one that is judged"))
	}
	var resp *http.Response
	err := c.recall(h)
	if err == nil {
		resp, err = c.stack().handle(h)
	}
	if err == nil {
		h.returned = true
		return resp, nil
	}
	if err == errAnew && h.trail.anew < mostAnew {
		h.returned = true
		return c.run(h.anew())
	}
	if resp != nil && resp.Body != nil { // a layer that judged the headers and refused the rest
		drop(resp)
	}
	return c.fail(h, err)
}

// fail ends a hop that has no answer, and remembers and tells a refusal.
func (c *Chain) fail(h *Hop, err error) (*http.Response, error) {
	h.returned = true
	h.closeUnsent()
	h.finish(err)
	ref, recalled := err.(*refused)
	if !recalled {
		var ok bool
		if ref, ok = h.newRefused(err); !ok {
			return nil, err
		}
		if !h.robot {
			c.remember(h, ref)
		}
	}
	if !h.trail.admitted {
		ref.tell(nil)
	}
	return nil, ref
}

func (c *Chain) newHop(r *http.Request, user context.Context, robots bool) *Hop {
	return c.newHopAfter(r, user, robots, c.trails.of(r))
}

func (c *Chain) newHopAfter(r *http.Request, user context.Context, robots bool, tr trail) *Hop {
	h := &Hop{chain: c, given: r, user: user, sent: sentURL(r.URL, r.Host), robot: robots, header: r.Header, trail: tr}
	h.from, h.noOrigin = origin.Of(h.sent)
	h.ctx = hopContext{given: r.Context(), hop: h}
	h.ctx.Context, h.cancel = context.WithCancelCause(user)
	h.token = c.stack().token(h.sent)
	h.setTimeout()
	return h
}

// sentURL is u with the Host that is really sent in place of its own.
func sentURL(u *url.URL, host string) *url.URL {
	if host == "" || host == u.Host {
		return u
	}
	sent := *u
	sent.Host = host
	return &sent
}

// Fetch sends the pack's own request for a robots.txt: it enters the chain at the top like any other, with the same proxy, and only the robots
// layer lets it pass unjudged. Its context must be live; FetchContext makes one. Redirects are not followed.
//
// An error of a request that never reached the base is an *UnsentError.
func (c *Chain) Fetch(r *http.Request) (*http.Response, error) {
	h := c.newHop(r, r.Context(), true)
	resp, err := c.run(h)
	if err != nil && !h.onWire {
		err = &UnsentError{err}
	}
	return resp, err
}

// UnsentError is the error of a request of the pack's own that was not sent: it says nothing about the site.
type UnsentError struct{ Err error }

func (e *UnsentError) Error() string { return e.Err.Error() }
func (e *UnsentError) Unwrap() error { return e.Err }

// FetchContext is a context that ends with the user's context of this chain, for requests that no single request of the user owns.
func (c *Chain) FetchContext() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.user == nil {
		return context.Background()
	}
	return c.user
}

// UserContext is the context that the request's user gave: live, and not ended with the hop.
func (h *Hop) UserContext() context.Context { return h.user }

// Again sends a GET or HEAD anew: a fresh hop of the same request, through the whole chain from the top. The hop that it is called on must have
// ended; the caller returns the new answer in place of its own.
func (h *Hop) Again() (*http.Response, error) {
	return h.chain.run(h.chain.newHopAfter(h.given, h.user, h.robot, h.trail))
}

// errPanicked ends a hop whose layer or base panicked, so that its turn is not lost with it.
var errPanicked = errors.New("etiquette: a panic passed the chain")

func (h *Hop) finishIfPanicking() {
	if !h.returned {
		h.finish(errPanicked)
	}
}
