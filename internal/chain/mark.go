package chain

import (
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// Admission marks a request so that the wire knows whether a callback of ours saw it: only then will our OnError see its error, and may name the
// *colly.Request it belongs to. A plain clone runs no callback and has no mark. The mark is url.URL.OmitHost, which means nothing for a URL that
// has a host, on the URL object that callback and wire share; a header would be visible to the server if it ever slipped through. It is written
// once, before any callback of the user runs, and never taken away: the URL may be read by then.

func setMark(u *url.URL) { u.OmitHost = true }

func marked(u *url.URL) bool { return u.OmitHost }

// notes are about single URL objects, for the few requests that need one. A note does not keep its URL alive.
type notes struct {
	m sync.Map // weak.Pointer[url.URL] -> struct{}
	n atomic.Int64
}

func (n *notes) put(u *url.URL) {
	key := weak.Make(u)
	if _, known := n.m.LoadOrStore(key, struct{}{}); !known {
		n.n.Add(1)
		runtime.AddCleanup(u, func(key weak.Pointer[url.URL]) {
			n.m.Delete(key)
			n.n.Add(-1)
		}, key)
	}
}

func (n *notes) has(u *url.URL) bool {
	if n.n.Load() == 0 { // a weak pointer costs more than all else here
		return false
	}
	_, ok := n.m.Load(weak.Make(u))
	return ok
}

// throttledOnWire notes the URLs that were answered with 429 or 503 on the wire.
var throttledOnWire notes

// FromCache reports, in an OnResponseHeaders callback, whether an answer of 429 or 503 came out of Colly's page cache and not over the wire.
func FromCache(u *url.URL) bool { return !throttledOnWire.has(u) }
