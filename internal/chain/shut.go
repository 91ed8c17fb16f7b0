package chain

import (
	"maps"
	"net/http"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// lacks notes that an Attach failed that would have brought these layers.
func (c *Chain) lacks(err error, layers []Layer) {
	for _, l := range layers {
		c.lack(l.Kind(), err)
	}
}

// lack notes that the Attach of a kind failed. From then on nothing is sent, since a program that passes over the error would crawl on without that
// part, until an Attach brings the kind. If it is there already, that one stays in force.
func (c *Chain) lack(k Kind, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stack()
	if s.find(k) != nil {
		return
	}
	c.missing[k] = err
	c.layers.Store(newStack(s.layers, c.fault(), c.attempt))
}

// missingOf is what Attaches of the collector that failed would have brought, before it had a chain: whatever else is attached later, that is missing.
func missingOf(col *colly.Collector) map[Kind]error {
	missing := make(map[Kind]error)
	d := deadOf(col.Context)
	if d == nil || d.fault == nil {
		return missing
	}
	d.chain.mu.Lock()
	defer d.chain.mu.Unlock()
	maps.Copy(missing, d.chain.missing)
	return missing
}

// shutFault is fault for whom does not hold mu.
func (c *Chain) shutFault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault()
}

// fault says why nothing may be sent, or nil. A Guard, which brings the other kinds too, says it best. The caller holds mu.
func (c *Chain) fault() error {
	for k := range chainItself {
		if err := c.missing[chainItself-1-k]; err != nil {
			return &attachFault{err}
		}
	}
	return nil
}

// closed stands in for the layers of a chain that lacks one.
type closed struct{ fault error }

func (closed) Kind() Kind { return chainItself }

func (l closed) Handle(h *Hop, _ Handler) (*http.Response, error) { return l.handle(h) }

func (l closed) handle(h *Hop) (*http.Response, error) {
	h.refusedBy = l
	e := newBypass(h.sent, h.Method(), l.fault.Error())
	e.cause = l.fault
	return nil, e
}

func (closed) Skipped(*colly.Request, report.Skip) {}

// Holds reports whether the part is still missing. What was refused meanwhile is then asked again.
func (closed) Holds(a Admission, _ report.Skip) bool { return a.Chain.stack().fault != nil }
