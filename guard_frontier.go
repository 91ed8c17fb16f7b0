package etiquette

import (
	"slices"
	"weak"

	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/throttle"
)

// NewFrontier makes a queue that is fair to hosts and keeps to stops: see [throttle.Frontier]. backing holds the requests, in Redis say; nil means memory.
// A URL that is stopped is told as a skip and stays queued; it is handed out once the stop is lifted. A stop and a lift are seen at once.
func (g *Guard) NewFrontier(backing queue.Storage) *throttle.Frontier {
	f := throttle.NewFrontier(g.Throttle, backing)
	f.Filter = g.KillSwitch.Filter
	g.mu.Lock()
	defer g.mu.Unlock()
	g.frontiers = append(g.living(), weak.Make(f))
	return f
}

// refilter lets each frontier look through what it holds.
func (g *Guard) refilter() {
	g.mu.Lock()
	all := g.living()
	g.frontiers = all
	all = slices.Clone(all)
	g.mu.Unlock()
	for _, w := range all {
		if f := w.Value(); f != nil {
			f.Refilter()
		}
	}
}

// living is the frontiers that somebody still uses. The caller holds mu.
func (g *Guard) living() []weak.Pointer[throttle.Frontier] {
	return slices.DeleteFunc(g.frontiers, func(w weak.Pointer[throttle.Frontier]) bool { return w.Value() == nil })
}
