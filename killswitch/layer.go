package killswitch

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// layer is a Switch's place in chains. It is a type of its own so that the chain's methods are none of the Switch's.
type layer struct {
	chain.Teller
	sw *Switch
}

func newLayer(s *Switch) *layer {
	return &layer{sw: s, Teller: chain.Teller{OnSkip: s.opts.OnSkip, Logger: s.opts.Logger, Report: s.opts.Report}}
}

func (l *layer) Kind() chain.Kind { return chain.KillSwitch }

// Handle refuses what is stopped, and makes the rest known so that a stop can end it.
func (l *layer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	s := l.sw
	s.use()
	fl := s.flights.enter(h) // before the look at the rules: see flights
	h.OnEnd(fl)
	if err := s.refuse(h.URL(), h.Dialled(), h.Method()); err != nil {
		return h.Refuse(err)
	}
	resp, err := next(h)
	if err == nil {
		fl.hasAnswer()
		if resp.StatusCode == http.StatusSwitchingProtocols { // net/http has let go of the connection, and no context ends it
			body := resp.Body
			context.AfterFunc(h.Context(), func() { _ = body.Close() })
		}
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
	if !layered(a.Dialled) {
		return nil
	}
	l.sw.wake()
	e := l.sw.index.findBoth(a.URL, a.Dialled)
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

// Starting implements chain.Starter.
func (l *layer) Starting(h *chain.Hop) {
	if fl := flightOf(h); fl != nil {
		fl.started()
	}
}

// Resend implements chain.Resender: a second request on the wire is a new one. Whatever becomes of it, the first was on the wire.
func (l *layer) Resend(h *chain.Hop) error {
	if fl := flightOf(h); fl != nil {
		fl.brokeOff()
	}
	return l.again(h)
}

func (l *layer) again(h *chain.Hop) error {
	if e := l.sw.index.findBoth(h.URL(), h.Dialled()); e.stops() {
		e.refused.Add(1)
		return newError(e, h.URL(), h.Method())
	}
	return nil
}

// Holds implements chain.Holder: a request that was refused is remembered for as long as it would be refused again.
func (l *layer) Holds(a chain.Admission, _ report.Skip) bool {
	return l.sw.index.findBoth(a.URL, a.Dialled).stops()
}
