package killswitch

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// phase is a layer in which a request is on its way for as long as the gate is shut. It asks nobody again afterwards: only what waits its turn does that.
type phase struct {
	chain.Teller
	kind    chain.Kind
	gate    chan struct{}
	waiting chan struct{}
}

func (p *phase) Kind() chain.Kind { return p.kind }

func (p *phase) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	p.waiting <- struct{}{}
	<-p.gate
	return next(h)
}

func TestARequestThatWasNotHandedOverWhenTheRuleCameIsNotSentWhateverItWasAt(t *testing.T) {
	for _, action := range []Action{Stop, Drain} {
		for _, kind := range []chain.Kind{chain.Identity, chain.Robots, chain.Throttle, chain.Guard} {
			t.Run(string(action)+" in "+kind.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					web := memoryWeb(t)
					web.Host("a.test").Page("/", "a")
					s := newSwitch(t, Options{Base: web.Transport()})
					c := attached(t, s)
					p := &phase{kind: kind, gate: make(chan struct{}), waiting: make(chan struct{}, 1)}
					if _, err := chain.Attach(c, chain.Config{}, p); err != nil {
						t.Fatal(err)
					}
					done := make(chan error)
					go func() { done <- c.Visit("http://a.test/") }()
					<-p.waiting
					id := mustStop(t, s, Rule{Host: "a.test", Action: action, Reason: "asked"})
					close(p.gate)
					wantErrStopped(t, "Visit", <-done)
					wantLog(t, web)
					if rep, _ := s.Report(id); !rep.LastRequest.IsZero() || !rep.LastByte.IsZero() {
						t.Errorf("last request %s, last byte %s, want none: nothing was sent", rep.LastRequest, rep.LastByte)
					}
				})
			})
		}
	}
}
