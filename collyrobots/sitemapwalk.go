package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"slices"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// Bounds on one iteration.
const (
	mostSitemaps    = 50_000
	mostIndexDepth  = 3
	mostPendingText = 8 << 20 // octets of the URLs of sitemaps that are still to be read
)

// sitemapsWalk is one iteration over the sitemaps of a site.
type sitemapsWalk struct {
	robots  *Robots
	options SitemapOptions
	base    *url.URL
	site    origin.Origin
	hosts   []string        // that belong to the site, by their keys
	named   map[string]bool // by robots.txt
	fetch   *sitemapFetch
	yield   func(SitemapEntry, error) bool

	pending []pendingSitemap // the next one last
	octets  int              // of their URLs
	seen    map[uint64]struct{}
	seed    maphash.Seed
	queued  int
	over    bool // the caller has broken off
}

// pendingSitemap is a sitemap that is still to be read.
type pendingSitemap struct {
	url   string
	by    string // the host of the index that names it; empty: robots.txt names it, or the options
	depth int    // how many index files led to it
}

// run reads the sitemaps that come first, and those that they lead to.
func (w *sitemapsWalk) run(ctx context.Context, first []string) {
	w.seen, w.seed = make(map[uint64]struct{}), maphash.MakeSeed()
	for _, text := range first {
		at := webURL(w.base, text)
		if at == nil {
			w.fail(text, errors.New("it is no URL of the web"))
		} else if !w.push(pendingSitemap{url: at.String()}) {
			w.fail(text, errTooManySitemaps)
		}
	}
	slices.Reverse(w.pending)
	for len(w.pending) > 0 && !w.over {
		next := w.pending[len(w.pending)-1]
		w.pending = w.pending[:len(w.pending)-1]
		w.octets -= len(next.url)
		w.read(ctx, next)
		if err := context.Cause(ctx); err != nil && !w.over {
			w.yield(SitemapEntry{}, err)
			return
		}
	}
}

var errTooManySitemaps = fmt.Errorf("it is left out: more than %d sitemaps, or too much text of their URLs", mostSitemaps)

// push takes a sitemap in as the next one, unless it was there before; false: there is no room.
func (w *sitemapsWalk) push(p pendingSitemap) bool {
	key := maphash.String(w.seed, p.url)
	if _, known := w.seen[key]; known {
		return true
	}
	if w.queued == mostSitemaps || w.octets+len(p.url) > mostPendingText {
		return false
	}
	w.seen[key] = struct{}{}
	w.pending = append(w.pending, p)
	w.queued++
	w.octets += len(p.url)
	return true
}

func (w *sitemapsWalk) fail(sitemap string, err error) {
	if !w.over {
		w.over = !w.yield(SitemapEntry{}, &SitemapError{URL: sitemap, Err: err})
	}
}

// read fetches one sitemap and hands out what it names.
func (w *sitemapsWalk) read(ctx context.Context, p pendingSitemap) {
	u, err := url.Parse(p.url)
	if err != nil { // it was parsed before
		return
	}
	if err := w.mayLie(u, p.by); err != nil {
		w.fail(p.url, err)
		return
	}
	host, _ := origin.HostKey(u) // it has one
	file, err := w.fetch.get(ctx, u, func(to *url.URL) error { return w.mayLie(to, host) })
	if context.Cause(ctx) != nil {
		return
	}
	left := leftOut{count: file.long, why: fmt.Sprintf("is longer than %d octets", mostLocation)}
	if file.index {
		w.queue(file, p, host, &left)
	} else {
		w.hand(ctx, file, p, &left)
	}
	if left.count > 0 && !w.over && context.Cause(ctx) == nil {
		w.fail(p.url, &left)
	}
	if err != nil && !w.over {
		w.fail(p.url, err)
	}
}

// leftOut counts entries that are left out, and says why the first was.
type leftOut struct {
	count      int
	first, why string
}

func (l *leftOut) add(location, why string) {
	if l.count == 0 {
		l.first, l.why = location, why
	}
	l.count++
}

func (l *leftOut) Error() string {
	return fmt.Sprintf("%d of its entries are left out: the first, %.200q, %s", l.count, l.first, l.why)
}

// queue puts the sitemaps that an index names before all that wait, in its order.
func (w *sitemapsWalk) queue(file sitemapFile, p pendingSitemap, host string, left *leftOut) {
	waiting := len(w.pending)
	for _, e := range file.entries {
		at := webURL(w.base, e.location)
		switch {
		case at == nil:
			left.add(e.location, "is no URL of the web")
		case parseModification(e.modified).before(w.options.Since):
		case p.depth == mostIndexDepth:
			left.add(e.location, fmt.Sprintf("stands in an index that is reached through %d others", mostIndexDepth))
		case w.mayLie(at, host) != nil:
			left.add(e.location, "lies on another host, and robots.txt does not name it")
		case !w.push(pendingSitemap{at.String(), host, p.depth + 1}):
			left.add(e.location, errTooManySitemaps.Error())
		}
	}
	slices.Reverse(w.pending[waiting:])
}

// mayLie reports whether a sitemap may lie at u; by is the host of the file that names it, or that redirects to it.
func (w *sitemapsWalk) mayLie(u *url.URL, by string) error {
	key, err := origin.HostKey(u)
	switch {
	case err != nil:
		return err
	case w.ofSite(u), key == by, w.named[u.String()]:
		return nil
	}
	return fmt.Errorf("%s is another host, and robots.txt does not name a sitemap there", u.Host)
}

// ofSite reports whether a host belongs to the site.
func (w *sitemapsWalk) ofSite(u *url.URL) bool {
	key, err := origin.HostKey(u)
	return err == nil && slices.Contains(w.hosts, key)
}

// hand gives the pages of a sitemap to the caller.
func (w *sitemapsWalk) hand(ctx context.Context, file sitemapFile, p pendingSitemap, left *leftOut) {
	for _, e := range file.entries {
		m := parseModification(e.modified)
		if m.before(w.options.Since) {
			continue
		}
		at := webURL(w.base, e.location)
		switch {
		case at == nil:
			left.add(e.location, "is no URL of the web")
			continue
		case !w.ofSite(at):
			left.add(e.location, "is a page of another host")
			continue
		}
		d, err := w.robots.Check(ctx, at.String())
		switch {
		case context.Cause(ctx) != nil:
			return
		case err != nil:
			left.add(e.location, err.Error())
			continue
		}
		if w.over = !w.yield(SitemapEntry{URL: at.String(), LastModified: m.first, Sitemap: p.url, Decision: d}, nil); w.over {
			return
		}
	}
}
