package collyrobots

import (
	"net/url"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/pattern"
)

// Purpose is what a crawl is for. The zero value declares none.
type Purpose string

// The purposes. Each says which opt-outs keep a URL from being fetched, and whose groups in robots.txt are obeyed besides our own.
const (
	// PurposeUndeclared: signals are reported, and none of them stops anything.
	PurposeUndeclared Purpose = ""
	// PurposeSearch: an index that leads people to pages. Opt-outs: Search and Index.
	PurposeSearch Purpose = "search"
	// PurposeArchive: copies that are kept and shown. Opt-out: Archive, which no robots.txt speaks of: it is known once a page is there. The
	// groups of crawlers that are known to collect for that are obeyed too.
	PurposeArchive Purpose = "archive"
	// PurposeAITrain: data to train or tune models with. Opt-outs: AITrain and TDM. The groups of crawlers that are known to collect such data
	// are obeyed too.
	PurposeAITrain Purpose = "ai-train"
	// PurposeAIInput: content that models answer with. Opt-out: AIInput. The groups of crawlers that are known to collect for that are obeyed too.
	PurposeAIInput Purpose = "ai-input"
	// PurposeOther: none of these. Nothing is stopped.
	PurposeOther Purpose = "other"
)

// purposeUses are the uses without which there is no point in fetching a page.
var purposeUses = map[Purpose][]Use{
	PurposeSearch:  {Search, Index},
	PurposeArchive: {Archive},
	PurposeAITrain: {AITrain, TDM},
	PurposeAIInput: {AIInput},
}

var knownPurposes = []Purpose{PurposeUndeclared, PurposeSearch, PurposeArchive, PurposeAITrain, PurposeAIInput, PurposeOther}

// ErrOptedOut: robots.txt denies what the crawl is for, see [Options.Purpose]. It matches colly.ErrRobotsTxtBlocked.
var ErrOptedOut error = &blocked{"collyrobots: the site has opted out of this purpose"}

// OptsOut says whether a page denies what a crawl is for, and by what. With a page that is there already, from an answer's header or its HTML, that
// is for the program to heed: it marks the page. The slice is the caller's.
func (s Signals) OptsOut(p Purpose) (sources []Source, denied bool) {
	for _, u := range purposeUses[p] {
		for i := range s.Statements {
			if t := &s.Statements[i]; t.Use == u && t.Verdict == Deny && !t.Images {
				sources = append(sources, t.Source)
			}
		}
	}
	return sources, sources != nil
}

// optOut is the record by which robots.txt denies a URL that may be crawled to the declared purpose; nil: none does. It costs nothing where no
// purpose is declared or the file says nothing of uses.
func (r *Robots) optOut(rules *Rules, u *url.URL) *usageRecord {
	if r.options.Purpose == PurposeUndeclared {
		return nil
	}
	about := purposeUses[r.options.Purpose]
	if about == nil || rules.notes.signals == nil || isRobotsURL(u) {
		return nil
	}
	return rules.notes.signals.denies(pattern.URLPath(u), about)
}

// admits reports whether rules and opt-outs let u be fetched.
func (r *Robots) admits(rules *Rules, u *url.URL) bool {
	return rules.allowsURL(u) && r.optOut(rules, u) == nil
}

// lets is admits for a hop. A sitemap may be read whatever the site says of the use of its pages: it is made for crawlers.
func (r *Robots) lets(rules *Rules, h *chain.Hop) bool {
	return rules.allowsURL(h.URL()) && (r.optOut(rules, h.URL()) == nil || isSitemapHop(h))
}
