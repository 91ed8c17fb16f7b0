package etiquette

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// Take says what is taken of the hosts that it matches; the first that matches a host counts. It is judged by an answer's headers, and the transfer of
// what is not wanted is broken off there: it is refused (unwanted, an *[UnwantedError]), told as a skip, and not asked for again. A HEAD is judged as the
// GET would be, so that Colly's CheckHead saves the transfer.
//
// Type and declared length are judged in answers that bring content (2xx), so that what else a site says, a 404 or a 503, reaches the handlers; a redirect
// is judged where it leads, and robots.txt not at all. The zero value takes everything, which exempts a host from a rule that comes later.
type Take struct {
	// DomainGlob and DomainRegexp match hosts as in a throttle.LimitRule. Both empty: every host.
	DomainGlob, DomainRegexp string
	// Types are content types without parameters, "text/html" or "image/*" say. Empty means every type. An answer without a usable Content-Type has
	// the type that its first 512 bytes look like, as for browsers and for Colly.
	Types []string
	// Bytes is how many bytes of a body are taken at most, as they come out of the transport: decompressed, where net/http asked for gzip by itself. A
	// body that does not declare its length, or declares a wrong one, is cut with an error once it has more, whatever the status. Zero means no limit but
	// Colly's MaxBodySize, which cuts in silence.
	Bytes int64
}

// retryTooLarge is when an answer that brings no content and is too large, an error page, may be asked for again: it says little about the next one.
const retryTooLarge = time.Hour

// takes is the rules as they are kept.
type takes struct {
	rules []Take
	hosts hostRules
}

// compileTakes makes them; nil if there are none.
func compileTakes(rules []Take, bad func(path string, err error)) *takes {
	if len(rules) == 0 {
		return nil
	}
	t := &takes{rules: slices.Clone(rules)}
	for i, rule := range rules {
		path := fmt.Sprintf("Take[%d]", i)
		p, err := compileHosts(rule.DomainGlob, rule.DomainRegexp)
		bad(path, err)
		t.hosts.patterns = append(t.hosts.patterns, p)
		if rule.Bytes < 0 {
			bad(path+".Bytes", fmt.Errorf("%d is negative: 0 means no limit", rule.Bytes))
		}
		t.rules[i].Types = nil
		for j, text := range rule.Types {
			if !isTypePattern(text) {
				bad(fmt.Sprintf("%s.Types[%d]", path, j), fmt.Errorf(`%q is no content type: write "text/html", or "image/*" for all images`, text))
			}
			t.rules[i].Types = append(t.rules[i].Types, strings.ToLower(text))
		}
	}
	return t
}

// judge looks at the headers of an answer. What comes back is the answer, its body bounded, or the refusal, and then the body is closed unread.
func (t *takes) judge(by chain.Layer, h *chain.Hop, resp *http.Response) (*http.Response, error) {
	if h.IsRobots() || resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, nil
	}
	i := t.hosts.of(h.URL())
	if i < 0 {
		return resp, nil
	}
	rule := &t.rules[i]
	if resp.StatusCode/100 == 2 {
		if rule.Bytes > 0 && resp.ContentLength > rule.Bytes {
			return refuseAnswer(resp, &UnwantedError{Bytes: resp.ContentLength, MaxBytes: rule.Bytes}, h)
		}
		if len(rule.Types) > 0 {
			if mediaType := typeOf(resp); mediaType != "" && !takesType(rule.Types, mediaType) {
				return refuseAnswer(resp, &UnwantedError{ContentType: mediaType, Types: rule.Types}, h)
			}
		}
	}
	if rule.Bytes > 0 && resp.Body != http.NoBody {
		resp.Body = &cutBody{ReadCloser: resp.Body, left: rule.Bytes, most: rule.Bytes, status: resp.StatusCode, hop: h, by: by}
	}
	return resp, nil
}

// refuseAnswer breaks the transfer off. The body is closed and not drained: a connection is cheaper than megabytes.
func refuseAnswer(resp *http.Response, e *UnwantedError, h *chain.Hop) (*http.Response, error) {
	_ = resp.Body.Close()
	e.fill(h, resp.StatusCode)
	return h.Refuse(e)
}

// takesType reports whether a media type is among patterns.
func takesType(patterns []string, mediaType string) bool {
	for _, p := range patterns {
		if p == mediaType || p == "*/*" {
			return true
		}
		if family, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(mediaType, family) {
			return true
		}
	}
	return false
}
