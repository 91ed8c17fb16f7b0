package chain

import (
	"context"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// Refusals says what becomes of a refused GET or HEAD.
type Refusals uint8

const (
	// RefusalsAuto is RefusalsSkip, or RefusalsError for a collector that had IgnoreRobotsTxt = false, since its Visit returned an error so far.
	RefusalsAuto Refusals = iota
	// RefusalsSkip aborts what is already known to be refused: Visit returns nil, OnError is not called, the skip is told. What is found out
	// on the wire is an error.
	RefusalsSkip
	// RefusalsError makes every refusal an error of Visit and OnError.
	RefusalsError
)

// Config is what a part says of the wiring when it attaches. The zero value is right for a collector that was just made.
type Config struct {
	// Base sends what the chain lets pass. Nil means the pack's own transport, one for the whole process, or http.DefaultTransport
	// if the program replaced that.
	Base http.RoundTripper
	// Schemes are served by Base outside the layers, "file" for example.
	Schemes []string
	// AllowPrivate lets a redirect lead from a public address to a private one.
	AllowPrivate bool
	// Refusals says what becomes of a refused GET or HEAD.
	Refusals Refusals
}

// Chain is the wiring of one collector and its clones, or of one plain client. It is safe for concurrent use.
type Chain struct {
	front        *http.Transport // nil for a plain client
	client       *http.Client    // the collector's, as it was at Attach
	layers       atomic.Pointer[stack]
	cfg          atomic.Pointer[Config]
	allowPrivate atomic.Bool
	asErrors     atomic.Bool
	timeout      atomic.Int64 // of an attempt, nanoseconds
	flying       atomic.Int64 // hops between RoundTrip's begin and end
	bypassed     atomic.Bool  // a request missed the chain
	timeoutMu    sync.Mutex
	deadlines    deadlines
	trails       trails
	memory       memory
	misled       notes // requests whose context was derived from ours
	disallowed   domains
	kept         kept

	mu          sync.Mutex // guards what follows, and changes of layers and cfg
	user        context.Context
	collectors  []weak.Pointer[colly.Collector] // those that run our callbacks
	pairs       map[memoryKey]time.Time         // what was told of a Visit with CheckHead
	missing     map[Kind]error                  // kinds of which an Attach failed, and why
	bypassWait  time.Duration
	proxiedOf   *http.Transport
	proxiedBase *http.Transport
}

func newChain(cfg Config) *Chain {
	c := &Chain{}
	c.memory.seed = maphash.MakeSeed()
	c.cfg.Store(&cfg)
	c.allowPrivate.Store(cfg.AllowPrivate)
	c.layers.Store(newStack(nil, nil, c.attempt))
	return c
}

func (c *Chain) stack() *stack { return c.layers.Load() }

func (c *Chain) config() *Config { return c.cfg.Load() }

// AsErrors reports whether every refusal is an error.
func (c *Chain) AsErrors() bool { return c.asErrors.Load() }

// Layer is the attached layer of a kind, or nil.
func (c *Chain) Layer(k Kind) Layer { return c.stack().find(k) }

// Layers are the attached layers, outermost first. The slice must not be changed.
func (c *Chain) Layers() []Layer { return c.stack().layers }

// add puts layers in their places. The caller holds mu and has made sure that no place is taken.
func (c *Chain) add(layers []Layer) {
	all := slices.Concat(c.stack().layers, layers)
	slices.SortStableFunc(all, func(a, b Layer) int { return int(a.Kind()) - int(b.Kind()) })
	for _, l := range layers {
		delete(c.missing, l.Kind())
	}
	c.layers.Store(newStack(all, c.fault(), c.attempt))
}

// runsCallbacks reports whether col has our callbacks. The caller holds mu.
func (c *Chain) runsCallbacks(col *colly.Collector) bool {
	return slices.Contains(c.collectors, weak.Make(col))
}

// DomainDisallowed reports whether a collector of this chain lists the name in DisallowedDomains.
func (c *Chain) DomainDisallowed(name string) bool { return c.disallowed.has(name) }

// domains is what collectors list in DisallowedDomains. The lists are the users' to change, so they are copied when a request is admitted, in the
// goroutine that Colly itself reads them in.
type domains struct {
	mu   sync.RWMutex
	keys map[string]struct{}
	seen int // length of the last list, so that an unchanged one costs nothing
}

func (d *domains) add(list []string) {
	d.mu.RLock()
	known := len(list) == 0 || len(list) == d.seen && d.holds(list[len(list)-1])
	d.mu.RUnlock()
	if known {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.keys == nil {
		d.keys = make(map[string]struct{})
	}
	for _, name := range list {
		d.keys[domainKey(name)] = struct{}{}
	}
	d.seen = len(list)
}

func (d *domains) has(name string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.holds(name)
}

func (d *domains) holds(name string) bool {
	_, ok := d.keys[domainKey(name)]
	return ok
}

// domainKey compares names whatever their spelling.
func domainKey(name string) string {
	if key, err := origin.HostKeyOf(name); err == nil {
		return key
	}
	return strings.ToLower(name)
}

// CloseIdle drops the connections that nobody uses. A part calls it from Close.
func (c *Chain) CloseIdle() { c.closeIdle() }
