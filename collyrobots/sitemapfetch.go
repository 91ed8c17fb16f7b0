package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
)

// sitemapTime is how long one request for a sitemap may be on the wire, its answer read.
const sitemapTime = 5 * time.Minute

// sitemapKey marks the context of a request for a sitemap: opt-outs of use do not concern it.
type sitemapKey struct{}

func isSitemapHop(h *chain.Hop) bool { return h.Context().Value(sitemapKey{}) != nil }

// sitemapFetch fetches the sitemaps of one iteration.
type sitemapFetch struct {
	robots *Robots
	origin origin.Origin
	alone  *chain.Chain // for what no collector fetches: it judges, at least
}

// get reads the sitemap at u, following redirects to where it may lie. The error says why reading ended early, or did not begin.
func (f *sitemapFetch) get(ctx context.Context, u *url.URL, mayLie func(*url.URL) error) (file sitemapFile, err error) {
	defer catch(&err) // the base is the user's
	var prev *http.Response
	for hops := 0; ; hops++ {
		var to *url.URL
		file, to, prev, err = f.ask(ctx, u, prev)
		if to == nil {
			return file, err
		}
		if hops == maxHops {
			return file, fmt.Errorf("it leads through more than %d redirects", maxHops)
		}
		if err := mayLie(to); err != nil {
			return file, fmt.Errorf("it leads to %.200s: %w", to, err)
		}
		u = to
	}
}

// ask sends one request. to is where it leads, by the redirect that it was answered with; nil: this was the answer.
func (f *sitemapFetch) ask(ctx context.Context, u *url.URL, prev *http.Response) (file sitemapFile, to *url.URL, by *http.Response, err error) {
	o, err := origin.Of(u)
	if err != nil {
		return file, nil, nil, err
	}
	w := f.way(o)
	if w.chain.DomainDisallowed(u.Hostname()) {
		return file, nil, nil, fmt.Errorf("%s is in DisallowedDomains", u.Hostname())
	}
	ctx, stop := f.lifeOf(ctx, w)
	defer stop()
	r := w.request(ctx, u, o, f.previous(u, o, prev))
	r.Header["Accept"] = []string{"application/xml, text/xml;q=0.9, text/plain;q=0.8, */*;q=0.5"}
	resp, err := w.chain.Send(r)
	if err != nil {
		return file, nil, nil, causeOf(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch meaningOf(resp.StatusCode, false) {
	case meansRules:
		if e := strings.ToLower(trimSpace(resp.Header.Get("Content-Encoding"))); e != "" && e != "identity" && e != "gzip" && e != "x-gzip" {
			return file, nil, nil, errEncoding
		}
		file, err = readSitemap(resp.Body, sitemapLimit)
		return file, nil, nil, causeOf(ctx, err)
	case meansEmpty:
		return file, nil, nil, nil
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be used again
	if meaningOf(resp.StatusCode, false) == meansRedirect {
		a := &answer{status: resp.StatusCode, header: resp.Header}
		to, err = a.target(u)
		return file, to, resp, err
	}
	return file, nil, nil, errors.New(answered(resp.StatusCode))
}

// way is how requests to an origin go. Where no collector fetches, a chain of one judges them.
func (f *sitemapFetch) way(o origin.Origin) way {
	s := f.robots.cache.get(o)
	w, ok := s.lastWay()
	if !ok {
		w = f.robots.wayTo(s.origin)
	}
	if w.chain == f.robots.alone {
		w.chain = f.alone
	}
	return w
}

// previous is the answer that has led to u. A stranger has chosen the sitemaps that lie on another host: they count as redirects from a public
// place, so that they do not lead into a private network.
func (f *sitemapFetch) previous(u *url.URL, o origin.Origin, prev *http.Response) *http.Response {
	if prev != nil || o.Host() == f.origin.Host() || origin.IsPrivateLiteral(f.origin.Host()) {
		return prev
	}
	return &http.Response{Request: &http.Request{Method: http.MethodGet, URL: u}}
}

// lifeOf is the context of one request: it ends with the caller's and with that of the collector that sends, and some time after the request has
// begun to look for a connection. It has no deadline that shows, for the chain takes one for the timeout of a client.
func (f *sitemapFetch) lifeOf(ctx context.Context, w way) (context.Context, func()) {
	life, cancel := context.WithCancelCause(withoutDeadline{context.WithValue(ctx, sitemapKey{}, true)})
	unhook := context.AfterFunc(w.user, func() { cancel(context.Cause(w.user)) })
	var timer *time.Timer
	var once sync.Once
	traced := httptrace.WithClientTrace(life, &httptrace.ClientTrace{GetConn: func(string) {
		once.Do(func() {
			timer = time.AfterFunc(sitemapTime, func() { cancel(fmt.Errorf("it was on the wire for more than %s", sitemapTime)) })
		})
	}})
	return traced, func() {
		unhook()
		once.Do(func() {})
		if timer != nil {
			timer.Stop()
		}
		cancel(nil)
	}
}

// causeOf is err, or why the context of its request has ended.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
