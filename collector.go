package etiquette

import (
	"context"
	"errors"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// Clone is c.Clone() with everything that the parts attached to c do. A plain c.Clone() is judged too, but runs no callbacks: what is known
// to be refused is then an error instead of a skip. The error is that no part is attached to c.
func Clone(c *colly.Collector) (*colly.Collector, error) {
	if g := guardOf(c); g != nil {
		return g.Clone(c)
	}
	return chain.Clone(c)
}

// SetContext makes c's requests follow ctx. After the first Attach it takes the place of c.Context = ctx, which is refused then. Clones that were
// made before keep the context they have, as in Colly. It must not run while c has requests under way. It is an error for a context that was derived from
// c.Context, which has ended, and for a collector that no part is attached to.
func SetContext(c *colly.Collector, ctx context.Context) error { return chain.SetContext(c, ctx) }

// Requeue asks again, through c, the GET and HEAD requests of c and its clones that were refused for one of the reasons; with no reasons, those
// whose refusal has an end. It waits for each one's RetryAt, blocks as Visit does, passes Colly's mark of visited URLs, and returns how many
// were asked. When ctx ends it returns its error, and what was not asked stays kept. What is refused anew is kept anew, for another call. At most
// 100,000 requests are kept.
func Requeue(ctx context.Context, c *colly.Collector, reasons ...report.Reason) (int, error) {
	ch := chain.Of(c)
	if ch == nil {
		return 0, errors.New("etiquette: Requeue: the collector is not attached, or its transport, client or context was replaced since")
	}
	return ch.Requeue(ctx, c, reasons...)
}
