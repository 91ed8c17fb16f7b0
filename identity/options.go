package identity

import (
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// Mode is what happens to a request whose User-Agent or From is not the declared one.
type Mode uint8

const (
	// Overwrite sends the declared header in place of the other one. The first time, the log says what the likely cause is.
	Overwrite Mode = iota
	// Refuse does not send the request: for teams, where a callback that changes the name is a mistake to be found.
	Refuse
)

// Form is how a User-Agent is built from its parts.
type Form uint8

const (
	// Plain is "AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev) colly/2.3.0", which satisfies what demanding sites ask for.
	Plain Form = iota
	// Compatible is "Mozilla/5.0 (compatible; AcmeBot/1.2; +https://bot.acme.dev/crawler; mailto:crawl@acme.dev)". Some sites turn such strings away.
	Compatible
)

// Refusals says what becomes of a refused GET or HEAD. The zero value is RefusalsAuto.
type Refusals uint8

// The ways to refuse.
const (
	// RefusalsAuto is RefusalsSkip, or RefusalsError for a collector that had IgnoreRobotsTxt = false.
	RefusalsAuto Refusals = iota
	// RefusalsSkip lets Visit return nil for what is known to be refused before it is sent. What is found out on the wire is an error.
	RefusalsSkip
	// RefusalsError makes every refusal an error of Visit and OnError.
	RefusalsError
)

// Options say who the crawler is. UserAgent or Product must be given; the zero value of all else is the polite default. An Options must not be
// changed after New.
type Options struct {
	// UserAgent is the whole header. Empty: it is built from Product and the parts below. A whole one excludes Version, ContactURL, ContactEmail,
	// Form and Suffix.
	UserAgent string

	// Product is the product token (RFC 9309, 2.2.1): 3 to 64 of A-Z, a-z, "_" and "-". With UserAgent it may be empty, and is then the one named
	// there; given, it must stand there as a whole product.
	Product string
	// Version follows the product; empty: none. It is an HTTP token such as "1.2".
	Version string
	// ContactURL is the https page about the crawler. Empty: ContactEmail must be given.
	ContactURL string
	// ContactEmail is where people answer, one address without a name; it is sent as From, too. Empty: ContactURL must be given.
	ContactEmail string
	// Form of the header that is built. The zero value is Plain.
	Form Form
	// Suffix are further products behind it. Nil means Colly's name and version; an empty slice means none.
	Suffix []string

	// From is the From field (RFC 9110, 10.1.2): one address without a name. Empty means ContactEmail, or the first email address in UserAgent;
	// if there is none either, the field is not sent.
	From string
	// NoFrom sends no From field. A crawler should send one.
	NoFrom bool

	// Require is what UserAgent and From must name at least. The zero value is AnyContact. Hosts of PerHost are not held to it.
	Require Require

	// Mode is what happens to a request whose header is not the declared one. The zero value is Overwrite.
	Mode Mode
	// PerHost holds the whole User-Agent for single hosts that ask for a form of their own, judged by the same rules. The keys are names
	// without scheme, port and wildcard.
	PerHost map[string]string
	// TokenOptional lists hosts of PerHost whose User-Agent need not hold the product token. For robots.txt the token stays Product.
	TokenOptional []string
	// BrowserLike lets requests to single hosts go out under the User-Agent that the program sets, for sites that only serve browsers; the
	// value is the reason, which is logged. From is still sent, the product token for robots.txt stays, and the interval is doubled.
	BrowserLike map[string]string

	// OnSkip is called once for each request that was refused, with no lock held. The request is nil for plain clients, plain clones and
	// robots.txt. Nil: nobody is called.
	OnSkip func(r *colly.Request, s report.Skip)
	// Logger gets skips and warnings. Nil means slog.Default.
	Logger *slog.Logger
	// Report records the skips. Nil: they are only logged.
	Report *report.Report

	// Base sends what is let pass. Nil means the pack's own transport.
	Base http.RoundTripper
	// Schemes are served by Base outside the pack, "file" for example. Nil: none.
	Schemes []string
	// AllowPrivate lets a redirect lead from a public address to a private one.
	AllowPrivate bool
	// Refusals says what becomes of a refused GET or HEAD. The zero value is RefusalsAuto.
	Refusals Refusals
}

func (o *Options) chainConfig() chain.Config {
	return chain.Config{Base: o.Base, Schemes: o.Schemes, AllowPrivate: o.AllowPrivate, Refusals: chain.Refusals(o.Refusals)}
}

// equal reports whether o and p ask for the same. Two functions are never the same: what they close over cannot be compared.
func (o *Options) equal(p *Options) bool {
	if o.OnSkip != nil || p.OnSkip != nil || !sameBase(o.Base, p.Base) {
		return false
	}
	if !maps.Equal(o.PerHost, p.PerHost) || !maps.Equal(o.BrowserLike, p.BrowserLike) || (o.Suffix == nil) != (p.Suffix == nil) ||
		!slices.Equal(o.Suffix, p.Suffix) || !slices.Equal(o.TokenOptional, p.TokenOptional) || !slices.Equal(o.Schemes, p.Schemes) {
		return false
	}
	return o.UserAgent == p.UserAgent && o.Product == p.Product && o.Version == p.Version && o.ContactURL == p.ContactURL &&
		o.ContactEmail == p.ContactEmail && o.Form == p.Form && o.From == p.From && o.NoFrom == p.NoFrom && o.Require == p.Require && o.Mode == p.Mode &&
		o.Logger == p.Logger && o.Report == p.Report && o.AllowPrivate == p.AllowPrivate && o.Refusals == p.Refusals
}

func sameBase(a, b http.RoundTripper) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}
