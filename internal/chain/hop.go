package chain

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// Hop is one request on its way to the wire; a redirect is a new hop. It is made when net/http hands over the request and ends once: with the
// first of EOF, read error, Close, attempt timeout, the headers of a redirect that will be followed, or the error that kept it from being sent.
//
// The layers of one chain call a hop from one goroutine, one after the other; End may be called from any.
type Hop struct {
	chain    *Chain
	given    *http.Request // as net/http gave it; never changed
	sent     *url.URL      // given.URL with the Host that is sent
	from     origin.Origin // of sent, or
	noOrigin error         // why it has none
	user     context.Context
	robot    bool  // our own robots.txt request
	trail    trail // what the hops before it left

	ctx     hopContext
	waitCtx context.Context // ends a little before the client's own deadline; nil: there is none
	cancel  context.CancelCauseFunc

	header  http.Header   // given.Header until a layer changes it
	out     http.Request  // the one copy, made after the wait
	proxy   *url.URL      // what the front's proxy function said
	timeout time.Duration // of the attempt; zero: none
	trace   hopTrace
	body    hopBody

	crawlDelay    time.Duration
	hasCrawlDelay bool
	hours         Hours
	stretch       int
	token         string
	refusedBy     Layer
	onWire        bool // handed to the base
	returned      bool // RoundTrip came back, and did not panic

	notes    [Throttle]any
	deadline deadline   // the chain's deadlines guard it
	once     sync.Once  // the end
	mu       sync.Mutex // guards what follows
	over     bool
	resp     *http.Response
	endedBy  Layer
	ends     []Ender
	ends0    [2]Ender
}

// hopContext is a child of the user's context that reads its values from the context of the request that was given, so that traces, proxies and Colly's
// own keys are found although that context is dead. It was derived from the user's, and what it holds besides is nearer to the request.
type hopContext struct {
	context.Context // the cancellable child
	given           context.Context
	hop             *Hop
}

func (c *hopContext) Value(key any) any {
	if key == (hopKey{}) {
		return c.hop
	}
	if v := c.Context.Value(key); v == any(c.Context) {
		return v // package context looks for what it can cancel
	}
	return c.given.Value(key)
}

type hopKey struct{}

// Context ends when the user's context ends, the hop ends or something stops it with End. Until the request is sent it also ends shortly
// before a deadline that the client itself set, since an error that comes later would lose its type.
func (h *Hop) Context() context.Context {
	if h.waitCtx != nil && !h.onWire {
		return h.waitCtx
	}
	return &h.ctx
}

// URL is what is asked for: the URL with the Host that is really sent in place of its own. It must not be changed.
func (h *Hop) URL() *url.URL { return h.sent }

// Dialled is the URL as the request has it: its host is the one that is connected to. It must not be changed.
func (h *Hop) Dialled() *url.URL { return h.given.URL }

// Origin is that of URL, or why it has none.
func (h *Hop) Origin() (origin.Origin, error) { return h.from, h.noOrigin }

// HostKey is the host of URL as all parts count it, or why it has none.
func (h *Hop) HostKey() (string, error) {
	if h.noOrigin == nil {
		return h.from.Host(), nil
	}
	return origin.HostKey(h.sent) // of a scheme that is none of the web's
}

// Note keeps what a layer outside the throttle wants to find again on this hop, in place of what it kept before.
func (h *Hop) Note(k Kind, v any) { h.notes[k] = v }

// Noted is what the layer of that kind kept on this hop, or nil.
func (h *Hop) Noted(k Kind) any { return h.notes[k] }

// Method is the request's method, never empty.
func (h *Hop) Method() string {
	if h.given.Method == "" {
		return http.MethodGet
	}
	return h.given.Method
}

// IsRobots reports that this is the pack's own request for a robots.txt: only the robots layer lets it pass unjudged.
func (h *Hop) IsRobots() bool { return h.robot }

// Previous is the answer whose redirect led to this hop, or nil.
func (h *Hop) Previous() *http.Response { return h.given.Response }

// Chain is the chain that the hop travels through.
func (h *Hop) Chain() *Chain { return h.chain }

// Header is what will be sent. It must not be changed; use SetHeader and DelHeader.
func (h *Hop) Header() http.Header { return h.header }

// SetHeader changes a header that will be sent, not the request that was given.
func (h *Hop) SetHeader(key, value string) {
	if got := h.header[http.CanonicalHeaderKey(key)]; len(got) == 1 && got[0] == value {
		return
	}
	h.ownHeader()
	h.header.Set(key, value)
}

