package chain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"weak"

	"github.com/gocolly/colly/v2"
)

// TakenError says that the collector's chain already has a layer of this kind. The first stays in force.
type TakenError struct{ Layer Layer }

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s: the collector already has one with other options; the first stays in force", e.Layer.Kind())
}

// Attach puts layers into the collector's chain and wires the collector if it has none yet. On a clone that inherited the chain it adds only the
// callbacks. The same layer again is a no-op; another of the same kind is a *TakenError and changes nothing. If an Attach fails whose kinds are not
// all there already, the collector sends nothing from then on, and each Visit gives the reason, until an Attach brings what is missing.
//
// Attach must not run while the collector has requests under way.
func Attach(col *colly.Collector, cfg Config, layers ...Layer) (*Chain, error) {
	if col == nil {
		return nil, errors.New("etiquette: Attach of a nil Collector")
	}
	if c := inherited(col); c != nil {
		if err := c.join(cfg, layers); err != nil {
			c.lacks(err, layers)
			return nil, err
		}
		c.watch(col)
		return c, nil
	}
	client, err := checkBefore(col, cfg.Base)
	if err == nil {
		err = proven()
	}
	if err != nil {
		failAttach(col, client, err, layers)
		return nil, err
	}
	c := wire(col, client, cfg)
	if err := c.join(Config{}, layers); err != nil {
		failAttach(col, client, err, layers)
		return nil, err
	}
	c.watch(col)
	return c, nil
}

// Of is the chain that col's requests go through, or nil.
func Of(col *colly.Collector) *Chain {
	if col == nil {
		return nil
	}
	return inherited(col)
}

// inherited is the chain that col already has: its own, or that of the collector it was cloned from after Attach.
func inherited(col *colly.Collector) *Chain {
	if col.Context == nil {
		return nil
	}
	d := deadOf(col.Context)
	if d == nil || d.fault != nil || !d.chain.intact(col) {
		return nil
	}
	return d.chain
}

// wire installs the three devices.
func wire(col *colly.Collector, client *http.Client, cfg Config) *Chain {
	c := newChain(cfg)
	c.client = client
	c.missing = missingOf(col)
	c.timeout.Store(int64(max(0, client.Timeout)))
	c.asErrors.Store(cfg.Refusals == RefusalsError || cfg.Refusals == RefusalsAuto && !col.IgnoreRobotsTxt)
	c.front = newFront(c, cfg.Schemes)
	registerFront(c.front, c)
	c.user = userContext(col)
	col.Context = &deadContext{chain: c, user: c.user}
	col.WithTransport(c.front)
	col.SetRequestTimeout(takenOver)
	col.IgnoreRobotsTxt = true
	return c
}

// userContext is the context that the collector's requests would follow without the pack.
func userContext(col *colly.Collector) context.Context {
	if col.Context == nil {
		return context.Background()
	}
	if d := deadOf(col.Context); d != nil {
		return d.user // of an Attach that failed, or of another collector
	}
	return col.Context
}

// join adds the layers that are new.
func (c *Chain) join(cfg Config, layers []Layer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var fresh []Layer
	for _, l := range layers {
		have := c.stack().find(l.Kind())
		if have == nil {
			fresh = append(fresh, l)
		} else if have != l {
			return &TakenError{have}
		}
	}
	if err := c.mergeConfig(cfg); err != nil {
		return err
	}
	c.add(fresh)
	return nil
}

// mergeConfig takes over what a later part says of the wiring. The caller holds mu.
func (c *Chain) mergeConfig(cfg Config) error {
	merged := *c.config()
	if cfg.Base != nil {
		if merged.Base != nil && !sameBase(merged.Base, cfg.Base) {
			return errors.New("etiquette: two different transports for one collector: give all parts the same " + baseField)
		}
		merged.Base = cfg.Base
	}
	for _, s := range cfg.Schemes {
		if !slices.Contains(merged.Schemes, s) {
			return fmt.Errorf("etiquette: Options.Schemes %q comes too late: give it to the part that is attached first", s)
		}
	}
	if cfg.AllowPrivate {
		merged.AllowPrivate = true
		c.allowPrivate.Store(true)
	}
	if cfg.Refusals == RefusalsError {
		c.asErrors.Store(true)
	}
	c.cfg.Store(&merged)
	return nil
}

