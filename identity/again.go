package identity

import (
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// again remembers which requests were refused for their header. The header is not known before the last callback has run, so whether the cause is gone
// can only be seen by letting the same request come once more; nothing is sent for that. But a scraper that asks again in OnError without a bound, with
// the callback still in place, must come to an end: after a few looks in a row, the next one comes a second later, then two.
type again struct {
	size atomic.Int64 // so that a crawl without refusals pays nothing

	mu sync.Mutex // guards m
	m  map[string]looks
}

type looks struct {
	n    int // in a row
	last time.Time
}

const (
	freeLooks = 10
	longest   = time.Minute // between two looks
	maxLooks  = 10_000      // requests that are remembered
)

func lookKey(method string, u *url.URL) string { return method + " " + u.String() }

// refused notes that a request came with a wrong header once more.
func (a *again) refused(method string, u *url.URL) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.m == nil || len(a.m) >= maxLooks {
		a.m = make(map[string]looks)
	}
	key := lookKey(method, u)
	a.m[key] = looks{a.m[key].n + 1, time.Now()}
	a.size.Store(int64(len(a.m)))
}

// right notes that it came with the right one.
func (a *again) right(method string, u *url.URL) {
	if a.size.Load() == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.m, lookKey(method, u))
	a.size.Store(int64(len(a.m)))
}

// holds reports whether it is too soon for another look.
func (a *again) holds(method string, u *url.URL) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.m[lookKey(method, u)]
	if l.n < freeLooks {
		return false
	}
	wait := longest
	if shift := l.n - freeLooks; shift < 6 {
		wait = time.Second << shift
	}
	return time.Since(l.last) < wait
}

// Holds implements chain.Holder: whether the cause of an earlier refusal is still there. Behind a redirect each look would cost the site a request.
func (l *layer) Holds(a chain.Admission, s report.Skip) bool {
	return l.id.unreachable(a.URL, a.Dialled) != nil || s.Referrer != "" || l.again.holds(a.Method, a.URL)
}

// carriedOver reports whether the header is that of a browser-like host whose redirect led here: net/http gives every hop the header of the first.
func (l *layer) carriedOver(h *chain.Hop) bool {
	for resp := h.Previous(); resp != nil && resp.Request != nil; resp = resp.Request.Response {
		if l.id.declared(sentTo(resp.Request)).browserLike {
			return true
		}
	}
	return false
}

// sentTo is the URL of a request with the Host that was sent.
func sentTo(r *http.Request) *url.URL {
	if r.Host == "" || r.Host == r.URL.Host {
		return r.URL
	}
	u := *r.URL
	u.Host = r.Host
	return &u
}
