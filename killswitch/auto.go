package killswitch

import (
	"errors"
	"net/http"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/pattern"
	"github.com/collyetiquette/etiquette/report"
)

// most451 is the number of URLs of one host that may be stopped one by one for a 451; with the next the whole host is.
const most451 = 9

// learn turns an answer that says no for good into a stop. Only a person lifts it: there is no probe.
func (s *Switch) learn(h *chain.Hop, resp *http.Response, err error) {
	switch {
	case err == nil && resp.StatusCode == http.StatusUnavailableForLegalReasons:
		if !s.opts.Ignore451 && !h.IsRobots() {
			s.stop451(h)
		}
	case err != nil && s.opts.StopAccessDenied:
		var r report.Refusal
		if errors.As(err, &r) && r.Skip().Reason == report.AccessDenied {
			s.stopHost(h, "the host keeps saying no: "+r.Skip().Detail)
		}
	}
}

// stop451 stops the one URL, and the host if it has answered so before.
func (s *Switch) stop451(h *chain.Hop) {
	host, err := h.HostKey()
	if err != nil {
		return
	}
	const reason = "answered with 451 Unavailable For Legal Reasons (RFC 7725)"
	if s.count451(host) >= most451 {
		s.stopHost(h, reason+", as ten of its URLs did")
		return
	}
	s.stopBy(h, Rule{Host: host, Path: pattern.URLPath(h.URL()) + "$", Reason: reason})
}

// count451 counts the URLs of a host that are stopped automatically.
func (s *Switch) count451(host string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, e := range s.index.named(s.index.hash(host)) {
		if e.source == FromAutomatic && e.rule.Path != "" && e.rule.Host == host {
			n++
		}
	}
	return n
}

func (s *Switch) stopHost(h *chain.Hop, reason string) {
	if host, err := h.HostKey(); err == nil {
		s.stopBy(h, Rule{Host: host, Reason: reason})
	}
}

// stopBy makes an automatic stop, unless a rule is there already. It does not end the hop whose answer led to it.
func (s *Switch) stopBy(h *chain.Hop, r Rule) {
	if s.index.findBoth(h.URL(), h.Dialled()).stops() {
		return
	}
	if s.opts.RequireTicket {
		r.Ticket = "automatic"
	}
	if _, _, err := s.stop(r, FromAutomatic, "", h); err != nil {
		s.log().Error("killswitch: automatic stop", "host", r.Host, "err", err)
	}
}
