package chain

import "net/http"

// Send sends a request of the pack's own that is no robots.txt, a sitemap say: it enters the chain at the top and is judged, paced, identified and
// told like one of the user's, with the same proxy. Its context must be live. Redirects are not followed: the caller follows, with Response set
// to the answer before.
func (c *Chain) Send(r *http.Request) (*http.Response, error) {
	return c.serve(r, r.Context(), false)
}
