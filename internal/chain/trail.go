package chain

import (
	"net/http"
	"runtime"
	"sync"
	"time"
	"weak"
)

// trail is what one hop leaves for the hop that its redirect leads to. net/http makes a fresh request for it and keeps nothing of ours but the
// response, so the trail is found by that.
type trail struct {
	admitted bool          // our OnRequest saw the first request, so our OnError will see its error
	public   bool          // the hop before went to a public address
	timeout  time.Duration // of the attempt, where the client's deadline has to be divided up
	hops     int           // redirects so far
	anew     int           // how often this hop was sent anew
}

// trails holds the trails of redirects that may still be followed. A key does not keep its response alive.
type trails struct {
	m sync.Map // weak.Pointer[http.Response] -> trail
}

func (t *trails) leave(resp *http.Response, tr trail) {
	key := weak.Make(resp)
	t.m.Store(key, tr)
	runtime.AddCleanup(resp, func(key weak.Pointer[http.Response]) { t.m.Delete(key) }, key)
}

// of is the trail that led to r. A redirect whose trail is lost counts as coming from a public address.
func (t *trails) of(r *http.Request) trail {
	if r.Response == nil {
		return trail{admitted: marked(r.URL)}
	}
	if tr, ok := t.m.Load(weak.Make(r.Response)); ok {
		return tr.(trail)
	}
	return trail{public: true}
}

// willRedirect reports whether net/http follows resp: its turn then ends with its headers (a redirect handler may still say no).
func willRedirect(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}

// firstOf is the request that the user made, before any redirect.
func firstOf(r *http.Request) *http.Request {
	for r.Response != nil && r.Response.Request != nil {
		r = r.Response.Request
	}
	return r
}
