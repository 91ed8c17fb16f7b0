package collyrobots

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
)

// site is one origin in memory.
type site struct {
	origin origin.Origin
	state  atomic.Pointer[state] // nil: nothing is known
	route  atomic.Pointer[route] // how the last request for it went; nil: there was none
	used   atomic.Int64          // when, in Unix nanoseconds
	bytes  atomic.Int64

	mu     sync.Mutex // guards what follows
	flight *flight    // the fetch under way, or nil
	gone   bool       // no longer in the cache
}

// owes reports whether robots.txt is unreachable and must not be asked for yet.
func (s *site) owes(now time.Time) bool {
	st := s.state.Load()
	return st != nil && st.failure != nil && st.failure.Class == ClassUnreachable && now.Before(st.failure.RetryAt)
}

// route is how an origin is reached, taken from the last request for it: its robots.txt goes the same way, to the same address, through the
// same proxy, under the same name. It never changes; another takes its place. What is known of an origin outlives the collectors that asked
// for it, so a route keeps none of them alive.
type route struct {
	through weak.Pointer[chain.Chain]
	user    context.Context // of who asked: no request's own, and live; what is fetched ends with it
	dialled string          // host and port of the URL's own
	host    string          // the Host that is sent
	from    string          // the From header; empty: none
	crawler *crawler
}

// way is a route that can be taken now: it keeps the chain alive.
type way struct {
	*route
	chain *chain.Chain
}

// note keeps the way that a hop takes, and returns it.
func (s *site) note(h *chain.Hop, c *crawler) way {
	user, dialled, host, from := userOf(h), h.Dialled().Host, h.URL().Host, first(h.Header(), "From")
	old := s.route.Load()
	if old != nil && old.through.Value() == h.Chain() && old.crawler == c && old.dialled == dialled && old.host == host && old.from == from &&
		old.user.Done() == user.Done() { // contexts of any type may not be comparable
		return way{old, h.Chain()}
	}
	rt := &route{weak.Make(h.Chain()), user, dialled, host, from, c}
	s.route.Store(rt)
	return way{rt, h.Chain()}
}

// userOf is the context that a fetch on behalf of h lives in. A plain client's request has one of its own, which ends with it: a fetch that others
// wait for too cannot live there. Each request of a collector carries colly.CheckRevisitKey.
func userOf(h *chain.Hop) context.Context {
	if h.Context().Value(colly.CheckRevisitKey) == nil {
		return h.Chain().FetchContext()
	}
	return h.UserContext()
}

// lastWay is how the last request for s went; false: there was none, or nothing can be fetched that way any more.
func (s *site) lastWay() (way, bool) {
	rt := s.route.Load()
	if rt == nil {
		return way{}, false
	}
	w := way{rt, rt.through.Value()}
	return w, w.chain != nil && w.ended() == nil
}

// ended is why nothing can be fetched this way any more: the context of the collector's user has ended.
func (rt *route) ended() error { return context.Cause(rt.user) }

// first is h.Get(key) for a key in canonical form.
func first(h http.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// request is the request for robots.txt, or for the place that it was redirected to. It carries who we are and what we take, and nothing of
// what the user's requests carry.
func (rt *route) request(ctx context.Context, u *url.URL, here origin.Origin, prev *http.Response) *http.Request {
	r := (&http.Request{
		Method: http.MethodGet, URL: u, Header: http.Header{"Accept": {"text/plain, */*;q=0.5"}},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: u.Host, Response: prev,
	}).WithContext(ctx)
	if o, err := origin.Of(u); err == nil && o == here && rt.dialled != u.Host {
		dialled := *u
		dialled.Host = rt.dialled
		r.URL = &dialled
	}
	if rt.crawler.sendsUserAgent {
		r.Header["User-Agent"] = []string{rt.crawler.userAgent}
	}
	if rt.from != "" {
		r.Header["From"] = []string{rt.from}
	}
	return r
}
