package throttle

import (
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// The limits that hold where Options says nothing.
const (
	DefaultMaxCrawlDelay = 5 * time.Minute
	DefaultMaxBlockWait  = 5 * time.Minute
	DefaultMaxHosts      = 1_000_000
)

// Refusals says what becomes of a refused GET or HEAD.
type Refusals = chain.Refusals

// The ways to refuse.
const (
	// RefusalsAuto is RefusalsSkip, or RefusalsError for a collector that had IgnoreRobotsTxt = false.
	RefusalsAuto = chain.RefusalsAuto
	// RefusalsSkip aborts what is already known to be refused: Visit returns nil and the skip is told. What is found out later is an error.
	RefusalsSkip = chain.RefusalsSkip
	// RefusalsError makes every refusal an error of Visit and OnError.
	RefusalsError = chain.RefusalsError
)

// Options is everything that can be said to New. The zero value paces every host by itself at one request a second, one at a time.
type Options struct {
	// Rules are the paces of hosts; the first that matches counts. A host that none matches gets the zero LimitRule.
	Rules []LimitRule
	// MaxCrawlDelay is the longest crawl delay that is kept. A host whose robots.txt asks for more is parked (crawl_delay_too_long) and never
	// crawled faster than it asks. Zero means DefaultMaxCrawlDelay.
	MaxCrawlDelay time.Duration
	// MaxBlockWait is how long a request waits for the end of a block, which a 429 or 503 earned, for the opening of a host that is asked at other Hours,
	// or for the next day's Budget. One that would wait longer is refused (rate_limited, outside_hours, budget) with the time at which to ask again. Zero
	// means DefaultMaxBlockWait, negative that none waits.
	MaxBlockWait time.Duration
	// Hours are when hosts may be asked; the first that matches a host counts. A host that none matches is asked at any time.
	Hours []Hours
	// Budgets are how much of a host is asked for on one day; the first that matches a host counts. A host that none matches has no such limit.
	Budgets []Budget
	// Total is how many requests a second are started over all hosts. Zero means no such limit.
	Total float64
	// DomainRate is how many requests a second the hosts of one registered domain get together, robots.txt included. It is never less than a rule with
	// a Delay of its own gives one of these hosts, and does not hold for those with NoDelay, for addresses and for names of one label. Zero means
	// DefaultDomainRate, negative no such limit.
	DomainRate float64
	// Share is how many processes ask the same hosts: each keeps that many times the interval, whether it is a rule's, the default or a crawl delay, since a
	// site means the crawler as a whole, and gets that part of DomainRate. Zero and 1 mean that this process is alone.
	Share int
	// MaxRequests is how many requests are sent in all, over all hosts, robots.txt and redirects included; what was refused or cancelled before it was
	// sent does not count. A further one is refused (budget) with no time at which to ask again, but for a robots.txt: nothing is asked without its
	// rules. Zero means no limit.
	MaxRequests int
	// MaxHosts is how many hosts are known at once, at some 110 bytes each, and up to 300 more for one with Hours or a Budget. One that owes nothing makes
	// room, and so does one whose Budget was touched, once the day is over; if none does, a new host is refused (host_table_full). Zero means
	// DefaultMaxHosts.
	MaxHosts int
	// Retries is how often a GET or HEAD that was answered 429 or 503 is asked again by itself, after the block. Zero means never: the handlers
	// get the answer. The last answer is theirs in any case.
	Retries int
	// StateDir is a directory for what is owed across restarts: blocks, parked hosts, next starts, what is spent of Budgets. It is made if it is missing.
	// Several processes may share one. Empty means that nothing is written.
	StateDir string

	// OnSkip is called once for each request that was refused, with no lock held. r is nil for plain clients, plain clones, robots.txt
	// and what a Frontier still held.
	OnSkip func(r *colly.Request, s report.Skip)
	// Logger gets the log. Nil means slog.Default().
	Logger *slog.Logger
	// Report records what was refused. Nil means none.
	Report *report.Report

	// Base sends what may be sent. Nil means the pack's own transport.
	Base http.RoundTripper
	// Schemes are further schemes that Base serves unpaced, such as "file".
	Schemes []string
	// AllowPrivate lets a redirect lead from a public to a private address.
	AllowPrivate bool
	// Refusals says what becomes of a refused GET or HEAD.
	Refusals Refusals
}

func (o *Options) check() error {
	switch {
	case o.MaxCrawlDelay < 0:
		return fmt.Errorf("throttle: Options.MaxCrawlDelay %s is negative: zero means %s", o.MaxCrawlDelay, DefaultMaxCrawlDelay)
	case o.MaxCrawlDelay > longestCrawlDelay:
		return fmt.Errorf("throttle: Options.MaxCrawlDelay %s is longer than %s, the longest that can be kept", o.MaxCrawlDelay, longestCrawlDelay)
	case o.Total < 0 || math.IsNaN(o.Total) || math.IsInf(o.Total, 0):
		return fmt.Errorf("throttle: Options.Total %v is no number of requests a second: zero means no limit", o.Total)
	case math.IsNaN(o.DomainRate) || math.IsInf(o.DomainRate, 0):
		return fmt.Errorf("throttle: Options.DomainRate %v is no number: zero means %d a second, a negative one no limit", o.DomainRate, DefaultDomainRate)
	case o.Share < 0:
		return fmt.Errorf("throttle: Options.Share %d is negative: it is a number of processes, zero means one", o.Share)
	case o.MaxRequests < 0:
		return fmt.Errorf("throttle: Options.MaxRequests %d is negative: zero means no limit", o.MaxRequests)
	case o.MaxHosts < 0:
		return fmt.Errorf("throttle: Options.MaxHosts %d is negative: zero means %d", o.MaxHosts, DefaultMaxHosts)
	case o.Retries < 0:
		return fmt.Errorf("throttle: Options.Retries %d is negative: zero means none", o.Retries)
	}
	return nil
}

func (o *Options) config() chain.Config {
	return chain.Config{Base: o.Base, Schemes: o.Schemes, AllowPrivate: o.AllowPrivate, Refusals: o.Refusals}
}
