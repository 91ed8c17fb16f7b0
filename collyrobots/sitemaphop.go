package collyrobots

import (
	"context"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// sitemapKey marks the context of a request for a sitemap. It is the pack's own, like one for robots.txt; but it is judged.
type sitemapKey struct{}

func sitemapContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, sitemapKey{}, true)
}

func isSitemapHop(h *chain.Hop) bool { return h.IsRobots() && h.Context().Value(sitemapKey{}) != nil }

// passesUnjudged reports whether a hop needs no robots.txt: one for a robots.txt, wherever redirects have led it.
func passesUnjudged(h *chain.Hop) bool {
	return isRobotsURL(h.URL()) || h.IsRobots() && !isSitemapHop(h)
}
