package chain

import (
	"net/http"
	"net/url"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// Kind is a layer's place in the chain. This is the only place where the order is written.
type Kind uint8

// The kinds, outermost first.
const (
	KillSwitch Kind = iota
	Identity
	Robots
	Throttle
	Guard // sees what is really sent and what comes back
	chainItself
)

func (k Kind) String() string {
	return [...]string{"killswitch", "identity", "collyrobots", "throttle", "etiquette", "the chain"}[k]
}

// Handler sends a hop on, or refuses it.
type Handler func(*Hop) (*http.Response, error)

// A Layer is one policy. Its methods are called by many goroutines at once.
type Layer interface {
	Kind() Kind
	// Handle judges one hop and calls next, or returns an error that is a report.Refusal. It may wait, until h.Context ends.
	Handle(h *Hop, next Handler) (*http.Response, error)
	// Skipped is told of each request that this layer refused, once, with no lock held. r is nil where no callback of ours saw the
	// request: plain clients, plain clones, robots.txt.
	Skipped(r *colly.Request, s report.Skip)
}

// An Admitter says before anything else happens what its memory already refuses. It does no I/O and does not wait. A nil error means
// "not known to be refused": the wire decides.
type Admitter interface {
	Admit(a Admission) error
}

// A Rechecker is asked again when a hop has waited: what was allowed before the wait may have been stopped or have grown old.
type Rechecker interface {
	// Recheck reports a refusal, or that what the layer relied on ran out and Renew is needed. It does no I/O.
	Recheck(h *Hop) (stale bool, err error)
}

// A Renewer gets fresh what Recheck found stale. It may do I/O and refuse. The throttle's turn has been given back before.
type Renewer interface {
	Renew(h *Hop) error
}

// A Starter is told directly before a hop is handed to the base, each time.
type Starter interface{ Starting(h *Hop) }

// A Resender is asked when net/http is about to send a request a second time by itself, after a kept-alive connection broke.
type Resender interface {
	Resend(h *Hop) error
}

// Hours are times at which a site wants to be visited. They are never changed, and may be used by several goroutines at once.
type Hours interface {
	// Next is when they are open next: t itself if they are open at t. It is false if they never are.
	Next(t time.Time) (time.Time, bool)
}

// A Sender is told when the hop that it was given to with OnSend is really sent, and what comes back. Its methods must not wait; the first two are called
// in the goroutine that sends.
type Sender interface {
	// Sending is called directly before the hop is handed to the base transport, with nothing between. traced says that the base is one of
	// net/http's own, so that it will be known when it has been entered.
	Sending(traced bool)
	// Entered is called once after Sending: from inside the base, when it looks for a connection, or with inside false when it came back without that.
	// It is not called if the base panics.
	Entered(inside bool)
	// Read is called with the octets of each read of the answer's body, as they come out of the base, and that also after the hop's turn ended, by
	// whichever goroutine reads.
	Read(n int)
}

// A Holder says whether the cause of an earlier refusal is still there. Where a layer is no Holder, a cause holds until the skip's RetryAt, or 24 h.
type Holder interface {
	Holds(a Admission, s report.Skip) bool
}

// A Tokener knows the product token for a URL: the identity layer, if one is attached.
type Tokener interface {
	ProductToken(u *url.URL) string
}

// Admission is what is known of a request before it is on the wire.
type Admission struct {
	Chain   *Chain
	URL     *url.URL // with the Host that will be sent
	Dialled *url.URL // the URL as it is
	Method  string
	Header  http.Header // may still be changed by a later callback
	// ProductToken is the identity layer's; empty where none is attached.
	ProductToken string
}

// stack is the layers of a chain at one moment, in order. It is never changed, only replaced.
type stack struct {
	layers  []Layer
	fault   error // why nothing may be sent; nil: it may
	handle  Handler
	tokener Tokener
	starter []Starter
}

func newStack(layers []Layer, fault error, last Handler) *stack {
	s := &stack{layers: layers, fault: fault, handle: last}
	for i := len(layers) - 1; i >= 0; i-- {
		layer, next := layers[i], s.handle
		if t, ok := layer.(Tokener); ok {
			s.tokener = t
		}
		if st, ok := layer.(Starter); ok {
			s.starter = append(s.starter, st)
		}
		s.handle = func(h *Hop) (*http.Response, error) {
			resp, err := layer.Handle(h, next)
			if err != nil && h.refusedBy == nil {
				h.refusedBy = layer
			}
			return resp, err
		}
	}
	if fault != nil {
		s.handle = closed{fault}.handle
	}
	return s
}

func (s *stack) find(k Kind) Layer {
	for _, l := range s.layers {
		if l.Kind() == k {
			return l
		}
	}
	return nil
}

// token is the product token that the identity layer gives for u, or "".
func (s *stack) token(u *url.URL) string {
	if s.tokener == nil {
		return ""
	}
	return s.tokener.ProductToken(u)
}

// first is the layer that speaks for the chain itself: it is told of bypassed requests and private addresses.
func (s *stack) first() Layer {
	if len(s.layers) == 0 {
		return nil
	}
	return s.layers[0]
}
