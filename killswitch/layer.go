package killswitch

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// layer is a Switch in a chain. A layer without a switch belongs to an Attach that failed: it lets nothing through.
type layer struct {
	now    atomic.Pointer[Switch]
	fault  error // why there is no switch
	teller chain.Teller
}

func newLayer(s *Switch) *layer {
	l := &layer{teller: chain.Teller{OnSkip: s.opts.OnSkip, Logger: s.opts.Logger, Report: s.opts.Report}}
	l.now.Store(s)
	return l
}

func (l *layer) Kind() chain.Kind { return chain.KillSwitch }

// Skipped implements chain.Layer.
func (l *layer) Skipped(r *colly.Request, s report.Skip) {
	if sw := l.now.Load(); sw != nil {
		sw.layer.teller.Skipped(r, s)
		return
	}
	l.teller.Skipped(r, s)
}

// Handle refuses what is stopped, and makes the rest known so that a stop can end it.
func (l *layer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	s := l.now.Load()
	if s == nil {
		return h.Refuse(l.failed(h.URL(), h.Method()))
	}
	s.use()
	shard, key := s.flights.shardOf(h)
	shard.enter(h, key, h.Chain().Layer(chain.Throttle) != nil) // before the look at the rules: see flights
	h.OnEnd(func(resp *http.Response, err error) { shard.leave(h, wasSent(resp, err)) })
	if err := s.refuse(h.URL(), h.Dialled(), h.Method()); err != nil {
		return h.Refuse(err)
	}
	resp, err := next(h)
	if err == nil {
		shard.answered(h)
	}
	s.learn(h, resp, err)
	return resp, err
}

// wasSent tells from a hop's end whether it was on the wire, or may have been.
func wasSent(resp *http.Response, err error) bool {
	if resp != nil || err == nil {
		return true
	}
	var ours *Error
	if errors.As(err, &ours) {
		return ours.Ended
	}
	var r report.Refusal
	return !errors.As(err, &r)
}

// refuse is the error of a request that may not be sent, or nil.
func (s *Switch) refuse(sent, dialled *url.URL, method string) error {
	e := s.index.findBoth(sent, dialled)
	if e == nil {
		return nil
	}
	if !e.stops() {
		s.observe(e, sent)
		return nil
	}
	e.refused.Add(1)
	return newError(e, sent, method)
}

// observe counts what an Observe rule would refuse; the log gets each power of two.
func (s *Switch) observe(e *entry, u *url.URL) {
	if n := e.observed.Add(1); n&(n-1) == 0 {
		s.log().Info("killswitch: would be stopped", "url", report.RedactURL(u.String()), "rule", e.rule.ID, "so_far", n)
	}
}

// Admit implements chain.Admitter: memory only, so it does not wait for the first read of a file.
func (l *layer) Admit(a chain.Admission) error {
	s := l.now.Load()
	if s == nil || !layered(a.Dialled) {
		return nil // a failed Attach shall be seen as an error, so the wire gives it
	}
	s.wake()
	e := s.index.findBoth(a.URL, a.Dialled)
	if !e.stops() {
		return nil
	}
	e.refused.Add(1)
	return newError(e, a.URL, a.Method)
}

// layered reports whether a URL's requests come through the layers at all; other schemes go past them.
func layered(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// Recheck implements chain.Rechecker: the wait is over, and the request about to start.
func (l *layer) Recheck(h *chain.Hop) (stale bool, err error) { return false, l.again(h) }

// Resend implements chain.Resender: a second request on the wire is a new one.
func (l *layer) Resend(h *chain.Hop) error { return l.again(h) }

func (l *layer) again(h *chain.Hop) error {
	s := l.now.Load()
	if s == nil {
		return l.failed(h.URL(), h.Method())
	}
	if e := s.index.findBoth(h.URL(), h.Dialled()); e.stops() {
		e.refused.Add(1)
		return newError(e, h.URL(), h.Method())
	}
	shard, _ := s.flights.shardOf(h)
	shard.started(h)
	return nil
}

// Holds implements chain.Holder: a request that was refused is remembered for as long as it would be refused again.
func (l *layer) Holds(a chain.Admission, _ report.Skip) bool {
	s := l.now.Load()
	return s == nil || s.index.findBoth(a.URL, a.Dialled).stops()
}

// failed is the refusal of a collector whose Attach failed.
func (l *layer) failed(u *url.URL, method string) error {
	e := newError(&entry{rule: Rule{ID: "attach-failed", All: true, Action: Stop, Reason: "there is no kill switch: " + l.fault.Error()}}, u, method)
	return e
}

// Log lets the chain use the part's logger for its own lines.
func (l *layer) Log() *slog.Logger {
	if sw := l.now.Load(); sw != nil {
		return sw.layer.teller.Log()
	}
	return l.teller.Log()
}
