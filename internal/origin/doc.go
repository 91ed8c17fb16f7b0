// Package origin is the only place where a URL becomes an origin or a host key.
//
// An [Origin] is scheme, host and port: it owns a robots.txt (RFC 9309, 2.3). A host key is the name alone: it owns spacing
// and stops, so that http and https, and all ports, share one pace and one stop.
//
// Both are compared in canonical form: lower case, no trailing dot, IDNA as ASCII, addresses as [net/netip] writes them, the
// default port filled in, userinfo left out. What cannot be brought into that form is an error: a name that nobody can
// look up must not get a robots.txt or a pace of its own.
//
// The package is pure: no I/O, no clock, no state. Everything in it is safe for concurrent use.
package origin
