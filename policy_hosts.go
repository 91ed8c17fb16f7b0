package etiquette

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/gobwas/glob"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// hostPattern matches hosts as a throttle.LimitRule does: by glob, by regular expression, with and without the port; neither means every host.
type hostPattern struct {
	glob  glob.Glob
	expr  *regexp.Regexp
	every bool
}

// compileHosts makes a pattern. The error names the field.
func compileHosts(domainGlob, domainRegexp string) (p hostPattern, err error) {
	p.every = domainGlob == "" && domainRegexp == ""
	if domainGlob != "" {
		if p.glob, err = compileGlob(domainGlob); err != nil {
			return p, fmt.Errorf("DomainGlob %q %w", domainGlob, err)
		}
	}
	if domainRegexp != "" {
		if p.expr, err = compileRegexp(domainRegexp); err != nil {
			return p, fmt.Errorf("DomainRegexp %q %w", domainRegexp, err)
		}
	}
	return p, nil
}

var errHoldsSlash = errors.New(`holds a "/": a rule is for hosts, without scheme and path`)

func compileGlob(pattern string) (g glob.Glob, err error) {
	if strings.Contains(pattern, "/") {
		return nil, errHoldsSlash
	}
	if !strings.ContainsAny(pattern, `*?[]{}\:`) {
		if pattern, err = origin.HostKeyOf(pattern); err != nil { // "Bücher.example" is xn--… on the wire
			return nil, fmt.Errorf("can match no host: %w", err)
		}
	}
	if g, err = glob.Compile(strings.ToLower(pattern)); err != nil {
		return nil, fmt.Errorf("is no pattern: %w", err)
	}
	return g, nil
}

func compileRegexp(pattern string) (*regexp.Regexp, error) {
	if strings.Contains(pattern, "/") {
		return nil, errHoldsSlash
	}
	expr, err := regexp.Compile("(?i:" + pattern + ")")
	if err != nil {
		return nil, fmt.Errorf("is no pattern: %w", err)
	}
	return expr, nil
}

func (p *hostPattern) matches(host, hostPort string) bool {
	return p.every || p.glob != nil && (p.glob.Match(host) || p.glob.Match(hostPort)) ||
		p.expr != nil && (p.expr.MatchString(host) || p.expr.MatchString(hostPort))
}

// hostRules finds the first of some patterns that matches a host. It remembers what it found for the hosts that are in use, so that many rules do not
// slow each request. It is safe for concurrent use.
type hostRules struct {
	patterns []hostPattern

	mu    sync.RWMutex // guards known
	known map[address]int
}

type address struct{ host, port string }

// mostAddresses bounds what is remembered; past it, all is found anew.
const mostAddresses = 10_000

// of is the number of the first pattern that matches u's host; -1: none does.
func (r *hostRules) of(u *url.URL) int {
	if len(r.patterns) > 0 && r.patterns[0].every {
		return 0
	}
	host, err := origin.HostKey(u)
	if err != nil {
		return -1
	}
	a := address{host, portOf(u)}
	r.mu.RLock()
	i, known := r.known[a]
	r.mu.RUnlock()
	if known {
		return i
	}
	i = r.search(a)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= mostAddresses {
		r.known = make(map[address]int)
	}
	r.known[address{strings.Clone(a.host), strings.Clone(a.port)}] = i // they share the memory of a whole URL
	return i
}

func (r *hostRules) search(a address) int {
	name := a.host
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	for i := range r.patterns {
		if r.patterns[i].matches(a.host, name+":"+a.port) {
			return i
		}
	}
	return -1
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
