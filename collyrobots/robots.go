package collyrobots

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
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
	permits   []*permit
	alone     *chain.Chain    // for what no collector fetches
	open      context.Context // ends with Close
	close     context.CancelFunc
	pacedHost hostSet // hosts whose crawl delay nobody keeps

	crawlerWarned atomic.Bool
	storeWarned   atomic.Bool
	storeCalls    atomic.Int32 // under way
	forgets       atomic.Int64 // how often Forget was called

	mu       sync.Mutex // guards attached, and that no work begins after Close
	attached []attachment
	work     sync.WaitGroup // in the background
}

// Attach makes c obey robots.txt, with all defaults. It must come right after NewCollector and what goes with it (SetProxyFunc and the like may
// come later), and before the first Visit. On a collector that was attached with the default options already it is a no-op and
// returns the first Robots; after other options it is an error, and those stay in force. An error leaves a collector that has no Robots
// sending nothing, with the reason as the error of each Visit.
func Attach(c *colly.Collector) (*Robots, error) {
	r, err := New(Options{})
	if err != nil {
		return nil, chain.Fail(c, chain.Robots, err)
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
		alone:   chain.Alone(o.Base, chain.Config{AllowPrivate: o.AllowPrivate}),
	}
	r.permits, _ = compilePermits(o.Permits) // checked
	if r.teller.Report == nil {
		r.teller.Report = new(report.Report)
	}
	r.teller.Report.AddSource(r.describe)
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
	ch, err := chain.Attach(c, r.config(), layer{r})
	inForce := r
	var taken *chain.TakenError
	if errors.As(err, &taken) {
		first, ok := taken.Layer.(layer)
		if !ok || !first.options.equal(&r.options) {
			return nil, err
		}
		inForce = first.Robots
		ch, err = chain.Attach(c, first.config(), first) // a clone still needs its callbacks
	}
	if err != nil {
		return nil, err
	}
	r.remember(ch, c)
	return inForce, nil
}

func (r *Robots) config() chain.Config {
	o := &r.options
	return chain.Config{Base: o.Base, Schemes: o.Schemes, AllowPrivate: o.AllowPrivate, Refusals: chain.Refusals(o.Refusals)}
}

// Transport is next, obeying robots.txt: for a plain http.Client. nil means Options.Base, or the pack's own transport. A refused request is a
// *RefusedError inside the client's *url.Error.
func (r *Robots) Transport(next http.RoundTripper) http.RoundTripper {
	return chain.Transport(next, r.config(), layer{r})
}

// Report holds what was not sent because of robots.txt, counted by reason and rule. It is Options.Report if one was given; never nil.
func (r *Robots) Report() *report.Report { return r.teller.Report }

// Close ends what goes on in the background, refreshes and fetches that nobody waits for any more, and waits for it: that takes a moment, or as
// long as Options.Store takes to keep an answer that has come, 10 s at most. It drops idle connections. Requests are judged as before; a copy that
// ran out is then fetched on demand and not ahead of time. A program that ends, or never closes, loses nothing but that. Close is safe to call
// twice; the error is always nil.
func (r *Robots) Close() error {
	r.mu.Lock()
	r.close()
	r.mu.Unlock()
	r.work.Wait()
	all := r.living()
	for _, l := range all {
		l.chain.CloseIdle()
	}
	if len(all) == 0 {
		r.alone.CloseIdle()
	}
	return nil
}

func (r *Robots) log() *slog.Logger { return r.teller.Log() }
