package collyrobots

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/token"
	"github.com/collyetiquette/etiquette/report"
)

// Options is everything that can be said about how robots.txt is obeyed. The zero value is the polite default.
type Options struct {
	// ProductToken is the name by which robots.txt addresses this crawler (RFC 9309, 2.2.1): letters, "-" and "_" only. Empty means that of
	// the User-Agent that each request sends. Where package identity is attached, its token counts instead. If the User-Agent does not
	// contain the token, it still counts, and a warning says that the site's owner cannot tell.
	ProductToken string
	// AlsoObey are product tokens whose groups are obeyed besides our own, if robots.txt names them: those of other crawlers with our
	// purpose, such as "GPTBot" for one that collects training data. A URL must be allowed by all of them, and the longest crawl delay holds.
	AlsoObey []string
	// Permits are what sites' owners allowed us although their robots.txt disallows it. Nil means nothing.
	Permits []Permit

	// MaxAge is how long a fetched robots.txt may be used. Zero means 24 hours, which is also the most that RFC 9309, 2.4 allows; more is an
	// error, and so is less than an hour. What the site says in Cache-Control or Expires may shorten it, down to an hour.
	MaxAge time.Duration
	// Store keeps what is known beyond the life of the process. Nil means memory alone.
	Store Store
	// CacheBytes is about how much memory may be used for what is known of all origins. Zero means 64 MiB. An origin that must not be
	// asked yet, since its robots.txt is unreachable, is kept beyond that. Less than 1 MiB is an error: what is forgotten must be asked for again.
	CacheBytes int64
	// MaxBody is how many bytes of a robots.txt are read, decompressed. Zero means 500 KiB (512,000), which is also the least that RFC 9309,
	// 2.5 allows; a smaller value is an error.
	MaxBody int64

	// ForbiddenDisallows makes a robots.txt that is answered with 401 or 403 disallow everything. RFC 9309, 2.3.1.3 allows everything then.
	ForbiddenDisallows bool
	// StaleIfUnreachable is for how long after its life time the last good copy goes on to count while robots.txt is unreachable
	// (RFC 9309, 2.4 permits it). Zero means not at all: everything is disallowed.
	StaleIfUnreachable time.Duration
	// Patience is how long a request is held while robots.txt is unreachable, instead of being refused at once. It is refused without a wait
	// if the next look at robots.txt comes later than that: the first comes after a minute at the earliest, so less than that helps nobody. Zero
	// means that nothing is held.
	Patience time.Duration
	// AfterThirtyDays says what holds once robots.txt has been unreachable for 30 days (RFC 9309, 2.3.1.4). Zero means StayDisallowed.
	AfterThirtyDays AfterThirtyDays

	// Refusals says what becomes of a refused GET or HEAD. Zero means RefusalsAuto. Every other method is always refused
	// with an error.
	Refusals Refusals
	// OnSkip is called once for each request that is not sent, with no lock held, by whichever goroutine asked: it may run several times at once.
	// r is nil where no callback of ours saw the request: plain clients, plain clones, and robots.txt itself.
	OnSkip func(r *colly.Request, s report.Skip)
	// Logger gets an Info line for each skip and a Warn for what needs a look. Nil means slog.Default().
	Logger *slog.Logger
	// Report counts skips by reason and rule. Nil means one of our own: see [Robots.Report].
	Report *report.Report

	// Base sends what is allowed. Nil means the pack's own transport. A transport set on the collector before Attach goes here.
	Base http.RoundTripper
	// Schemes are served by Base without any robots.txt, "file" for example. Nil means none.
	Schemes []string
	// AllowPrivate lets a redirect lead from a public address to a private one.
	AllowPrivate bool
}

// Refusals says what becomes of a refused GET or HEAD. The zero value is RefusalsAuto.
type Refusals uint8

const (
	// RefusalsAuto is RefusalsSkip; for a collector with IgnoreRobotsTxt = false, set before Attach or after it, it is RefusalsError: its Visit
	// returned an error so far.
	RefusalsAuto = Refusals(chain.RefusalsAuto)
	// RefusalsSkip makes what is already known to be refused a skip: Visit returns nil and OnError is not called. What is found out on the wire
	// is an error.
	RefusalsSkip = Refusals(chain.RefusalsSkip)
	// RefusalsError makes every refusal an error of Visit and OnError. The same refused request asked again is answered later each time, after a
	// second, two, four, up to a minute, so that a loop of Retry does not spin.
	RefusalsError = Refusals(chain.RefusalsError)
)

// AfterThirtyDays says what holds once robots.txt has been unreachable for 30 days. The zero value is StayDisallowed.
type AfterThirtyDays uint8

