// Package page is the page on which a person sees what a crawl does and why, asks whether a URL may be fetched, and stops a host.
//
// It shows what the parts of a Guard know in memory and keeps nothing of its own. The pages are rendered here and can be read without a script; the one
// script counts down and looks for news. Nothing comes from another origin, nothing is inline, and everything that a stranger wrote is bounded, made
// visible and escaped.
//
// # Who may read
//
// Whoever is on this machine: by loopback or a Unix socket, and not by way of a proxy. The page must be asked for by a name of this machine, so that a
// name that a stranger points at 127.0.0.1 (DNS rebinding) does not reach it. From elsewhere it is shown over TLS, or behind a proxy that does TLS
// (killswitch.Options.BehindProxy), to who gives the kill switch's token as the password that the browser asks for.
//
// # Who may change anything
//
// Stops and lifts are calls of the kill switch's own admin endpoint, with the token that was typed into the form: that endpoint alone decides, and writes
// its audit log. The one other thing that has an effect is to have a robots.txt read; it goes through the chain, like any request. Both are
// POSTs, and a POST that a page of another site makes a browser send is refused.
package page
