package identity

import (
	"net/http"
	"net/url"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// layer is an identity's place in the chain. It is a type of its own because the chain asks it for the product token by URL.
type layer struct {
	chain.Teller
	id     *Identity
	warned warned
	again  again
}

func newLayer(id *Identity) *layer {
	o := &id.options
	return &layer{id: id, Teller: chain.Teller{OnSkip: o.OnSkip, Logger: o.Logger, Report: o.Report}}
}

func (l *layer) Kind() chain.Kind { return chain.Identity }

// ProductToken implements chain.Tokener, so that collyrobots judges by our token in whatever order the two were attached.
func (l *layer) ProductToken(*url.URL) string { return l.id.token }

// Handle sends the hop on under the declared name. It runs after every callback, on redirects and robots.txt as well.
func (l *layer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	d := l.id.declared(h.URL())
	if d.browserLike {
		h.SetStretch(2) // who does not say his name keeps all else the more strictly
	}
	if p := l.id.unreachable(h.URL(), h.Dialled()); p != nil {
		return h.Refuse(refusal(h.URL(), *p))
	}
	if err := l.userAgent(h, d); err != nil {
		return h.Refuse(err)
	}
	if err := l.from(h); err != nil {
		return h.Refuse(err)
	}
	l.again.right(h.Method(), h.URL())
	return next(h)
}
