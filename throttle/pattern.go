package throttle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gobwas/glob"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// pattern matches hosts as Colly's LimitRule does: with and without the port.
type pattern struct {
	every bool
	glob  glob.Glob
	expr  *regexp.Regexp
}

// compilePattern makes a pattern; two empty texts match every host. The error begins with the field.
func compilePattern(domainGlob, domainRegexp string) (p pattern, err error) {
	p.every = domainGlob == "" && domainRegexp == ""
	if err := p.compileGlob(domainGlob); err != nil {
		return p, err
	}
	return p, p.compileRegexp(domainRegexp)
}

func (p *pattern) compileGlob(text string) (err error) {
	if text == "" {
		return nil
	}
	if strings.Contains(text, "/") {
		return fmt.Errorf(".DomainGlob %q holds a %q: a rule is for hosts, without scheme and path", text, "/")
	}
	plain := text
	if !strings.ContainsAny(plain, `*?[]{}\:`) {
		if plain, err = origin.HostKeyOf(text); err != nil { // "Bücher.example" is xn--… on the wire
			return fmt.Errorf(".DomainGlob %q can match no host: %w", text, err)
		}
	}
	if p.glob, err = glob.Compile(strings.ToLower(plain)); err != nil {
		return fmt.Errorf(".DomainGlob %q: %w", text, err)
	}
	return nil
}

func (p *pattern) compileRegexp(text string) (err error) {
	if text == "" {
		return nil
	}
	if strings.Contains(text, "/") {
		return fmt.Errorf(".DomainRegexp %q holds a %q: a rule is for hosts, without scheme and path", text, "/")
	}
	if p.expr, err = regexp.Compile("(?i:" + text + ")"); err != nil {
		return fmt.Errorf(".DomainRegexp %q: %w", text, err)
	}
	return nil
}

func (p *pattern) matches(host, hostPort string) bool {
	if p.every {
		return true
	}
	if p.glob != nil && (p.glob.Match(host) || p.glob.Match(hostPort)) {
		return true
	}
	return p.expr != nil && (p.expr.MatchString(host) || p.expr.MatchString(hostPort))
}

// first is the number of the first of some patterns that matches a host on a port; -1: none does.
func first[P interface {
	matches(host, hostPort string) bool
}](patterns []P, host string, port uint16) int {
	if len(patterns) == 0 {
		return -1
	}
	withPort := hostPort(host, port)
	return slices.IndexFunc(patterns, func(p P) bool { return p.matches(host, withPort) })
}

// hostPort is how a host key and a port stand in a URL.
func hostPort(host string, port uint16) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}
