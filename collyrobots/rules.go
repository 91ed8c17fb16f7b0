package collyrobots

import (
	"net/url"
	"time"
	"unsafe"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

// Rules is one robots.txt, compiled for one crawler: what [Compile] returns. The zero value holds no rule and allows all. It
// is safe for concurrent use and never changes.
type Rules struct {
	sets   []*ruleSet
	judges [][]uint32 // per judged agent, ours first, its sets; nil: one agent, one set

	group     groupKind
	groupLine int
	delay     agentDelay
	notes     siteNotes
}

// groupKind says by which group we are judged.
type groupKind uint8

const (
	groupNone  groupKind = iota // no group is for us: all is allowed
	groupStar                   // that of "*"
	groupNamed                  // one that names our product token
)

func (k groupKind) String() string {
	return [...]string{"none", "*", "named"}[k]
}

// Match is the decision on one URL.
type Match struct {
	Allowed bool
	// Line is the line of the rule that decided, counted from 1; 0 if no rule matches, and then the URL is allowed.
	Line int
	// Rule is that rule, such as "disallow: /private/*": its path in the normal form in which it was compared, or as it stands
	// in the file where that differs and is short. Empty if no rule matches.
	Rule string
}

// Match decides whether rawURL may be fetched: the longest rule that matches its path and query does, and of an allow and a
// disallow of the same length the allow (RFC 9309, 2.2.2). rawURL is an absolute URL, or path and query only; scheme, host
// and fragment play no part. It need not be one that [url.Parse] accepts. "/robots.txt" is always allowed.
//
// Match allocates nothing where path and query are in normal form already and the rule has been told before.
func (r *Rules) Match(rawURL string) Match {
	return r.matchPath(pattern.TextPath(rawURL))
}

// matchURL is Match for a parsed URL, as it is sent. It allocates nothing unless path and query are very long or the rule is
// told for the first time.
func (r *Rules) matchURL(u *url.URL) Match {
	var room [roomForPath]byte
	return r.matchPath(pattern.URLPathIn(room[:0], u))
}

// allowsURL is matchURL for who does not ask for the rule. It allocates nothing unless path and query are very long.
func (r *Rules) allowsURL(u *url.URL) bool {
	if path, ok := pattern.NormalURLPath(u); ok {
		return r.allowsPath(path)
	}
	return r.allowsOther(u)
}

// allowsOther is a function of its own, so that who needs no room does not pay for it.
//
//go:noinline
func (r *Rules) allowsOther(u *url.URL) bool {
	var room [roomForPath]byte
	return r.allowsPath(pattern.URLPathIn(room[:0], u))
}

func (r *Rules) allowsPath(path string) bool {
	return path == robotsTxtPath || r.judge(path).allowed()
}

// roomForPath is for how many octets of path and query a decision has room of its own. Few URLs have more.
const roomForPath = 160

// robotsTxtPath is allowed whatever the rules say (RFC 9309, 2.2.2).
const robotsTxtPath = "/robots.txt"

// matchPath decides on a path with its query, in normal form.
func (r *Rules) matchPath(path string) Match {
	var v verdict
	if path != robotsTxtPath {
		v = r.judge(path)
	}
	if v.rank == noRank {
		return Match{Allowed: true}
	}
	return Match{Allowed: v.allowed(), Line: v.set.line(v.rule), Rule: v.set.shown(v.rule)}
}

// verdict is the rule that decides for one agent; rank is noRank if there is none.
type verdict struct {
	set  *ruleSet
	rule uint32
	rank rank
}

func (v verdict) allowed() bool { return v.rank == noRank || v.rank.allows() }

// judge asks each of the judged agents. The first that disallows decides, else the first of all: ours.
func (r *Rules) judge(path string) verdict {
	if r.judges == nil {
		if len(r.sets) == 0 {
			return verdict{}
		}
		return r.sets[0].best(path)
	}
	var few [8]verdict
	found := few[:0]
	for i := range r.sets { // each set once, whoever shares it
		found = append(found, r.sets[i].best(path))
	}
	var ours verdict
	for i, sets := range r.judges {
		var v verdict
		for _, set := range sets {
			if found[set].rank > v.rank {
				v = found[set]
			}
		}
		if !v.allowed() {
			return v
		}
		if i == 0 {
			ours = v
		}
	}
	return ours
}

// CrawlDelay is how long the site asks us to wait between requests, in the group we are judged by; of those obeyed besides,
// the longest. It is false if no valid crawl delay is given; a delay of zero is one. It is returned as it stands, however
// long. Crawl-delay is no part of RFC 9309.
func (r *Rules) CrawlDelay() (d time.Duration, ok bool) {
	return r.delay.Duration, r.delay.given
}

// Sitemaps returns the sitemaps that the file names, in its order and as they are written there, whatever group they stand in
// (RFC 9309, 2.2.4). The slice is the caller's.
func (r *Rules) Sitemaps() []string {
	return r.notes.sitemaps()
}

// bytes is about how much memory r takes, for a cache that is bounded by it.
func (r *Rules) bytes() int {
	n := int(unsafe.Sizeof(*r)) + r.notes.bytes()
	for i := range r.sets {
		n += r.sets[i].bytes() + int(unsafe.Sizeof(r.sets[i]))
	}
	for _, sets := range r.judges {
		n += int(unsafe.Sizeof(sets)) + 4*cap(sets)
	}
	return n
}