const (
	// StayDisallowed goes on to disallow everything.
	StayDisallowed AfterThirtyDays = iota
	// Unavailable takes the site for one without a robots.txt: all is allowed.
	Unavailable
	// LastCopy goes on with the last copy that could be read. Without one, everything stays disallowed.
	LastCopy
)

const (
	defaultCacheBytes = 64 << 20
	leastCacheBytes   = 1 << 20
	thirtyDays        = 30 * 24 * time.Hour
)

// checked is the options with their defaults filled in, or an error that names the field and its value.
func (o Options) checked() (Options, error) {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("collyrobots: Options."+format, args...))
	}
	if o.ProductToken != "" {
		if fault := tokenFault(o.ProductToken); fault != "" {
			bad("ProductToken %q %s", o.ProductToken, fault)
		}
	}
	for i, t := range o.AlsoObey {
		if fault := tokenFault(t); fault != "" {
			bad("AlsoObey[%d] %q %s", i, t, fault)
		}
	}
	if _, err := compilePermits(o.Permits); err != nil {
		bad("%w", err)
	}
	if o.MaxAge != 0 && (o.MaxAge < shortestLife || o.MaxAge > longestLife) {
		bad("MaxAge %s is not between 1h, so that no site is asked for its robots.txt all the time, and 24h, the longest that RFC 9309, 2.4 allows", o.MaxAge)
	}
	if o.CacheBytes != 0 && o.CacheBytes < leastCacheBytes {
		bad("CacheBytes %d is less than 1048576, 1 MiB: what is forgotten must be asked for again", o.CacheBytes)
	}
	if o.MaxBody != 0 && (o.MaxBody < parsingLimit || o.MaxBody > mostBody) {
		bad("MaxBody %d is not between 512000, the least that RFC 9309, 2.5 allows, and %d", o.MaxBody, mostBody)
	}
	if o.StaleIfUnreachable < 0 {
		bad("StaleIfUnreachable %s is negative", o.StaleIfUnreachable)
	}
	if o.Patience < 0 {
		bad("Patience %s is negative", o.Patience)
	}
	if o.AfterThirtyDays > LastCopy {
		bad("AfterThirtyDays %d is none of StayDisallowed, Unavailable, LastCopy", o.AfterThirtyDays)
	}
	if o.Refusals > RefusalsError {
		bad("Refusals %d is none of RefusalsAuto, RefusalsSkip, RefusalsError", o.Refusals)
	}
	for i, s := range o.Schemes {
		if s == "" || strings.EqualFold(s, "http") || strings.EqualFold(s, "https") {
			bad("Schemes[%d] %q is not a scheme that can go past robots.txt", i, s)
		}
	}
	if o.MaxAge == 0 {
		o.MaxAge = longestLife
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCacheBytes
	}
	if o.MaxBody == 0 {
		o.MaxBody = parsingLimit
	}
	o.AlsoObey, o.Schemes, o.Permits = slices.Clone(o.AlsoObey), slices.Clone(o.Schemes), slices.Clone(o.Permits)
	return o, errors.Join(errs...)
}

// mostBody keeps a typing error from becoming a crawler that reads gigabytes.
const mostBody = 64 << 20

// tokenFault says what keeps t from being a product token; empty if nothing does.
func tokenFault(t string) string {
	if token.Valid(t) {
		return ""
	}
	if t == "" {
		return "is empty"
	}
	i := strings.IndexFunc(t, func(c rune) bool { return c > 0x7F || !token.Valid(string(c)) })
	if i < 0 {
		return "is no product token"
	}
	return fmt.Sprintf("holds %.8q: a product token is letters, \"-\" and \"_\" only (RFC 9309, 2.2.1)", string([]rune(t[i:])[0]))
}

// equal reports whether two checked options say the same. Functions cannot be compared: two with an OnSkip are never equal.
func (o *Options) equal(p *Options) bool {
	return o.ProductToken == p.ProductToken && slices.Equal(o.AlsoObey, p.AlsoObey) && slices.Equal(o.Permits, p.Permits) &&
		o.MaxAge == p.MaxAge && sameValue(o.Store, p.Store) && o.CacheBytes == p.CacheBytes && o.MaxBody == p.MaxBody &&
		o.ForbiddenDisallows == p.ForbiddenDisallows && o.StaleIfUnreachable == p.StaleIfUnreachable && o.Patience == p.Patience &&
		o.AfterThirtyDays == p.AfterThirtyDays && o.Refusals == p.Refusals &&
		o.OnSkip == nil && p.OnSkip == nil && o.Logger == p.Logger && o.Report == p.Report &&
		sameValue(o.Base, p.Base) && slices.Equal(o.Schemes, p.Schemes) && o.AllowPrivate == p.AllowPrivate
}

// sameValue compares what two interfaces hold, without the panic of == on values that cannot be compared.
func sameValue(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}
