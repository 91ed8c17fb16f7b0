package collyrobots

import (
	"errors"
	"fmt"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// Why a request was not sent. Both also match colly.ErrRobotsTxtBlocked, so that programs that looked for Colly's error go on to work.
var (
	// ErrDisallowed: a rule of robots.txt disallows the URL.
	ErrDisallowed error = &blocked{"collyrobots: disallowed by robots.txt"}
	// ErrUnreachable: robots.txt could not be read, and until it can be everything is disallowed (RFC 9309, 2.3.1.4).
	ErrUnreachable error = &blocked{"collyrobots: robots.txt is unreachable"}
)

type blocked struct{ text string }

func (b *blocked) Error() string { return b.text }
func (b *blocked) Unwrap() error { return colly.ErrRobotsTxtBlocked }

// Decision says whether a URL may be fetched, at which pace, and why. It is a value: nothing in it changes later.
type Decision struct {
	URL    string // what was asked for, without userinfo
	Origin string // whose robots.txt decides, such as "https://shop.example"; empty if the URL is unusable

	Allowed bool
	// Class is what the answer to the request for robots.txt meant. It is empty where none was needed: for /robots.txt itself.
	Class Class
	// Reason is why the URL is not allowed; empty if it is.
	Reason report.Reason
	// Permitted says that the URL is allowed by Options.Permits alone: the rule below disallows it.
	Permitted bool

	// ProductToken is the token that we were judged by, or "*" where there is none. The rules may still be those of the "*" group.
	ProductToken string
	Line         int    // of the rule that decided, counted from 1; 0: no rule matched
	Rule         string // that rule, such as "disallow: /private/*"; empty: no rule matched

	// CrawlDelay is how long the site asks us to wait between two requests, as it says it; it counts only if HasCrawlDelay.
	CrawlDelay    time.Duration
	HasCrawlDelay bool

	FetchedAt time.Time // when the answer came that decides
	ExpiresAt time.Time // until when it decides
	Status    int       // of that answer; 0: none came
	// RetryAt is when an unreachable robots.txt is asked for again, and the URL may be too. Zero: at no known time.
	RetryAt time.Time
	// Err is what kept robots.txt from being read; nil for rules.
	Err error
}

// RefusedError is the error of each request that robots.txt kept from being sent. It matches [ErrDisallowed] or [ErrUnreachable], and what
// Decision.Err matches. It implements report.Refusal.
type RefusedError struct{ Decision Decision }

func (e *RefusedError) Error() string {
	return "collyrobots: " + e.Decision.URL + " not sent: " + e.Decision.sentence()
}

// Is reports whether target is the sentinel of this refusal.
func (e *RefusedError) Is(target error) bool {
	sentinel := ErrUnreachable
	if e.Decision.Reason == report.RobotsDisallowed {
		sentinel = ErrDisallowed
	}
	return target == sentinel || target == colly.ErrRobotsTxtBlocked
}

// Unwrap is what kept robots.txt from being read, or nil.
func (e *RefusedError) Unwrap() error { return e.Decision.Err }

// Skip implements report.Refusal.
func (e *RefusedError) Skip() report.Skip {
	d := &e.Decision
	return report.Skip{
		Time: time.Now(), URL: d.URL, Reason: d.Reason, Detail: d.sentence(), Line: d.Line, Rule: d.Rule, RetryAt: d.RetryAt,
	}
}

// sentence is why the URL is not allowed, for people.
func (d *Decision) sentence() string {
	var foreign report.Refusal
	switch {
	case d.Line > 0:
		return fmt.Sprintf("line %d of %s/robots.txt: %s", d.Line, d.Origin, d.Rule)
	case d.Reason == report.RobotsDisallowed:
		return fmt.Sprintf("%s/robots.txt was answered with %d, which Options.ForbiddenDisallows takes for a no", d.Origin, d.Status)
	case d.Reason != report.RobotsUnreachable && errors.As(d.Err, &foreign):
		return "its robots.txt was not asked for: " + d.Err.Error()
	case d.Origin == "":
		return fmt.Sprintf("it has no robots.txt that could be asked for: %v", d.Err)
	}
	s := fmt.Sprintf("%s/robots.txt cannot be read (%v), so everything is disallowed", d.Origin, d.Err)
	if !d.RetryAt.IsZero() {
		s += "; it is asked for again at " + d.RetryAt.Format(time.RFC3339)
	}
	return s
}
