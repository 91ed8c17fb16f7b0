package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// Robots makes collectors and clients obey robots.txt. Make it with [Attach] or [New]. It serves any number of collectors, which then share
// what is known of each origin. It is safe for concurrent use and starts no goroutine before the first request.
type Robots struct {
	options   Options // checked; never changed
	teller    chain.Teller
	cache     *cache
	crawlers  crawlers
	unruled   unruled
	alone     http.RoundTripper // for what no chain of a collector fetches
	open      context.Context   // ends with Close
	close     context.CancelFunc
	pacedHost hostSet // hosts whose crawl delay nobody keeps

	crawlerWarned atomic.Bool
	storeWarned   atomic.Bool

	mu       sync.Mutex // guards attached, and that no work begins after Close
	attached []attachment
	work     sync.WaitGroup // refreshes
}

type attachment struct {
	chain     *chain.Chain
	collector weak.Pointer[colly.Collector]
}

// Attach makes c obey robots.txt, with all defaults. It must come right after NewCollector and what goes with it (SetProxyFunc and the like may
// come later), and before the first Visit. On a collector that was attached with the default options already it is a no-op and
// returns the first Robots; after other options it is an error, and those stay in force. An error leaves a collector that was not attached
// before sending nothing, with the reason as the error of each Visit.
func Attach(c *colly.Collector) (*Robots, error) {
	r, err := New(Options{})
	if err != nil {
		return nil, err
	}
	return r.attach(c)
}

// New makes a Robots that is attached to nothing yet. The error names each field of o that is wrong, with its value.
func New(o Options) (*Robots, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	r := &Robots{
		options: o,
		teller:  chain.Teller{OnSkip: o.OnSkip, Logger: o.Logger, Report: o.Report},
		cache:   newCache(o.CacheBytes),
		alone:   chain.Transport(o.Base, chain.Config{AllowPrivate: o.AllowPrivate}),
	}
	if r.teller.Report == nil {
		r.teller.Report = new(report.Report)
	}
	r.open, r.close = context.WithCancel(context.Background())
	return r, nil
}

// Attach makes c obey robots.txt. The same Robots again, or one with equal options, is a no-op; if the collector has one with other options,
// that is an error and the first stays in force. See the function Attach for where the call belongs.
func (r *Robots) Attach(c *colly.Collector) error {
	_, err := r.attach(c)
	return err
}

// attach returns the Robots that is in force.
func (r *Robots) attach(c *colly.Collector) (*Robots, error) {
	if c == nil {
		return nil, errors.New("collyrobots: Attach of a nil Collector")
	}
	ch, err := chain.Attach(c, r.config(), r)
	inForce := r
	var taken *chain.TakenError
	if errors.As(err, &taken) {
		first, ok := taken.Layer.(*Robots)
		if !ok || !first.options.equal(&r.options) {
			return nil, err
		}
		inForce = first
		ch, err = chain.Attach(c, first.config(), first) // a clone still needs its callbacks
	}
	if err != nil {
		return nil, err
	}
	r.remember(ch, c)
	return inForce, nil
}

// remember remembers a chain, for fetches that belong to no request.
func (r *Robots) remember(ch *chain.Chain, c *colly.Collector) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.attached {
		if a.chain == ch {
			return
		}
	}
	r.attached = append(r.attached, attachment{ch, weak.Make(c)})
}

func (r *Robots) config() chain.Config {
	o := &r.options
	return chain.Config{Base: o.Base, Schemes: o.Schemes, AllowPrivate: o.AllowPrivate, Refusals: o.Refusals}
}

// Transport is next, obeying robots.txt: for a plain http.Client. nil means Options.Base, or the pack's own transport. A refused request is a
// *RefusedError inside the client's *url.Error.
func (r *Robots) Transport(next http.RoundTripper) http.RoundTripper {
	return chain.Transport(next, r.config(), r)
}

