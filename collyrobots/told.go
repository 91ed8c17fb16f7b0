package collyrobots

import (
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
)

// Unruled is an origin that was crawled, or may be, although none of its rules could be read.
type Unruled struct {
	Origin string    // such as "https://shop.example"
	Why    string    // in a few words: "it was answered with 404 Not Found"
	At     time.Time // when that was found out
}

// unruled is those origins. It is bounded: of very many, any is dropped.
type unruled struct {
	mu sync.Mutex
	m  map[string]Unruled
}

const maxTold = 10_000

func (u *unruled) set(n Unruled) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.m == nil {
		u.m = make(map[string]Unruled)
	}
	for o := range u.m {
		if len(u.m) < maxTold {
			break
		}
		delete(u.m, o)
	}
	u.m[n.Origin] = n
}

func (u *unruled) remove(origin string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.m, origin)
}

// Unruled lists the origins that are crawled without rules, at most 10,000, in no order: robots.txt was answered with 4xx, led through too many
// redirects or nowhere, or is an HTML page. A site's owner may think that he has rules there. The slice is the caller's.
func (r *Robots) Unruled() []Unruled {
	r.unruled.mu.Lock()
	defer r.unruled.mu.Unlock()
	all := make([]Unruled, 0, len(r.unruled.m))
	for _, u := range r.unruled.m {
		all = append(all, u)
	}
	return all
}

// tellOutcome notes and logs what a fetch came to.
func (r *Robots) tellOutcome(o origin.Origin, st *state, w way) {
	now := time.Now()
	sd := st.at(now, &r.options)
	f := st.failure
	switch {
	case f != nil && f.Class == ClassUnreachable:
		r.log().Warn("collyrobots: robots.txt is unreachable", "url", o.String()+robotsPath, "host", o.Host(), "status", f.Status, "err", f.Cause,
			"retry_at", f.RetryAt.Format(time.RFC3339), "since", f.Since.Format(time.RFC3339), "copy_in_force", sd == rulesHold)
		if sd == allAllowed {
			r.unruled.set(Unruled{o.String(), "it has been unreachable for 30 days", now})
		}
	case f != nil && sd == allAllowed:
		r.unruled.set(Unruled{o.String(), f.Cause, now})
	case st.copy != nil && st.copy.HTML && st.copy.rules(w.crawler.token, &r.options).group == groupNone:
		r.unruled.set(Unruled{o.String(), "it is an HTML page", now})
	default:
		r.unruled.remove(o.String())
	}
}

// hostSet is a bounded set of hosts that something was said of.
type hostSet struct {
	mu sync.Mutex
	m  map[string]struct{}
}

// add reports whether host is new.
func (s *hostSet) add(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.m[host]; ok {
		return false
	}
	if s.m == nil || len(s.m) >= maxTold {
		s.m = make(map[string]struct{})
	}
	s.m[host] = struct{}{}
	return true
}

// warnUnpaced says once per host that its crawl delay is kept by nobody.
func (r *Robots) warnUnpaced(h *chain.Hop, c *heldCopy, d time.Duration) {
	if c.crawlDelayWarned.Load() || h.Chain().Layer(chain.Throttle) != nil || c.crawlDelayWarned.Swap(true) {
		return
	}
	o, err := h.Origin()
	if err != nil || !r.pacedHost.add(o.Clone().Host()) {
		return
	}
	r.log().Warn("collyrobots: robots.txt asks for a crawl delay that nobody keeps: attach package throttle, or set a colly.LimitRule with that Delay", "host", o.Host(), "wait", d)
}
