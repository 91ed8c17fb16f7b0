package killswitch

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// Refusals says what becomes of a refused GET or HEAD. The zero value is RefusalsAuto.
type Refusals uint8

// The ways to refuse.
const (
	// RefusalsAuto is RefusalsSkip, or RefusalsError for a collector that had IgnoreRobotsTxt = false.
	RefusalsAuto Refusals = iota
	// RefusalsSkip lets Visit return nil for what is known to be stopped before it is sent.
	RefusalsSkip
	// RefusalsError makes every refusal an error of Visit and OnError.
	RefusalsError
)

// The defaults of Options.
const (
	DefaultPoll   = 500 * time.Millisecond
	DefaultSettle = 2 * time.Second
)

// minToken is the least length of an admin token, in bytes.
const minToken = 32

// Options say where stops come from and what is kept of them. The zero value holds rules in memory only.
type Options struct {
	// File is the path of the stop file. It is read by New, again at the first use, and from then on every Poll. Empty: none.
	File string
	// AllowMissing lets New succeed without the file; it is used as soon as it exists.
	AllowMissing bool
	// Poll is how often File and StateDir are looked at. Zero means 500 ms.
	Poll time.Duration
	// Settle is how long a file must stand unchanged before what it no longer says is lifted. Zero means 2 s. Stops apply at first sight.
	Settle time.Duration
	// MaxStale stops everything once File could not be read for so long, until it can. Zero: what was read last stays in force.
	MaxStale time.Duration

	// StateDir keeps, across restarts, the stops made by Stop, by the endpoint and automatically, the last good copy of File, and the audit log
	// audit.jsonl. It is made if need be. Several processes may share one; all then have the same stops. Empty: none.
	StateDir string
	// StopAllOnCorrupt lets New succeed when what StateDir holds is damaged, with everything stopped. Otherwise that is an error.
	StopAllOnCorrupt bool

	// RequireTicket refuses a Stop without a Ticket, and takes a stop file with such a rule for invalid; the rule in it stops all the same.
	RequireTicket bool
	// Ignore451 leaves a URL alone that was answered with 451 (Unavailable For Legal Reasons, RFC 7725). By default it is stopped until a person
	// lifts that; with ten such URLs of a host, the host is.
	Ignore451 bool
	// StopAccessDenied stops a host, until a person lifts that, when the throttle gives it up as access_denied.
	StopAccessDenied bool

	// Token is what the endpoint's callers must send as "Authorization: Bearer", 32 bytes at least. Empty, with TokenFile: nobody is let in.
	Token string
	// TokenFile holds such tokens, one a line. It is read at each call, so that tokens can be changed while the crawl runs.
	TokenFile string
	// BehindProxy says that the endpoint stands behind a reverse proxy that does TLS, so that it need not look for that itself.
	BehindProxy bool

	// OnAlarm is called when the stop file or the saved state goes wrong, or a rule stops a whole public suffix such as "co.uk", once for each problem.
	// Nil: it is only logged. OnAlarm and OnChange have a goroutine for themselves, which calls one at a time, so they may take their time and
	// call the Switch.
	OnAlarm func(error)
	// OnChange is called after the rules in force have changed since New: one came, was lifted, or expired. Several changes may lead to one call. It is
	// what throttle.Frontier.Refilter should hear of. Nil: nobody is called.
	OnChange func()
	// OnSkip is called once for each request that was not sent, with no lock held. r is nil for plain clients, plain clones, robots.txt and
	// queued requests.
	OnSkip func(r *colly.Request, s report.Skip)
	// Logger is slog.Default if nil.
	Logger *slog.Logger
	// Report records each skip. Nil: none does.
	Report *report.Report

	// Base sends what may be sent. Nil: the pack's own transport, one for the process.
	Base http.RoundTripper
	// Schemes are served by Base past the kill switch, "file" for example.
	Schemes []string
	// AllowPrivate lets a redirect lead from a public address to a private one.
	AllowPrivate bool
	// Refusals says what becomes of a refused GET or HEAD.
	Refusals Refusals
}

func (o *Options) check() error {
	var errs []error
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"Poll", o.Poll}, {"Settle", o.Settle}, {"MaxStale", o.MaxStale}} {
		if d.value < 0 {
			errs = append(errs, fmt.Errorf("killswitch: Options.%s %s is negative", d.name, d.value))
		}
	}
	if o.Token != "" && len(o.Token) < minToken {
		errs = append(errs, fmt.Errorf("killswitch: Options.Token has %d bytes, %d random ones are the least", len(o.Token), minToken))
	}
	if o.Refusals > RefusalsError {
		errs = append(errs, fmt.Errorf("killswitch: Options.Refusals %d is none of the three", o.Refusals))
	}
	return errors.Join(errs...)
}

func (o *Options) poll() time.Duration {
	if o.Poll == 0 {
		return DefaultPoll
	}
	return o.Poll
}

func (o *Options) settle() time.Duration {
	if o.Settle == 0 {
		return DefaultSettle
	}
	return o.Settle
}

func (o *Options) config() chain.Config {
	return chain.Config{Base: o.Base, Schemes: o.Schemes, AllowPrivate: o.AllowPrivate, Refusals: chain.Refusals(o.Refusals)}
}
