package etiquette

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/progress"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// Guard is all parts together, on one chain. It serves any number of collectors, clones and plain clients, which then share the pace of each host, its
// robots.txt, its stops and the report. It is safe for concurrent use. Make it with [Attach] or [New].
type Guard struct {
	// The parts and the report, never nil. They must not be replaced.
	Identity   *identity.Identity
	KillSwitch *killswitch.Switch
	Robots     *collyrobots.Robots
	Throttle   *throttle.Throttle
	Report     *report.Report

	policy Policy
	takes  *takes // nil: everything is taken
	warner warner
	layer  *layer
	layers []chain.Layer // of all parts, and the Guard's own

	mu        sync.Mutex // guards what follows
	attached  []weak.Pointer[colly.Collector]
	frontiers []weak.Pointer[throttle.Frontier]
	shown     []*progress.Progress
	stopped   map[string]bool // hosts that the report knows to be stopped
}

// New makes a Guard that is attached to nothing yet. It touches no network; it reads the stop file, and what StateDir keeps from before. The error
// names each field of p that is wrong and what would be right; then nothing is left open. What p asks for that is impolite is logged as a
// warning: see [Policy.Lint].
func New(p Policy) (*Guard, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	p.Base = recognisable(p.Base)
	g := &Guard{policy: p, takes: compileTakes(p.Take, func(string, error) {})} // check saw them
	g.warner = warner{guard: g, variants: newVariants()}
	if err := g.open(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	for _, sentence := range g.policy.Lint() {
		g.log().Warn("etiquette: impolite", "what", sentence)
	}
	g.Report.AddSource(g.describe)
	g.layer = newLayer(g)
	g.layers = append(g.layers, g.layer)
	for _, part := range g.parts() {
		g.layers = append(g.layers, chain.LayersOf(part.Transport(nil))...)
	}
	if err := g.fetchAlone(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// open makes the parts. What it opened is closed by Close, also after an error.
func (g *Guard) open() error {
	p := &g.policy
	var err error
	if g.Report, err = openReport(p); err != nil {
		return err
	}
	if g.Identity, err = identity.New(p.identityOptions(g.Report)); err != nil {
		return err
	}
	if g.KillSwitch, err = killswitch.New(g.killSwitchOptions()); err != nil {
		return err
	}
	robots, err := p.robotsOptions(g.Report, g.Identity.ProductToken())
	if err != nil {
		return err
	}
	if g.Robots, err = collyrobots.New(robots); err != nil {
		return err
	}
	g.Throttle, err = throttle.New(p.throttleOptions(g.Report))
	return err
}

// killSwitchOptions lets the Guard hear of stops before the user does.
func (g *Guard) killSwitchOptions() killswitch.Options {
	o := g.policy.killSwitchOptions(g.Report)
	users := o.OnChange
	o.OnChange = func() {
		g.stopsChanged()
		if users != nil {
			users()
		}
	}
	return o
}

// fetchAlone lets what belongs to no collector, a Robots.Check before the first Attach say, pass all parts too.
func (g *Guard) fetchAlone() error {
	for _, l := range g.layers {
		if r, ok := l.(interface{ Alone() *chain.Chain }); ok {
			return r.Alone().Join(g.layers...)
		}
	}
	return errors.New("etiquette: the robots part has no chain of its own")
}

// Close ends all waiting, writes what is owed to StateDir and the report's last lines to ReportFile. Requests that come later are not sent. It may be
// called twice, and in the middle of a crawl.
func (g *Guard) Close() error {
	g.closeProgress()
	var errs []error
	for _, part := range g.parts() {
		if err := part.Close(); err != nil {
			errs = append(errs, fmt.Errorf("etiquette: Close: %w", err))
		}
	}
	return errors.Join(append(errs, closeReport(g.Report))...)
}

func (g *Guard) log() *slog.Logger {
	if g.policy.Logger != nil {
		return g.policy.Logger
	}
	return slog.Default()
}
