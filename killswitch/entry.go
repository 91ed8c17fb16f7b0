package killswitch

import (
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/internal/pattern"
)

// Source says who made a rule.
type Source string

// The sources. Their union is in force.
const (
	FromFile      Source = "file"      // the stop file; lifted there and nowhere else
	FromCode      Source = "code"      // Switch.Stop
	FromEndpoint  Source = "endpoint"  // Handler
	FromAutomatic Source = "automatic" // a 451, or a host that keeps saying no
)

// entry is one rule in force: compiled for matching, and what can be told of it afterwards. All but the atomic fields is set before
// the entry is published, or guarded by Switch.mu.
type entry struct {
	rule   Rule // canonical
	path   pattern.Pattern
	source Source

	received, applied time.Time
	lifted            time.Time
	liftReason        string
	overSince         time.Time // when the clock was first seen to be past its end
	saved             proof     // what an earlier process or the stop itself found out
	unsaved           bool      // it is not on the disk yet
	failed            bool      // the disk did not take it
	look              int64     // at the stop file, which last had it

	cancelled, purged, refused, observed atomic.Int64
	counted                              int64 // of refused, that the audit log has; guarded by Switch.mu
}

func newEntry(r Rule, from Source, received time.Time) *entry {
	return &entry{rule: r, path: pattern.Compile(r.Path), source: from, received: received}
}

// name is the name under which the index keeps the rule; empty: it covers all names.
func (e *entry) name() string {
	if e.rule.Domain != "" {
		return e.rule.Domain
	}
	return e.rule.Host
}

// strength orders the actions. A nil entry is no rule at all.
func (e *entry) strength() int {
	if e == nil {
		return 0
	}
	switch e.rule.Action {
	case Observe:
		return 1
	case Drain:
		return 2
	default:
		return 3
	}
}

func (e *entry) stops() bool { return e.strength() >= 2 }

// question is one URL that is looked up. What few rules need is worked out when the first of them asks.
type question struct {
	u     *url.URL
	path  string // normal form of path and query; empty: not worked out
	plain string // the same without dot segments, if there are any
	now   time.Time
}

// covers reports whether the rule is for the question's URL, the name aside. What cannot be told counts as covered.
func (e *entry) covers(q *question) bool {
	r := &e.rule
	if !r.Until.IsZero() {
		if q.now.IsZero() {
			q.now = time.Now()
		}
		if !q.now.Before(r.Until) {
			return false
		}
	}
	if r.Scheme != "" && !strings.EqualFold(r.Scheme, q.u.Scheme) {
		return false
	}
	if r.Port != 0 {
		if o, err := origin.Of(q.u); err == nil && o.Port() != r.Port {
			return false
		}
	}
	if r.Path == "" {
		return true
	}
	if q.path == "" {
		q.path = pattern.URLPath(q.u)
		q.plain = withoutDots(q.path)
	}
	return e.path.Match(q.path) || q.plain != "" && e.path.Match(q.plain)
}

// withoutDots is what most servers make of a path with dot segments or several slashes in a row (RFC 3986, 5.2.4); empty: it has none.
func withoutDots(full string) string {
	p, query, _ := strings.Cut(full, "?")
	if !strings.Contains(p, "//") && !strings.Contains(p, "/.") {
		return ""
	}
	plain := path.Clean(p)
	if plain != "/" && (strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..")) {
		plain += "/"
	}
	return plain + full[len(p):len(full)-len(query)] + query
}
