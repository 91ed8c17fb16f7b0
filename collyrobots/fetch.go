package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

const (
	robotsPath   = "/robots.txt"
	maxHops      = 5 // redirects that are followed (RFC 9309, 2.3.1.2)
	networkTries = 1 // once more after a network error
	proxyTries   = 3 // times more after a failure of the proxy
)

// outcome is what a fetch came to. Exactly one of copy, notModified, class and known says it.
type outcome struct {
	copy        *Copy  // there is a robots.txt
	notModified bool   // the one we have is still good
	class       Class  // there is none, or it is not known
	known       *state // it leads to another origin's, and that is known already

	status int
	header http.Header
	cause  string
	wait   time.Duration   // what the site asks for; 0: nothing
	also   []origin.Origin // whose robots.txt this is besides: redirects led through them
	final  bool            // the last of also gave the answer itself
}

// fetch is one fetch of a robots.txt, with its redirects and second tries.
type fetch struct {
	origin         origin.Origin
	way            way
	prev           *state                     // for its validators
	look           func(origin.Origin) *state // what memory knows of another origin; nil: nothing that counts now
	limit          int64                      // of a body
	clock          *wireClock
	network, proxy int // tries that are left
}

// run fetches. The error is a context's cause: then there is no outcome; or the first request was refused or not sent.
func (f *fetch) run(ctx context.Context) (outcome, error) {
	f.network, f.proxy = networkTries, proxyTries
	u := &url.URL{Scheme: f.origin.Scheme(), Host: f.way.host, Path: robotsPath}
	seen := []string{u.String()}
	var also []origin.Origin
	var prev *http.Response
	for hops := 0; ; hops++ {
		a, err := f.ask(ctx, u, prev)
		if err != nil {
			var unsent *chain.UnsentError
			var refusal report.Refusal
			if ended := endOf(ctx); ended != nil {
				return outcome{}, ended
			}
			notTheSites := errors.As(err, &refusal) || errors.As(err, &unsent) && !chain.IsProxy(err) // such as a part that was closed
			if notTheSites && hops == 0 {
				return outcome{}, err
			}
			return f.failed(ctx, err, also), nil
		}
		if a.meaning != meansRedirect {
			o := f.read(a)
			o.also, o.final = also, true
			return o, nil
		}
		prev = a.response
		if hops == maxHops {
			return outcome{class: ClassUnavailable, status: a.status, also: also, cause: "it leads through more than 5 redirects"}, nil
		}
		if u, err = a.target(u); err != nil {
			return outcome{class: ClassUnavailable, status: a.status, also: also, final: true, cause: err.Error()}, nil
		}
		if slices.Contains(seen, u.String()) {
			return outcome{class: ClassUnreachable, status: a.status, also: also, cause: "its redirects lead in a circle"}, nil
		}
		seen = append(seen, u.String())
		if u.Hostname() == "" { // "http://:8080/" is a port of this machine
			return outcome{class: ClassUnreachable, status: a.status, also: also, cause: "it leads to " + u.String() + ", a URL without a host"}, nil
		}
		if f.way.chain.DomainDisallowed(u.Hostname()) {
			return outcome{class: ClassUnreachable, status: a.status, also: also, cause: "it leads to " + u.Hostname() + ", which is in DisallowedDomains"}, nil
		}
		if !isRobotsURL(u) {
			continue
		}
		o, err := origin.Of(u)
		if err != nil || o == f.origin {
			continue
		}
		if st := f.look(o); st != nil {
			return outcome{known: st, also: also}, nil
		}
		also = append(also, o.Clone())
	}
}

// endOf is why a fetch has no outcome: nobody wants it any more, or the user's context ended. A fetch that took too long has one.
func endOf(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errSlow) {
		return err
	}
	return nil
}

// failed is the outcome of a fetch whose last request brought no answer.
func (f *fetch) failed(ctx context.Context, err error, also []origin.Origin) outcome {
	o := outcome{class: ClassUnreachable, cause: plain(err), also: also, final: true}
	if slow := context.Cause(ctx); slow != nil {
		o.cause = slow.Error()
	}
	var refusal report.Refusal
	if errors.As(err, &refusal) { // of a redirect's target; it is told as a skip of its own
		o.final = false
		if at := refusal.Skip().RetryAt; !at.IsZero() {
			o.wait = clampRetry(time.Until(at))
		}
	}
	var p *proxyAnswer
	if errors.As(err, &p) || chain.IsProxy(err) {
		o.final = false // it says nothing about the other origin
	}
	return o
}

// read turns the final answer into an outcome.
func (f *fetch) read(a *answer) outcome {
	o := outcome{status: a.status, header: a.header}
	switch a.meaning {
	case meansRules, meansEmpty:
		o.copy = &Copy{
			Status: a.status, Body: wholeLines(a.body, int(f.limit)), HTML: looksLikeHTML(a.body),
			URL: a.url.String(), ETag: a.header.Get("ETag"), LastModified: a.header.Get("Last-Modified"),
		}
	case meansNotModified:
		o.notModified = true
	case meansUnavailable:
		o.class, o.cause = ClassUnavailable, answered(a.status)
	default:
		o.class, o.cause = ClassUnreachable, answered(a.status)
		o.wait, _ = retryAfter(a.header, time.Now())
	}
	return o
}

func answered(status int) string {
	return strings.TrimSpace(fmt.Sprintf("it was answered with %d %s", status, http.StatusText(status)))
}

// plain is an error's text without the URL that net/url's errors repeat.
func plain(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// isRobotsURL reports whether u is the robots.txt of its origin.
func isRobotsURL(u *url.URL) bool {
	return u.Path == robotsPath && u.RawQuery == "" && !u.ForceQuery && u.Opaque == ""
}