func sameBase(a, b http.RoundTripper) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}

// watch adds our callbacks to a collector that does not run them yet.
func (c *Chain) watch(col *colly.Collector) {
	c.mu.Lock()
	if c.runsCallbacks(col) {
		c.mu.Unlock()
		return
	}
	if len(c.collectors) == cap(c.collectors) { // clones come and go
		first := c.collectors[:min(1, len(c.collectors))]
		rest := slices.DeleteFunc(c.collectors[len(first):], func(w weak.Pointer[colly.Collector]) bool { return w.Value() == nil })
		c.collectors = append(first, rest...)
	}
	c.collectors = append(c.collectors, weak.Make(col))
	c.mu.Unlock()
	c.disallowed.add(col.DisallowedDomains)
	w := weak.Make(col) // Colly keeps callbacks in the collector; they need not keep it alive
	col.OnRequest(func(r *colly.Request) {
		if col := w.Value(); col != nil {
			c.admit(col, r)
		}
	})
	col.OnError(func(resp *colly.Response, err error) { c.outcome(w.Value(), resp, err) })
}

// Fail is for a part whose Attach fails before it has a layer of its kind, because of a wrong option say: the collector sends nothing from then on, and
// each Visit gives err, unless it has a layer of that kind already, which then stays in force. It returns err.
func Fail(col *colly.Collector, kind Kind, err error) error {
	if col == nil {
		return err
	}
	if c := inherited(col); c != nil {
		c.lack(kind, err)
		return err
	}
	client, before := checkBefore(col, nil)
	failAttach(col, client, err, nil, kind)
	if d := deadOf(col.Context); before != nil {
		d.displaced = before
	}
	return err
}

// failAttach leaves the collector sending nothing, until an Attach brings these kinds and those of the layers. A client that is not Colly's own is not
// written to, nor one that leads into the chain of another collector already.
func failAttach(col *colly.Collector, client *http.Client, err error, layers []Layer, kinds ...Kind) {
	c := newChain(Config{})
	c.layers.Store(newStack(layers, nil, c.attempt))
	c.missing = missingOf(col)
	for _, l := range layers {
		kinds = append(kinds, l.Kind())
	}
	for _, k := range kinds {
		c.missing[k] = err
	}
	dead := &deadContext{chain: c, user: userContext(col), fault: &attachFault{err}}
	if client != nil && client.Transport != nil {
		dead.displaced = err
	}
	col.Context = dead
	col.IgnoreRobotsTxt = true // Colly's check would fetch its robots.txt past everything
	if !usable(col) {
		return // made without NewCollector; a Visit panics in Colly itself
	}
	c.front = newFront(c, nil)
	if ownerOf(col) != nil {
		// A clone that is older than another's Attach shares its client; that front refuses us, and goes on to serve whom it belongs to.
	} else if client != nil && client != http.DefaultClient && client.CheckRedirect != nil {
		col.WithTransport(c.front)
	} else {
		// In the place of a foreign client, whose transport need not look at the dead context. It is without CheckRedirect as well, so that
		// another Attach says again that the client was set.
		col.SetClient(&http.Client{Transport: c.front})
	}
	w := weak.Make(col)
	col.OnRequest(func(r *colly.Request) {
		if col := w.Value(); col != nil {
			c.stayShut(col, r)
		}
	})
}

// stayShut is the OnRequest callback after an Attach that failed. As long as the dead context is sure to be looked at, its error is that of the
// Visit; what was set since must not open the collector.
func (c *Chain) stayShut(col *colly.Collector, r *colly.Request) {
	if r.IsAbort() || Of(col) != nil {
		return // a later Attach succeeded
	}
	if d := deadOf(col.Context); d != nil && d.fault != nil && col.Context.Done() == (<-chan struct{})(ended) && failsOnDeadContext(col) {
		return
	}
	a := Admission{URL: sentURL(r.URL, r.Host), Method: methodOf(r.Method)}
	s := newBypass(a.URL, a.Method, c.shutFault().Error()).Skip()
	c.skip(col, r, itself, s, a)
}
