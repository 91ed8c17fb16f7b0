package throttle

import (
	"log/slog"
	"net/http"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// layer is the throttle's place in a chain.
type layer struct{ throttle *Throttle }

func (l *layer) Kind() chain.Kind { return chain.Throttle }

// Handle sends a hop when its turn has come.
func (l *layer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	t := l.throttle
	turn, err := t.take(h.Context(), h.URL(), h)
	if err != nil {
		return h.Refuse(err)
	}
	for sure := false; !sure; {
		if turn.waited { // else nothing can have changed
			err = t.freshen(h, turn)
		}
		if err == nil {
			sure, err = turn.claim()
		}
		if err != nil {
			turn.Cancel()
			return h.Refuse(err)
		}
	}
	resp, err := turn.send(h, next)
	if err == nil && throttled(resp.StatusCode) {
		return t.repeat(h, resp)
	}
	return resp, err
}

// freshen looks again at what was decided before the wait. If the rules ran out meanwhile, the turn is given back while they are fetched, since
// that fetch needs a turn of the same host; the request keeps its place at the head of the line.
func (t *Throttle) freshen(h *chain.Hop, turn *Turn) error {
	for {
		stale, err := h.Recheck()
		if err != nil || !stale {
			return err
		}
		turn.stepBack()
		if err := h.Renew(); err != nil {
			return err
		}
		if err := turn.resume(); err != nil {
			return err
		}
	}
}

// send hands the hop over and lets the turn end with it.
func (tn *Turn) send(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	tn.write()
	h.OnSend((*sender)(tn))
	h.OnEnd((*sender)(tn))
	resp, err := next(h)
	tn.Headers(resp)
	return resp, err
}

// Resend gives a request that net/http sends a second time by itself a turn of its own.
func (l *layer) Resend(h *chain.Hop) error {
	key, err := h.HostKey()
	if err != nil {
		return err
	}
	s, host := l.throttle.hosts.find(key)
	var turn *Turn
	if host != nil && host.gate != nil {
		for turn = host.gate.flying; turn != nil && turn.hop != h; turn = turn.next {
		}
	}
	s.mu.Unlock()
	if turn == nil {
		return nil // it ended meanwhile, and its context with it
	}
	if err := turn.again(); err != nil {
		return err
	}
	if err := turn.secure(); err != nil {
		return err
	}
	turn.write()
	turn.sending(false)
	return nil
}

// Admit refuses what waits for nothing: parked hosts, blocks that last too long, URLs that failed too often.
func (l *layer) Admit(a chain.Admission) error {
	key, err := origin.HostKey(a.URL)
	if err != nil {
		return nil // the wire says what is wrong with it
	}
	return l.throttle.admission(a, key)
}

// Holds reports whether the cause of an earlier refusal is still there.
func (l *layer) Holds(a chain.Admission, s report.Skip) bool {
	if s.Reason == report.HostTableFull {
		return l.throttle.now() < l.throttle.hosts.fullTill.Load()
	}
	return l.Admit(a) != nil
}

func (l *layer) Skipped(r *colly.Request, s report.Skip) { l.throttle.teller.Skipped(r, s) }

// Log is the logger for what the chain itself has to say.
func (l *layer) Log() *slog.Logger { return l.throttle.teller.Log() }
