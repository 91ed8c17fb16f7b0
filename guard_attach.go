package etiquette

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// Attach is the one line for everything: robots.txt as RFC 9309 says, each host paced by itself, userAgent on every request, a kill switch, a report.
// It must come right after NewCollector and before the first Visit; SetProxyFunc, SetCookieJar, SetRequestTimeout and Limit may come later. A transport of
// your own goes into Policy.Base.
//
//	c := colly.NewCollector()
//	guard, err := etiquette.Attach(c, "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)")
//
// Each call makes a Guard, whose hosts are paced by themselves: a program with several collectors, a scraper server that makes one for each call say, has
// one Guard and calls [Guard.Attach] for each, else a host is asked by all of them at once.
//
// userAgent is a product token with a version and a contact; an *identity.InvalidError says what is wrong with it. An error leaves a collector
// without a Guard sending nothing, with the reason as the error of each Visit. A second Attach with the same userAgent returns the first Guard; after
// any other policy it is an error, and the first stays in force. It touches no network.
func Attach(c *colly.Collector, userAgent string) (*Guard, error) {
	if first := guardOf(c); first != nil {
		if !first.policy.isDefaultFor(userAgent) {
			return nil, errors.New("etiquette: the collector already has a Guard with another policy, which stays in force: attach once")
		}
		return first, first.Attach(c) // a clone still needs its callbacks
	}
	g, err := New(Policy{UserAgent: userAgent})
	if err != nil {
		return nil, chain.Fail(c, chain.Guard, err)
	}
	if err := g.Attach(c); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// Attach puts all parts on a collector and its later clones: right after NewCollector, before the first Visit. Any number of collectors may have one
// Guard. The same Guard again is a no-op; a collector that has another one keeps that and gives an error. Any other error, a part that is attached by
// itself say, leaves the collector sending nothing, with the reason as the error of each Visit. Attach must not run while the collector has requests
// under way.
func (g *Guard) Attach(c *colly.Collector) error {
	if _, err := chain.Attach(c, g.policy.chainConfig(), g.layers...); err != nil {
		return g.explain(c, err)
	}
	// From here on every request is judged by every part. What is left is what each part sets on the collector itself.
	for _, part := range g.parts() {
		if err := part.Attach(c); err != nil {
			return err
		}
	}
	if g.isNew(c) {
		g.watch(c)
	}
	return nil
}

// explain says what to do about a collector that has something attached already.
func (g *Guard) explain(c *colly.Collector, err error) error {
	var taken *chain.TakenError
	if !errors.As(err, &taken) {
		return err
	}
	if _, other := taken.Layer.(*layer); other {
		return fmt.Errorf("etiquette: Attach: the collector already has another Guard, which stays in force: use that one: %w", err)
	}
	kind := taken.Layer.Kind()
	return chain.Fail(c, chain.Guard, fmt.Errorf(
		"etiquette: Attach: the collector already has %s attached by itself, and nothing else was added: leave that line out, a Guard has all parts: %w", kind, err))
}

// part is what all four have in common.
type part interface {
	Attach(c *colly.Collector) error
	Transport(next http.RoundTripper) http.RoundTripper
	Close() error
}

// parts are those that are open.
func (g *Guard) parts() []part {
	var all []part
	if g.Throttle != nil { // closed first, so that nobody waits for what the others still know
		all = append(all, g.Throttle)
	}
	if g.Robots != nil {
		all = append(all, g.Robots)
	}
	if g.KillSwitch != nil {
		all = append(all, g.KillSwitch)
	}
	if g.Identity != nil {
		all = append(all, g.Identity)
	}
	return all
}

// isNew reports whether the collector does not run the Guard's own callbacks yet. Collectors are not kept alive.
func (g *Guard) isNew(c *colly.Collector) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.attached = slices.DeleteFunc(g.attached, func(w weak.Pointer[colly.Collector]) bool { return w.Value() == nil })
	w := weak.Make(c)
	if slices.Contains(g.attached, w) {
		return false
	}
	g.attached = append(g.attached, w)
	return true
}

// guardOf is the Guard that is on c's chain, or nil.
func guardOf(c *colly.Collector) *Guard {
	ch := chain.Of(c)
	if ch == nil {
		return nil
	}
	if l, ok := ch.Layer(chain.Guard).(*layer); ok {
		return l.guard
	}
	return nil
}

// has is an error unless the collector is one of g's.
func (g *Guard) has(c *colly.Collector, method string) error {
	if guardOf(c) == g {
		return nil
	}
	return fmt.Errorf("etiquette: Guard.%s: the collector is not attached to this Guard, or its transport, client or context was replaced since", method)
}

// Clone is c.Clone() with everything. A plain c.Clone() is judged too, but runs no callbacks: what is known to be refused is then an error instead of
// a skip, and cannot be asked again with Requeue.
func (g *Guard) Clone(c *colly.Collector) (*colly.Collector, error) {
	if err := g.has(c, "Clone"); err != nil {
		return nil, err
	}
	clone := c.Clone()
	if err := g.Attach(clone); err != nil {
		return nil, err
	}
	return clone, nil
}

// SetContext makes c's requests follow ctx. After Attach it takes the place of c.Context = ctx, which is refused then. Clones that were made before keep
// the context they have, as in Colly. It must not run while c has requests under way. It is an error for a context that was derived from
// c.Context, which has ended.
func (g *Guard) SetContext(c *colly.Collector, ctx context.Context) error {
	// A collector whose Context was replaced has no chain that Of can find; the chain finds it by its transport.
	if other := guardOf(c); other != nil && other != g {
		return g.has(c, "SetContext")
	}
	return chain.SetContext(c, ctx)
}

// Requeue asks again, through c, the GET and HEAD requests of c and its clones that were refused for one of the reasons; with no reasons, those whose
// refusal has an end. It waits for each one's RetryAt, blocks as Visit does, passes Colly's mark of visited URLs, and returns how many were
// asked. When ctx ends it returns its error, and what was not asked stays kept. What is refused anew is kept anew, for another call. At most
// 100,000 requests are kept.
func (g *Guard) Requeue(ctx context.Context, c *colly.Collector, reasons ...report.Reason) (int, error) {
	if err := g.has(c, "Requeue"); err != nil {
		return 0, err
	}
	return Requeue(ctx, c, reasons...)
}

// Transport puts all parts in front of base, for a plain http.Client: its requests and their redirects share the pace of each host with the
// collectors. Nil means Policy.Base, or the pack's own transport. What is refused is an error that [Refused] knows.
func (g *Guard) Transport(base http.RoundTripper) http.RoundTripper {
	return chain.Transport(base, g.policy.chainConfig(), g.layers...)
}
