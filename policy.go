package etiquette

import (
	"log/slog"
	"net/http"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// Policy is everything that a team says about how its scrapers behave. Make it in code, or read it from a file with [ReadPolicy], tighten it in code,
// and give it to [New]. The zero value of each field is the polite default; UserAgent, or Identity.Product with a contact, must be given.
//
// Identity, Throttle, Robots and KillSwitch are the options of the parts. What all parts have in common is said once, here: their OnSkip, Logger,
// Report, Base, Schemes, AllowPrivate, Refusals and StateDir must be left empty, and so must what has a field of its own here. New names what is not.
//
// A Policy is a value. New keeps a copy; it must not be changed once a Guard is made of it.
type Policy struct {
	// UserAgent is the whole header: product token, version and a contact, such as "MyDataBot/1.0 (+https://bot.example.com/about)". Empty: it is
	// built from Identity.Product and what stands beside it.
	UserAgent string
	// Identity says the rest about who we are.
	Identity identity.Options

	// Pace is how fast hosts are asked; the first rule that matches a host counts. A host that none matches is asked once a second, one request at a
	// time.
	Pace []throttle.LimitRule
	// Throttle says the rest about pace: how long a crawl delay or a block is waited for, ceilings over all hosts, retries.
	Throttle throttle.Options
	// Share is how many processes ask the same hosts: each keeps that many times the interval. Zero means one.
	Share int
	// Hours are when hosts may be asked; the first that matches a host counts. A host that none matches is asked at any time, as far as its own
	// Visit-time lets it be.
	Hours []Hours
	// PerDay is how much of a host is asked for on one day; the first that matches a host counts. A host that none matches has no such limit.
	PerDay []PerDay
	// MaxRequests is how many requests are sent in all, robots.txt and redirects included; what was refused does not count. Zero means no limit.
	MaxRequests int

	// Take is what is taken of an answer: content types, most bytes; the first rule that matches a host counts. Of a host that none matches everything is.
	Take []Take

	// Robots says how robots.txt is obeyed. Its Store may be given; nil means files below StateDir, or memory alone.
	Robots collyrobots.Options
	// AlsoObey are product tokens whose groups are obeyed besides our own, such as "GPTBot" for who collects training data.
	AlsoObey []string
	// Permit is what sites' owners allowed us although their robots.txt disallows it. It overrules robots.txt alone, and each use is reported.
	Permit []collyrobots.Permit

	// StopFile is the path of the file that names the hosts to be left alone. It is watched; a stop holds within about a second. Empty: stops come from
	// code and the admin endpoint alone. [ReadPolicy] takes it relative to the folder of the policy file.
	StopFile string
	// KillSwitch says the rest about stops: tickets, alarms, the admin endpoint's token.
	KillSwitch killswitch.Options

	// StateDir is a folder for what must outlive the process, in a sub-folder for each part: copies of robots.txt, blocks and debts, stops. It is made
	// if it is missing, and several processes may share one; so a scraper that cron starts each minute remembers a Retry-After. Empty: nothing is kept.
	// [ReadPolicy] takes it relative to the folder of the policy file.
	StateDir string
	// ReportFile is where each skip is written as a line of JSON. Empty: none is. [ReadPolicy] takes it relative to the folder of the policy file.
	ReportFile string

	// Refusals says what becomes of a refused GET or HEAD. Zero means RefusalsAuto.
	Refusals Refusals
	// AllowPrivate lets a redirect lead from a public address to a private one.
	AllowPrivate bool
	// Schemes are further schemes that Base serves past the pack, such as "file".
	Schemes []string
	// Base sends what may be sent. Nil means the pack's own transport. A transport of your own goes here, not into the collector.
	Base http.RoundTripper
	// OnSkip is called once for each request that was not sent, whichever part refused it, with no lock held, and by several goroutines at once.
	// r is nil for plain clients, plain clones, robots.txt and what a Frontier still held.
	OnSkip func(r *colly.Request, s report.Skip)
	// Logger gets an Info line for each skip and warnings. Nil means slog.Default().
	Logger *slog.Logger
}

// Refusals says what becomes of a refused GET or HEAD. The zero value is RefusalsAuto. Every other method is always refused with an error.
type Refusals uint8

const (
	// RefusalsAuto is RefusalsSkip; for a collector that had IgnoreRobotsTxt = false it is RefusalsError, since its Visit returned an error so far.
	RefusalsAuto = Refusals(chain.RefusalsAuto)
	// RefusalsSkip makes what is already known to be refused a skip: Visit returns nil and OnError is not called. What is found out on the wire is
	// an error.
	RefusalsSkip = Refusals(chain.RefusalsSkip)
	// RefusalsError makes every refusal an error of Visit and OnError.
	RefusalsError = Refusals(chain.RefusalsError)
)
