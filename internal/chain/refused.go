package chain

import (
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// refused is one refusal on the wire. It carries the layer's typed error and is told once: by our OnError, which knows the *colly.Request, or
// on the wire where no callback of ours will see it.
type refused struct {
	cause error
	skip  report.Skip
	layer Layer
	chain *Chain
	told  atomic.Bool
}

func (e *refused) Error() string     { return e.cause.Error() }
func (e *refused) Unwrap() error     { return e.cause }
func (e *refused) Skip() report.Skip { return e.skip }

// Timeout and Temporary keep net/http from taking a refusal for a timeout.
func (e *refused) Timeout() bool { return false }

// tell lets the layer know once. r is nil where no callback of ours sees the request.
func (e *refused) tell(r *colly.Request) {
	if e.told.CompareAndSwap(false, true) {
		e.chain.tell(e.layer, r, e.skip)
	}
}

// newRefused wraps a refusal; ok is false for any other error.
func (h *Hop) newRefused(err error) (*refused, bool) {
	var r report.Refusal
	if !errors.As(err, &r) {
		return nil, false
	}
	e := &refused{cause: err, skip: r.Skip(), layer: h.refusedBy, chain: h.chain}
	h.mu.Lock()
	if h.endedBy != nil {
		e.layer = h.endedBy
	}
	h.mu.Unlock()
	fillSkip(&e.skip, h.sent, h.Method())
	if prev := h.given.Response; prev != nil && prev.Request != nil && e.skip.Referrer == "" {
		e.skip.Referrer = prev.Request.URL.Redacted()
	}
	return e, true
}

// RefuseRest refuses an answer whose body is being read already: the reader must get the error that it returns. The refusal is remembered and told like
// any other. by is the layer that refuses, err a report.Refusal. The caller closes the body, which ends the hop.
func (h *Hop) RefuseRest(by Layer, err error) error {
	ref, ok := h.newRefused(err)
	if !ok {
		return err
	}
	ref.layer = by
	h.chain.remember(h, ref)
	if !h.trail.admitted {
		ref.tell(nil)
	}
	return ref
}

// fillSkip completes what a layer left open.
func fillSkip(s *report.Skip, u *url.URL, method string) {
	if s.Time.IsZero() {
		s.Time = time.Now()
	}
	if s.URL == "" {
		s.URL = u.Redacted()
	}
	if s.Method == "" {
		s.Method = method
	}
	if s.Host == "" {
		s.Host = hostKey(u)
	}
}

// itself stands in for a layer where the chain itself refuses.
var itself Layer = self{}

type self struct{}

func (self) Kind() Kind                                          { return chainItself }
func (self) Handle(h *Hop, next Handler) (*http.Response, error) { return next(h) }
func (self) Skipped(*colly.Request, report.Skip)                 {}

// tell passes a skip to the layer that refused, and the chain's own to the first layer there is.
func (c *Chain) tell(l Layer, r *colly.Request, s report.Skip) {
	if l == nil || l.Kind() == chainItself {
		l = c.stack().first()
	}
	if l != nil {
		l.Skipped(r, s)
	}
}

func hostKey(u *url.URL) string {
	key, err := origin.HostKey(u)
	if err != nil {
		return ""
	}
	return key
}

func isPrivateLiteral(u *url.URL) bool { return origin.IsPrivateLiteral(u.Hostname()) }
