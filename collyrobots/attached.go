package collyrobots

import (
	"slices"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// attachment is a collector that was attached. Collectors come and go; a Robots that serves them keeps none of them alive.
type attachment struct {
	chain     weak.Pointer[chain.Chain] // lives as long as the collector or a clone of it
	collector weak.Pointer[colly.Collector]
}

// living is an attachment whose chain is still there.
type living struct {
	chain     *chain.Chain
	collector *colly.Collector // nil: clones of it live on
}

// remember remembers a chain, for fetches that belong to no request.
func (r *Robots) remember(ch *chain.Chain, c *colly.Collector) {
	a := attachment{weak.Make(ch), weak.Make(c)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.attached, func(b attachment) bool { return a.chain == b.chain }) {
		return
	}
	r.attached = slices.DeleteFunc(r.attached, func(a attachment) bool { return a.chain.Value() == nil })
	r.attached = append(r.attached, a)
}

// living are the attachments that are still there, the first one first. The slice is the caller's: attached changes in place.
func (r *Robots) living() []living {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []living
	for _, a := range r.attached {
		if ch := a.chain.Value(); ch != nil {
			all = append(all, living{ch, a.collector.Value()})
		}
	}
	return all
}
