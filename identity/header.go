package identity

import (
	"strings"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// The two fields that are ours, in canonical form.
const (
	userAgentKey = "User-Agent"
	fromKey      = "From"
)

// userAgent makes sure that the hop carries the declared User-Agent. Where it does already, nothing is allocated.
func (l *layer) userAgent(h *chain.Hop, d *declaration) error {
	odd := hasOddSpelling(h, userAgentKey)
	got, present := h.Header()[userAgentKey]
	first := ""
	if len(got) > 0 {
		first = got[0]
	}
	want := d.userAgent
	if d.browserLike && !odd {
		if want = l.browserLike(h, d, first); want == first && len(got) == 1 {
			return nil
		}
	}
	switch {
	case odd || len(got) > 1:
	case len(got) == 1 && first == want:
		return nil
	case !present, h.IsRobots(), l.id.isOurs(first), d.browserLike, l.carriedOver(h):
		h.SetHeader(userAgentKey, want) // nobody else chose a name
		return nil
	}
	return l.correct(h, userAgentKey, first, want)
}

// browserLike is the User-Agent for a host that may get the program's own: what the program set, for robots.txt what it set for the last page.
func (l *layer) browserLike(h *chain.Hop, d *declaration, got string) string {
	if h.IsRobots() {
		if seen := d.seen.Load(); seen != nil {
			return *seen
		}
		return d.userAgent
	}
	if strings.TrimSpace(got) == "" {
		return d.userAgent
	}
	if seen := d.seen.Load(); seen == nil || *seen != got {
		kept := got // so that got itself stays off the heap
		d.seen.Store(&kept)
	}
	return got
}

// from makes sure that the hop carries the declared From field, or none if none is declared (RFC 9110, 10.1.2).
func (l *layer) from(h *chain.Hop) error {
	want := l.id.from
	odd := hasOddSpelling(h, fromKey)
	got, present := h.Header()[fromKey]
	switch {
	case odd || len(got) > 1:
	case len(got) == 1 && got[0] == want:
		return nil
	case want == "" && len(got) == 0:
		return nil
	case want != "" && (!present || h.IsRobots()):
		h.SetHeader(fromKey, want)
		return nil
	}
	first := ""
	if len(got) > 0 {
		first = got[0]
	}
	return l.correct(h, fromKey, first, want)
}

// correct handles a field that somebody else set: by Options.Mode the request is refused or the declared value takes its place.
func (l *layer) correct(h *chain.Hop, key, got, want string) error {
	if l.id.options.Mode == Refuse {
		l.again.refused(h.Method(), h.URL())
		return refusal(h.URL(), mismatch(key, got))
	}
	dropOddSpellings(h, key)
	if want == "" {
		h.DelHeader(key)
	} else {
		h.SetHeader(key, want)
	}
	l.id.overwritten.Add(1)
	l.warnOnce(h.Chain(), key, got)
	return nil
}

// hasOddSpelling reports whether the header holds the field under a key such as "user-agent", which net/http would send besides ours. The
// header's methods never see such keys; a map that was filled by hand may have them.
func hasOddSpelling(h *chain.Hop, key string) bool {
	for k := range h.Header() {
		if len(k) == len(key) && k != key && strings.EqualFold(k, key) {
			return true
		}
	}
	return false
}

// dropOddSpellings removes such keys from what is sent.
func dropOddSpellings(h *chain.Hop, key string) {
	if !hasOddSpelling(h, key) {
		return
	}
	h.SetHeader(key, "\x00") // a value that nobody has: from here on the header is the hop's own
	for k := range h.Header() {
		if len(k) == len(key) && k != key && strings.EqualFold(k, key) {
			delete(h.Header(), k)
		}
	}
}
