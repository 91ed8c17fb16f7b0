package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// SitemapOptions say what of a site's sitemaps is wanted. The zero value is all of it.
type SitemapOptions struct {
	// Since leaves out pages that were certainly not changed since then, and does not fetch sitemaps of which an index says so. What has no date
	// that can be read is not left out. Zero: nothing is left out.
	Since time.Time
	// Sitemaps are read in place of those that robots.txt names: URLs, or paths of the origin such as "/sitemap.xml". Nil: those that it names.
	Sitemaps []string
	// Hosts are further hosts that belong to the site, "www.shop.example" say: their pages are taken, and sitemaps may lie there.
	Hosts []string
}

// SitemapEntry is a page that a sitemap names.
type SitemapEntry struct {
	URL string
	// LastModified is when it was last changed, as the sitemap says; of a date without a time the beginning. Zero: it does not say, or not readably.
	LastModified time.Time
	Sitemap      string // where it stands
	// Decision says whether the page may be fetched, and why not. Visit asks that again: it needs no look at it.
	Decision Decision
}

// SitemapError is about one sitemap: it was not read, or not to its end, or some of its entries are left out.
type SitemapError struct {
	URL string // of the sitemap
	Err error  // what errors.Is and errors.As find; a *RefusedError or another part's refusal if it was not sent
}

func (e *SitemapError) Error() string { return "collyrobots: sitemap " + e.URL + ": " + e.Err.Error() }

// Unwrap is Err.
func (e *SitemapError) Unwrap() error { return e.Err }

// Sitemaps are the URLs of the sitemaps that the robots.txt of an origin names, in its order, each once. site is any URL of the origin, such as
// "https://shop.example". Other than [Rules.Sitemaps] it leaves out what is no URL of the web, and reads a path as one of the origin. robots.txt is
// fetched if it is not known, as in [Robots.Check]; the sitemaps are not. If it is unreachable that is an error that matches [ErrUnreachable].
func (r *Robots) Sitemaps(ctx context.Context, site string) ([]string, error) {
	_, named, err := r.sitemapsOf(ctx, site)
	return named, err
}

func (r *Robots) sitemapsOf(ctx context.Context, site string) (*url.URL, []string, error) {
	u, err := url.Parse(site)
	if err != nil {
		return nil, nil, fmt.Errorf("collyrobots: Sitemaps: %w", err)
	}
	s, w, st, sd, err := r.lookUp(ctx, u)
	var refusal report.Refusal
	switch {
	case errors.As(err, &refusal):
		return nil, nil, &RefusedError{notAsked(u, s.origin, w.crawler, refusal)}
	case err != nil:
		return nil, nil, fmt.Errorf("collyrobots: Sitemaps: %w", err)
	case sd == allDisallowed || sd == forbiddenToCrawl:
		return nil, nil, &RefusedError{r.decide(u, s.origin, w.crawler, st, sd)}
	}
	base, _ := url.Parse(s.origin.String()) // an origin is a URL
	var named []string
	if sd == rulesHold {
		seen := make(map[string]bool)
		for _, text := range st.copy.rules(w.crawler.token, &r.options).Sitemaps() {
			if at := webURL(base, text); at != nil && !seen[at.String()] {
				seen[at.String()] = true
				named = append(named, at.String())
			}
		}
	}
	return base, named, nil
}

// webURL is text as a URL of the web, relative to base; nil if it is none or longer than sitemaps allow.
func webURL(base *url.URL, text string) *url.URL {
	if len(text) > mostLocation {
		return nil
	}
	u, err := base.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil
	}
	if _, err := origin.Of(u); err != nil {
		return nil
	}
	u.Fragment, u.RawFragment = "", ""
	return u
}

// SitemapEntries are the pages that the sitemaps of a site name: those of its robots.txt, and of the index files among them, plain or gzipped.
// site is any URL of its origin. The sitemaps are fetched one by one as the iteration comes to them, each read whole before its first entry is
// handed out; breaking off fetches no further one.
//
//	for entry, err := range robots.SitemapEntries(ctx, "https://shop.example", collyrobots.SitemapOptions{Since: yesterday}) {
//		if err != nil {
//			log.Print(err) // one sitemap; the others go on
//			continue
//		}
//		c.Visit(entry.URL) // or q.AddURL(entry.URL)
//	}
//
// A request for a sitemap goes the way of the pages of its origin, through the collector that last asked for it, else the first attached, else
// Options.Base: judged by robots.txt, paced, killable, under our name, and told if it is refused. What a site says of the use of its pages does
// not keep its sitemaps from being read.
//
// A sitemap may lie on another host only if robots.txt names it, or an index on that host does. Entries count only if they are pages of the
// site's host, on whatever port, or of Options.Hosts: a site does not send us to others. What is left out is told by a *SitemapError; after it the
// iteration goes on. It ends early with an error of robots.txt, as [Robots.Sitemaps] gives it, or with the cause of ctx.
//
// Of a sitemap 50 MiB and 50,000 entries are read, of URLs 2,048 octets; index files may name each other three deep, and 50,000 sitemaps in all are
// read in one iteration. It takes five minutes on the wire at most, besides what timeout the collector has.
func (r *Robots) SitemapEntries(ctx context.Context, site string, o SitemapOptions) iter.Seq2[SitemapEntry, error] {
	return func(yield func(SitemapEntry, error) bool) {
		base, named, err := r.sitemapsOf(ctx, site)
		if err != nil {
			yield(SitemapEntry{}, err)
			return
		}
		w := &sitemapsWalk{robots: r, options: o, named: make(map[string]bool), base: base, yield: yield}
		for _, n := range named {
			w.named[n] = true
		}
		w.site, _ = origin.Of(base) // which it was made of
		w.hosts = []string{w.site.Host()}
		for _, h := range o.Hosts {
			key, err := origin.HostKeyOf(h)
			if err != nil {
				yield(SitemapEntry{}, fmt.Errorf("collyrobots: SitemapOptions.Hosts %q: %w", h, err))
				return
			}
			w.hosts = append(w.hosts, key)
		}
		w.fetch = &sitemapFetch{robots: r, origin: w.site}
		w.fetch.alone = chain.Alone(r.options.Base, chain.Config{AllowPrivate: r.options.AllowPrivate}, layer{r})
		if o.Sitemaps != nil {
			named = o.Sitemaps
		}
		w.run(ctx, named)
	}
}