// Check says whether rawURL may be fetched now, with which crawl delay, and why. It fetches robots.txt if it is not known, through the
// collector that last asked for the origin, else the first one attached, else Options.Base; it waits for that until ctx ends. The URL itself
// is not fetched. The error is that rawURL is unusable, or the cause of ctx: a robots.txt that cannot be read is a Decision.
func (r *Robots) Check(ctx context.Context, rawURL string) (Decision, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Decision{}, fmt.Errorf("collyrobots: Check: %w", err)
	}
	o, err := origin.Of(u)
	if err != nil {
		return Decision{}, fmt.Errorf("collyrobots: Check: %w", err)
	}
	if err := context.Cause(ctx); err != nil {
		return Decision{}, err
	}
	s := r.cache.get(o)
	rt := s.route.Load()
	if rt == nil {
		rt = r.routeTo(s.origin)
		s.route.CompareAndSwap(nil, rt)
	}
	if isRobotsURL(u) {
		return Decision{URL: u.Redacted(), Origin: s.origin.String(), Allowed: true, ProductToken: rt.crawler.name}, nil
	}
	s.used.Store(time.Now().UnixNano())
	st, sd, err := r.obtain(ctx, s, rt)
	var refusal report.Refusal
	switch {
	case errors.As(err, &refusal):
		return notAsked(u, s.origin, rt.crawler, refusal), nil
	case err != nil:
		return Decision{}, err
	}
	return r.decide(u, s.origin, rt.crawler, st, sd), nil
}

// routeTo is the way to an origin that nobody has asked for yet.
func (r *Robots) routeTo(o origin.Origin) *route {
	u, _ := url.Parse(o.String()) // an origin is a URL
	rt := &route{dialled: u.Host, host: u.Host}
	r.mu.Lock()
	var first attachment
	if len(r.attached) > 0 {
		first = r.attached[0]
	}
	r.mu.Unlock()
	identity, userAgent, sends := "", r.options.ProductToken, r.options.ProductToken != ""
	if rt.chain = first.chain; first.chain != nil {
		for _, l := range first.chain.Layers() {
			if t, ok := l.(chain.Tokener); ok {
				identity = t.ProductToken(u)
			}
		}
		if c := first.collector.Value(); c != nil {
			userAgent, sends = c.UserAgent, true
		}
	}
	if !sends {
		userAgent = goUserAgent
	}
	rt.crawler = r.crawlerNamed(identity, userAgent, sends)
	return rt
}

// Forget drops all that is known of an origin, from memory and from Options.Store: the next request for it fetches robots.txt anew. origin is a
// URL; what follows its host plays no part. The error is that it is none, or that of the store.
func (r *Robots) Forget(rawOrigin string) error {
	u, err := url.Parse(rawOrigin)
	if err != nil {
		return fmt.Errorf("collyrobots: Forget: %w", err)
	}
	o, err := origin.Of(u)
	if err != nil {
		return fmt.Errorf("collyrobots: Forget: %w", err)
	}
	if s := r.cache.peek(o); s != nil {
		r.cache.remove(s)
	}
	r.unruled.remove(o.String())
	if r.options.Store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if err := r.options.Store.Delete(ctx, o.String()); err != nil {
		return fmt.Errorf("collyrobots: Forget %s: %w", o, err)
	}
	return nil
}

// Report holds what was not sent because of robots.txt, counted by reason and rule. It is Options.Report if one was given; never nil.
func (r *Robots) Report() *report.Report { return r.teller.Report }

// Close ends refreshes in the background and waits for them, and drops idle connections. Requests are judged as before, but a copy that gets
// old is then fetched anew only once its life is over. Close is safe to call twice; the error is always nil.
func (r *Robots) Close() error {
	r.mu.Lock()
	r.close()
	attached := r.attached
	r.mu.Unlock()
	r.work.Wait()
	for _, a := range attached {
		a.chain.CloseIdle()
	}
	if c, ok := r.alone.(interface{ CloseIdleConnections() }); ok && len(attached) == 0 {
		c.CloseIdleConnections()
	}
	return nil
}

func (r *Robots) log() *slog.Logger { return r.teller.Log() }
