package etiquette

import (
	"net/http"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// layer is the Guard's own place in the chain, the innermost: what passes it is sent, and what comes back is seen here first.
type layer struct {
	chain.Teller
	guard *Guard
}

func newLayer(g *Guard) *layer {
	p := &g.policy
	return &layer{Teller: chain.Teller{OnSkip: p.OnSkip, Logger: p.Logger, Report: g.Report}, guard: g}
}

func (l *layer) Kind() chain.Kind { return chain.Guard }

// Handle sends the hop.
func (l *layer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	l.guard.warner.sending(h)
	resp, err := next(h)
	if t := l.guard.takes; t != nil && err == nil {
		return t.judge(l, h, resp)
	}
	return resp, err
}
