package chain

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"weak"

	"github.com/gocolly/colly/v2"
)

// errNotAttached is for calls that need a collector with a chain.
var errNotAttached = errors.New("etiquette: the collector is not attached, or its transport or client was replaced since")

// Clone is c.Clone() with everything: a plain clone goes through the chain too, but runs none of our callbacks, so that known refusals are
// errors instead of skips.
func Clone(col *colly.Collector) (*colly.Collector, error) {
	c := Of(col)
	if c == nil {
		return nil, errNotAttached
	}
	clone := col.Clone()
	c.watch(clone)
	return clone, nil
}

// SetContext makes the collector's requests follow ctx. It takes the place of c.Context = ctx, which is refused after Attach. Clones made before
// keep the context they have, as in Colly. It must not run while the collector has requests under way.
func SetContext(col *colly.Collector, ctx context.Context) error {
	if ctx == nil {
		return errors.New("etiquette: SetContext with a nil context")
	}
	if col == nil {
		return errNotAttached
	}
	c := Of(col)
	if c == nil {
		c = ownerOf(col)
	}
	if c == nil {
		return errNotAttached
	}
	if d := deadOf(ctx); d != nil {
		if ctx != context.Context(d) {
			return errors.New("etiquette: SetContext with a context that was derived from c.Context: that one has ended already; derive it from " +
				"the context that the collector had before Attach, or from context.Background()")
		}
		ctx = d.user
	}
	c.mu.Lock()
	if len(c.collectors) > 0 && c.collectors[0] == weak.Make(col) {
		c.user = ctx
	}
	c.mu.Unlock()
	col.Context = &deadContext{chain: c, user: ctx}
	c.bypassed.Store(false)
	return nil
}

// ownerOf finds the chain of a collector whose Context was replaced: its front is still in the client.
func ownerOf(col *colly.Collector) *Chain {
	client := clientOf(col)
	if client == nil {
		return nil
	}
	front, ok := client.Transport.(*http.Transport)
	if !ok || front == nil {
		return nil
	}
	c, _ := fronts.Load(weak.Make(front))
	w, _ := c.(weak.Pointer[Chain])
	return w.Value()
}

// fronts leads from a front transport to its chain; it keeps neither alive.
var fronts sync.Map // weak.Pointer[http.Transport] -> weak.Pointer[Chain]

// isFailedFront reports whether t is what an Attach that failed left in the collector.
func isFailedFront(col *colly.Collector, t *http.Transport) bool {
	d := deadOf(col.Context)
	return d != nil && d.fault != nil && d.chain.front == t
}

func registerFront(front *http.Transport, c *Chain) {
	key := weak.Make(front)
	fronts.Store(key, weak.Make(c))
	runtime.AddCleanup(front, func(key weak.Pointer[http.Transport]) { fronts.Delete(key) }, key)
}