// DelHeader removes a header, in whatever spelling it stands there, from what will be sent.
func (h *Hop) DelHeader(key string) {
	for k := range h.header {
		if strings.EqualFold(k, key) {
			h.ownHeader()
			delete(h.header, k)
		}
	}
}

func (h *Hop) ownHeader() {
	if h.out.Header != nil {
		return
	}
	h.out.Header = h.header.Clone()
	if h.out.Header == nil {
		h.out.Header = make(http.Header)
	}
	h.header = h.out.Header
}

// ProductToken is the identity layer's token for this URL, or "" where none is attached.
func (h *Hop) ProductToken() string { return h.token }

// CrawlDelay is what robots.txt asks between two requests to this origin. The robots layer sets it before the throttle runs.
func (h *Hop) CrawlDelay() (time.Duration, bool) { return h.crawlDelay, h.hasCrawlDelay }

// SetCrawlDelay says what robots.txt asks; ok false: it asks nothing.
func (h *Hop) SetCrawlDelay(d time.Duration, ok bool) { h.crawlDelay, h.hasCrawlDelay = d, ok }

// Hours are those in which the site wants to be visited. The robots layer sets them before the throttle runs. Nil: all of them, or nothing is known.
func (h *Hop) Hours() Hours { return h.hours }

// SetHours says in which hours the site wants to be visited; nil: it says nothing.
func (h *Hop) SetHours(hours Hours) { h.hours = hours }

// Stretch is by how much the interval to this host is to be multiplied, at least 1.
func (h *Hop) Stretch() int { return max(1, h.stretch) }

// SetStretch asks the throttle for a longer interval: a request that goes out under a browser's name owes the site more patience.
func (h *Hop) SetStretch(n int) { h.stretch = n }

// Refuse returns err as the hop's outcome. It exists so that a layer's refusal reads as one.
func (h *Hop) Refuse(err error) (*http.Response, error) { return nil, err }

// Recheck asks every layer outside the throttle again, after a wait. Stale means that Renew must be called, with the turn given back.
func (h *Hop) Recheck() (stale bool, err error) {
	if err := context.Cause(&h.ctx); err != nil {
		return false, err
	}
	for _, l := range h.chain.stack().layers {
		if r, ok := l.(Rechecker); ok {
			old, err := r.Recheck(h)
			if err != nil {
				h.refusedBy = l
				return false, err
			}
			stale = stale || old
		}
	}
	return stale, nil
}

// Renew lets the layers fetch what Recheck found stale. It may refuse.
func (h *Hop) Renew() error {
	for _, l := range h.chain.stack().layers {
		if r, ok := l.(Renewer); ok {
			if err := r.Renew(h); err != nil {
				h.refusedBy = l
				return err
			}
		}
	}
	return nil
}

// An Ender is told that a hop is over, with the response if there was one.
type Ender interface {
	Ended(resp *http.Response, err error)
}

// EndFunc is a function as an Ender.
type EndFunc func(resp *http.Response, err error)

// Ended implements Ender.
func (f EndFunc) Ended(resp *http.Response, err error) { f(resp, err) }

// OnEnd registers who is told when the hop ends. That happens once, by whichever goroutine ends the hop, and at once if the hop is over.
func (h *Hop) OnEnd(e Ender) {
	h.mu.Lock()
	if !h.over {
		if h.ends == nil {
			h.ends = h.ends0[:0]
		}
		h.ends = append(h.ends, e)
		h.mu.Unlock()
		return
	}
	resp := h.resp
	h.mu.Unlock()
	e.Ended(resp, nil)
}

// End stops the hop: its context ends with cause, and whoever awaits or reads the answer gets cause. by is the layer that stops it.
func (h *Hop) End(by Layer, cause error) {
	h.mu.Lock()
	if !h.over && h.endedBy == nil {
		h.endedBy = by
	}
	h.mu.Unlock()
	h.cancel(cause)
}

// finish ends the hop once, and lets go of its deadline and of its link to the user's context.
func (h *Hop) finish(err error) {
	h.finishTurn(err)
	h.chain.deadlines.remove(h)
	h.cancel(errOver)
}

// finishTurn ends the hop for the layers: a redirect's turn ends with its headers, while its body is still to be drained. Whoever comes second, the
// attempt's timer say, returns when the first is done, so that what follows a request finds its turn ended.
func (h *Hop) finishTurn(err error) {
	h.once.Do(func() {
		h.mu.Lock()
		h.over = true
		resp, ends := h.resp, h.ends
		h.mu.Unlock()
		for _, e := range ends {
			e.Ended(resp, err)
		}
	})
}
