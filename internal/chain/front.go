package chain

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/gocolly/colly/v2"
)

// newFront makes the transport that the collector's client gets. It dials nothing: its registered protocols lead into the chain. It is an
// *http.Transport because Colly's SetProxyFunc then sets fields on it instead of throwing it away.
func newFront(c *Chain, schemes []string) *http.Transport {
	t := &http.Transport{
		Proxy: proxyOfDefault,
		// Not nil, so that net/http does not register HTTP/2 for https in our place.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	entry := &entrance{c}
	t.RegisterProtocol("http", entry)
	t.RegisterProtocol("https", entry)
	known := map[string]bool{"http": true, "https": true}
	for _, s := range schemes {
		if s = strings.ToLower(s); !known[s] {
			known[s] = true
			t.RegisterProtocol(s, &sideDoor{c})
		}
	}
	return t
}

// entrance is where a collector's requests enter the chain.
type entrance struct{ chain *Chain }

func (e *entrance) RoundTrip(r *http.Request) (*http.Response, error) {
	dead := deadOf(r.Context())
	switch {
	case dead == nil && isCollyRobots(r):
		// Colly's own check was turned on again. It gets no rules and sends nothing; the chain decides.
		return localNotFound(r), nil
	case dead == nil:
		return e.bypassed(r, "the collector is a clone that is older than Attach, or its Context was replaced: use "+
			"etiquette.SetContext(c, ctx) in place of c.Context = ctx, and clone after Attach")
	case dead.fault != nil:
		closeBody(r)
		return nil, dead.fault
	case dead.chain != e.chain:
		return e.bypassed(r, "its context belongs to another collector's chain: attach each collector by itself")
	case e.chain.misled.has(firstOf(r).URL), r.Context().Done() != (<-chan struct{})(ended) && !clientDeadline(r):
		return e.bypassed(r, "the collector's Context was derived from the one that Attach made: use etiquette.SetContext(c, ctx) in place of c.Context = ctx")
	}
	return e.chain.serve(r, dead.user, false)
}

// clientDeadline reports whether it is the client's own timeout that put another context around ours: the client puts it around the value that
// Colly adds, whereas a child that the user made of c.Context lies within.
func clientDeadline(r *http.Request) bool {
	_, has := r.Context().Deadline()
	return has && reflect.TypeOf(r.Context()) != valueContext
}

var valueContext = reflect.TypeOf(context.WithValue(context.Background(), deadKey{}, nil))

func (e *entrance) bypassed(r *http.Request, detail string) (*http.Response, error) {
	closeBody(r)
	ref := &refused{cause: newBypass(sentURL(r.URL, r.Host), methodOf(r.Method), detail), layer: itself, chain: e.chain}
	ref.skip = ref.cause.(*BypassError).Skip()
	if !marked(firstOf(r).URL) {
		ref.tell(nil)
	}
	return nil, ref
}

// isCollyRobots recognises the request of Colly's own robots check: it is made without the key that each of Colly's page requests carries.
func isCollyRobots(r *http.Request) bool {
	first := firstOf(r)
	return first.Context().Value(colly.CheckRevisitKey) == nil && first.Method == http.MethodGet && first.URL.Path == "/robots.txt"
}

func localNotFound(r *http.Request) *http.Response {
	return &http.Response{
		Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r,
	}
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// sideDoor passes a scheme that is no web, such as file, to the user's base, outside the layers.
type sideDoor struct{ chain *Chain }

func (d *sideDoor) RoundTrip(r *http.Request) (*http.Response, error) {
	dead := deadOf(r.Context())
	base := d.chain.foreignBase()
	if dead == nil || dead.chain != d.chain || base == nil {
		closeBody(r)
		return nil, newBypass(r.URL, methodOf(r.Method), "the scheme needs "+baseField+" to serve it")
	}
	if fault := d.chain.stack().fault; fault != nil {
		closeBody(r)
		return nil, fault
	}
	if prev := r.Response; prev != nil && prev.Request != nil && (prev.Request.URL.Scheme == "http" || prev.Request.URL.Scheme == "https") {
		closeBody(r)
		return nil, newBypass(r.URL, methodOf(r.Method), "a redirect from the web leads to the scheme "+r.URL.Scheme)
	}
	ctx := &hopContext{Context: dead.user, given: r.Context()}
	resp, err := base.RoundTrip(r.Clone(ctx))
	if resp != nil {
		resp.Request = r
	}
	return resp, err
}
