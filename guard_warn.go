package etiquette

import (
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// Warnings that save an evening, each given once. Two more are the throttle's: LimitRules on the collector, and a 429 out of its CacheDir.

const (
	longCrawl = time.Hour   // from here on a crawl is said to take hours
	longDelay = time.Minute // a crawl delay that is long whatever waits
	maxWarned = 10_000      // hosts that were warned of; past it, one may be warned of again
)

// warner looks at what is sent, and warns.
type warner struct {
	guard    *Guard
	variants *variants

	mu   sync.Mutex          // guards slow
	slow map[string]struct{} // hosts whose crawl takes hours
}

// sending looks at a hop that is about to be sent.
func (w *warner) sending(h *chain.Hop) {
	if h.IsRobots() {
		return
	}
	if d, ok := h.CrawlDelay(); ok && d > 0 {
		w.slowHost(h)
	}
	if u := h.URL(); w.variants.add(u) {
		w.guard.log().Warn("etiquette: one path is asked for with very many queries: a calendar or facets may have no end: keep them out with "+
			"DisallowedURLFilters, or follow fewer links", "host", u.Hostname(), "path", u.EscapedPath(), "queries", manyVariants,
			"url", report.RedactURL(u.Redacted()))
	}
}

// slowHost warns of a host whose crawl delay makes its crawl take hours.
func (w *warner) slowHost(h *chain.Hop) {
	s, ok := w.guard.Throttle.Snapshot(h.URL().Host)
	if !ok || s.Source != throttle.FromCrawlDelay {
		return
	}
	waiting := s.Waiting + s.Queued
	eta := time.Duration(waiting) * s.Interval
	if eta < longCrawl && s.Interval < longDelay || !w.isNew(s.Host) {
		return
	}
	w.guard.log().Warn("etiquette: the crawl delay of a host makes its crawl take hours: take fewer pages, or ask its owner", "host", s.Host,
		"interval", s.Interval, "waiting", waiting, "eta", eta, "pages_a_day", int(24*time.Hour/s.Interval))
}

func (w *warner) isNew(host string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.slow[host]; known {
		return false
	}
	if w.slow == nil || len(w.slow) >= maxWarned {
		w.slow = make(map[string]struct{})
	}
	w.slow[host] = struct{}{}
	return true
}

// watch adds the Guard's own callbacks to a collector. Colly counts a request for MaxRequests before any callback can abort it, so a crawl that skips
// much ends with little.
func (g *Guard) watch(c *colly.Collector) {
	var eaten atomic.Uint32
	w := weak.Make(c) // Colly keeps callbacks in the collector; they need not keep it alive
	ate := func() {
		c := w.Value()
		if c == nil || c.MaxRequests == 0 {
			return
		}
		if n := eaten.Add(1); n == max(1, c.MaxRequests/10) {
			g.log().Warn("etiquette: the collector's MaxRequests is being eaten by requests that are not sent, since Colly counts them too: use "+
				"Policy.MaxRequests, which counts what is sent", "max_requests", c.MaxRequests, "not_sent", n)
		}
	}
	c.OnRequest(func(r *colly.Request) {
		if r.IsAbort() {
			ate()
		}
	})
	c.OnError(func(_ *colly.Response, err error) {
		if _, refused := Refused(err); refused {
			ate()
		}
	})
}
