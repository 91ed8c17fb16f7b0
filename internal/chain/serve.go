package chain

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// serve takes one request through the chain. user is the live context that it follows.
func (c *Chain) serve(r *http.Request, user context.Context, robots bool) (*http.Response, error) {
	c.flying.Add(1)
	defer c.flying.Add(-1)
	h := c.newHop(r, user, robots)
	resp, err := c.recall(h)
	if err == nil && resp == nil {
		resp, err = c.stack().handle(h)
	}
	if err == nil {
		return resp, nil
	}
	if resp != nil && resp.Body != nil { // a layer that judged the headers and refused the rest
		drop(resp)
	}
	h.closeUnsent()
	h.finish(err)
	ref, recalled := err.(*refused)
	if !recalled {
		var ok bool
		if ref, ok = h.newRefused(err); !ok {
			return nil, err
		}
		if !robots {
			c.remember(h, ref)
		}
	}
	if !h.trail.admitted {
		ref.tell(nil)
	}
	return nil, ref
}

func (c *Chain) newHop(r *http.Request, user context.Context, robots bool) *Hop {
	h := &Hop{chain: c, given: r, sent: sentURL(r.URL, r.Host), robot: robots, header: r.Header, trail: c.trails.of(r)}
	h.ctx = hopContext{given: r.Context(), hop: h}
	h.ctx.Context, h.cancel = context.WithCancelCause(user)
	h.token = c.stack().token(h.sent)
	h.setTimeout(time.Now())
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
func (c *Chain) Fetch(r *http.Request) (*http.Response, error) {
	return c.serve(r, r.Context(), true)
}

// FetchContext is a context that ends with the user's context of this chain, for requests that no single request of the user owns.
func (c *Chain) FetchContext() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.user == nil {
		return context.Background()
	}
	return c.user
}
