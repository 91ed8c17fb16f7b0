package collyrobots

import (
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/gocolly/colly/v2"
)

// FollowRules says which links MayFollow lets pass. Search engines take nofollow for a hint; a polite crawler need not. The zero value is
// FollowPolite.
type FollowRules uint8

const (
	// FollowPolite follows no link with rel=nofollow, and none of a page that says nofollow.
	FollowPolite FollowRules = iota
	// FollowStrict follows no link with rel=ugc or rel=sponsored either.
	FollowStrict
	// FollowAll follows them all.
	FollowAll
)

// MayFollow says whether a link may be followed: an <a>, <area> or <form> that an OnHTML callback was given. The link's own rel counts, and what
// its page says for us (X-Robots-Tag and meta robots). What holds is Options.FollowRules of the Robots that is attached to the collector;
// FollowPolite without one. The same URL may be followed by another link. It is safe for concurrent use.
//
//	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
//		if collyrobots.MayFollow(e) {
//			e.Request.Visit(e.Attr("href"))
//		}
//	})
func MayFollow(e *colly.HTMLElement) bool {
	rules := FollowPolite
	if r, _ := robotsOf(e.Request); r != nil {
		rules = r.options.FollowRules
	}
	return rules.follow(e.Attr("rel")) && (rules == FollowAll || !pageSaysNofollow(e.Response))
}

// follow looks at the words of a rel attribute.
func (f FollowRules) follow(rel string) bool {
	if f == FollowAll {
		return true
	}
	for word := range strings.FieldsFuncSeq(rel, isHTMLSpace) {
		if strings.EqualFold(word, "nofollow") || f == FollowStrict && (strings.EqualFold(word, "ugc") || strings.EqualFold(word, "sponsored")) {
			return false
		}
	}
	return true
}

// nofollows remembers for the pages that are being worked on what they say of their links: a page with a thousand links is read once. An entry
// lives as long as its page.
var nofollows sync.Map // weak.Pointer[colly.Response] -> bool

func pageSaysNofollow(page *colly.Response) bool {
	if page == nil {
		return false
	}
	key := weak.Make(page)
	if said, ok := nofollows.Load(key); ok {
		return said.(bool)
	}
	v, _ := SignalsOf(page).Verdict(Follow)
	if _, known := nofollows.LoadOrStore(key, v == Deny); !known {
		runtime.AddCleanup(page, func(key weak.Pointer[colly.Response]) { nofollows.Delete(key) }, key)
	}
	return v == Deny
}
