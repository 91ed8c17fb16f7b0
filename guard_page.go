package etiquette

import (
	"net/http"

	"github.com/collyetiquette/etiquette/internal/page"
)

// Handler is a page that shows what the crawl does and why, and on which a person can stop a host:
//
//	go http.ListenAndServe("127.0.0.1:8089", guard.Handler())
//
// It has the hosts with their state and the time to the next request, what was not sent and why, each robots.txt as it was read with our group marked, an
// answer to "may I fetch this URL, and why?", and the stops. It reads what the parts have in memory. A robots.txt is fetched only by a button, through
// all parts, and a page never. It can be mounted below a path that ends in "/", with http.StripPrefix.
//
// Whoever is on the same machine may read it, asking for localhost or a loopback address; others over TLS, or with Policy.KillSwitch.BehindProxy,
// with the kill switch's token as the password. Stops and lifts are calls of the kill switch's own endpoint: they need that token, Policy.KillSwitch.Token
// or TokenFile, and without one the form is not offered. It is safe for concurrent use and may outlive Close.
func (g *Guard) Handler() http.Handler {
	kill := &g.policy.KillSwitch
	return page.New(page.Crawl{
		Report: g.Report, Robots: g.Robots, Throttle: g.Throttle, KillSwitch: g.KillSwitch, UserAgent: g.Identity.UserAgent(),
		Token: kill.Token != "" || kill.TokenFile != "", BehindProxy: kill.BehindProxy,
	})
}
