package chain

import "net/http"

// Transport is a chain for a plain http.Client: the same layers in front of next; nil means the pack's own base. A client's redirects are hops of
// the chain like any other.
func Transport(next http.RoundTripper, cfg Config, layers ...Layer) http.RoundTripper {
	return &plain{Alone(next, cfg, layers...)}
}

// Alone is a chain that belongs to no collector.
func Alone(next http.RoundTripper, cfg Config, layers ...Layer) *Chain {
	if next != nil {
		cfg.Base = next
	}
	c := newChain(cfg)
	c.mu.Lock()
	c.add(layers)
	c.mu.Unlock()
	return c
}

// LayersOf are the layers that Transport made t with, outermost first; nil for any other RoundTripper. So a part gives its layer away without
// showing it: the Guard puts those of all parts into one chain.
func LayersOf(t http.RoundTripper) []Layer {
	if p, ok := t.(*plain); ok {
		return p.chain.Layers()
	}
	return nil
}

// Join adds layers to a chain that stands already, each in its place. The same layer again is a no-op; another of the same kind is a *TakenError and
// changes nothing.
func (c *Chain) Join(layers ...Layer) error { return c.join(Config{}, layers) }

type plain struct{ chain *Chain }

func (p *plain) RoundTrip(r *http.Request) (*http.Response, error) {
	return p.chain.serve(r, r.Context(), false)
}

// CloseIdleConnections lets http.Client.CloseIdleConnections work.
func (p *plain) CloseIdleConnections() { p.chain.closeIdle() }
