// Package exam is what the checks of the course's tasks share.
package exam

import (
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// Web lets f judge a student's code on a web of its own. It lives in memory, net/http finds it as if it were the world, and its clock is virtual: a day
// passes in no time. What the code logs is left out, so that a failed test shows its messages alone.
func Web(t *testing.T, f func(t *testing.T, web *testweb.Web)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		world, log := http.DefaultTransport, slog.Default()
		http.DefaultTransport = web.Transport()
		slog.SetDefault(slog.New(slog.DiscardHandler))
		defer func() {
			http.DefaultTransport = world
			slog.SetDefault(log)
		}()
		f(t, web)
	})
}

// Pages are the hits of a host without those for its robots.txt.
func Pages(web *testweb.Web, host string) (pages []testweb.Hit) {
	for _, hit := range web.HitsOf(host) {
		if hit.URI != "/robots.txt" {
			pages = append(pages, hit)
		}
	}
	return pages
}
