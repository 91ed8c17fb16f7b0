package collyrobots

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
)

// SignalsOf is what a site says of the use of a page that Colly has fetched: its robots.txt, the answer's header and, if it is HTML, its head.
// robots.txt counts as it is known at the moment of the call: call it in a callback, and keep the result if you keep the page. It fetches
// nothing.
//
// Whose signals count is known from the Robots that the page's collector was attached to; without one it is the product token of the
// User-Agent, and no robots.txt is known. It is safe for concurrent use.
func SignalsOf(page *colly.Response) Signals {
	if page == nil || page.Request == nil || page.Request.URL == nil {
		return Signals{}
	}
	var s Signals
	var a agents
	r, ch := robotsOf(page.Request)
	header := headerOf(page.Request.Headers)
	if r == nil {
		a = agentsOf(first(header, "User-Agent"), nil)
	} else {
		c := r.crawlerOf(identityToken(ch, page.Request.URL), header)
		a = agents{own: c.token, also: r.options.AlsoObey}
		s = r.signalsKnown(page.Request, c.token)
	}
	now := time.Now()
	answer := headerOf(page.Headers)
	said := headerSignals(answer, a, now)
	s.merge(&said)
	if html, xhtml := isHTML(answer, page.Body); html {
		said = htmlSignals(page.Body, a, now, xhtml)
		s.merge(&said)
	}
	return s
}

func headerOf(h *http.Header) http.Header {
	if h == nil {
		return nil
	}
	return *h
}

// signalsKnown is what memory knows of a request's robots.txt. Its origin is that of the Host that was sent. After a redirect Colly keeps the first
// request's Host: then the URL's own is known.
func (r *Robots) signalsKnown(req *colly.Request, token string) Signals {
	sent := *req.URL
	for _, host := range []string{req.URL.Host, req.Host} {
		sent.Host = host
		o, err := origin.Of(&sent)
		if err != nil {
			continue
		}
		if s := r.cache.peek(o); s != nil && s.state.Load() != nil {
			return r.signalsIn(s.state.Load(), s.origin, token, &sent)
		}
	}
	return Signals{}
}

// identityToken is the product token that package identity gives for u; empty where it is not attached.
func identityToken(ch *chain.Chain, u *url.URL) string {
	for _, l := range ch.Layers() {
		if t, ok := l.(chain.Tokener); ok {
			return t.ProductToken(u)
		}
	}
	return ""
}

// isHTML reports whether Colly takes an answer for a page of HTML.
func isHTML(h http.Header, body []byte) (html, xhtml bool) {
	contentType := h.Get("Content-Type")
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	contentType, _, _ = strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(contentType)) {
	case "text/html":
		return true, false
	case "application/xhtml+xml":
		return true, true
	}
	return false, false
}

// collectorField is where a colly.Request keeps its collector, for which Colly has no getter; -1 if this version keeps it elsewhere.
var collectorField = sync.OnceValue(func() int {
	f, ok := reflect.TypeFor[colly.Request]().FieldByName("collector")
	if !ok || f.Type != reflect.TypeFor[*colly.Collector]() {
		return -1
	}
	return f.Index[0]
})

// robotsOf is the Robots that judges the requests of a request's collector, and its chain; nil if there is none. A clone has that of the collector
// that it was cloned from.
func robotsOf(req *colly.Request) (*Robots, *chain.Chain) {
	i := collectorField()
	if req == nil || i < 0 {
		return nil, nil
	}
	c := (*colly.Collector)(reflect.ValueOf(req).Elem().Field(i).UnsafePointer())
	ch := chain.Of(c)
	if ch == nil {
		return nil, nil
	}
	l, ok := ch.Layer(chain.Robots).(layer)
	if !ok {
		return nil, nil
	}
	return l.Robots, ch
}
