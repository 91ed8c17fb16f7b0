package collyrobots

import (
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/internal/pattern"
)

// Permit is what a site's owner allowed us although robots.txt disallows it: by mail or by contract, say. It overrules a rule of robots.txt, and a
// robots.txt that [Options.ForbiddenDisallows] takes for a no; nothing else. The crawl delay is kept, a stop, a block and the name that goes out
// are as without it, and while robots.txt is unreachable nothing is asked for, since what it says of the pace is not known then. It is never used in
// silence: its first use on each host is an Info line, and [Robots.Permitted] counts all.
type Permit struct {
	// Host is the one name or address that it is for, on every port; names below it are not meant.
	Host string
	// Path is a pattern as in robots.txt: from the first octet of path and query on, with "*" for anything and "$" for the end (RFC 9309, 2.2.3).
	// Empty means every path.
	Path string
	// Reason says who allowed it, for those who ask later. It should not be empty.
	Reason string
	// Ticket is where the owner's words are kept.
	Ticket string
	// Until is when the permit ends. Zero means that it has no end.
	Until time.Time
}

// scope is what a permit is for, in words.
func (p Permit) scope() string {
	path := p.Path
	if path == "" {
		path = "every path"
	}
	return p.Host + ", " + path
}

// permit is a Permit as it is kept.
type permit struct {
	Permit
	host string
	path pattern.Pattern

	uses        atomic.Int64
	first, last atomic.Int64 // Unix nanoseconds
}

// compilePermits makes them. The error names the field and its value.
func compilePermits(all []Permit) ([]*permit, error) {
	var out []*permit
	for i, p := range all {
		host, err := origin.HostKeyOf(p.Host)
		switch {
		case err != nil:
			return nil, fmt.Errorf("Permits[%d].Host %q is no name: %w", i, p.Host, err)
		case hasPort(p.Host):
			return nil, fmt.Errorf("Permits[%d].Host %q holds a port: a permit is for all of them", i, p.Host)
		}
		path := pattern.Compile(p.Path)
		if p.Path != "" && !path.Matchable() {
			return nil, fmt.Errorf(`Permits[%d].Path %q matches nothing: it must begin with "/" or "*"`, i, p.Path)
		}
		out = append(out, &permit{Permit: p, host: strings.Clone(host), path: path})
	}
	return out, nil
}

// hasPort reports whether a host was written with a port.
func hasPort(host string) bool {
	u := url.URL{Host: host}
	return u.Port() != "" && !strings.Contains(u.Hostname(), ":") || strings.HasPrefix(host, "[") && !strings.HasSuffix(host, "]")
}

// permitFor is the permit in force that u is under, or nil. It is asked for what robots.txt refuses only.
func (r *Robots) permitFor(u *url.URL) *permit {
	if len(r.permits) == 0 {
		return nil
	}
	host, err := origin.HostKey(u)
	if err != nil {
		return nil
	}
	path, now := "", time.Now()
	for _, p := range r.permits {
		if p.host != host || !p.Until.IsZero() && !now.Before(p.Until) {
			continue
		}
		if path == "" {
			path = pattern.URLPath(u)
		}
		if p.Path == "" || p.path.Match(path) {
			return p
		}
	}
	return nil
}
