package killswitch

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// pacer is a layer that lets what net/http sends a second time by itself wait, or refuses it.
type pacer struct {
	chain.Teller
	wait  time.Duration
	err   error
	after func() // the wait
}

type refusal struct{}

func (refusal) Error() string     { return "no budget" }
func (refusal) Skip() report.Skip { return report.Skip{Reason: report.Budget} }

func (p *pacer) Kind() chain.Kind { return chain.Throttle }

func (p *pacer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) { return next(h) }

func (p *pacer) Resend(*chain.Hop) error {
	time.Sleep(p.wait)
	if p.after != nil {
		p.after()
	}
	return p.err
}

func TestTheLastRequestIsTheOneThatWasReallySentThoughNetHTTPSendsAgain(t *testing.T) {
	const wait = 5 * time.Second
	for _, x := range []struct {
		name   string
		pacer  *pacer
		action Action // of the rule that comes; empty: none
		late   bool   // it comes after the wait, else while the first is answered
		hits   int
		last   time.Duration
	}{
		{"sent again after a wait", &pacer{wait: wait}, "", false, 2, wait},
		{"refused after a wait", &pacer{wait: wait, err: refusal{}}, "", false, 1, 0},
		{"stopped before it is sent again", &pacer{wait: wait}, Stop, false, 1, 0},
		{"drained before it is sent again", &pacer{wait: wait}, Drain, false, 1, 0},
		{"stopped while it waits", &pacer{wait: wait}, Stop, true, 1, 0},
		{"drained while it waits", &pacer{wait: wait}, Drain, true, 1, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := memoryWeb(t)
				s := newSwitch(t, Options{Base: web.Transport()})
				stop := func() {
					if x.action != "" {
						mustStop(t, s, Rule{Host: "a.test", Action: x.action, Reason: "asked"})
					}
				}
				if x.late {
					x.pacer.after = stop
				}
				var hits []time.Time
				web.Host("a.test").Page("/", "warm").Handle("/drop", func(w http.ResponseWriter, r *http.Request) {
					hits = append(hits, time.Now())
					if len(hits) > 1 {
						return
					}
					if !x.late {
						stop()
					}
					if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
						conn.Close()
					}
				})
				c := attached(t, s)
				if _, err := chain.Attach(c, chain.Config{}, x.pacer); err != nil {
					t.Fatal(err)
				}
				if err := c.Visit("http://a.test/"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				begun := time.Now()
				_ = c.Visit("http://a.test/drop")
				if len(hits) != x.hits {
					t.Fatalf("the server was hit %d times, want %d", len(hits), x.hits)
				}
				rep, err := s.Report(mustStop(t, s, Rule{ID: "late", Host: "a.test", Action: Observe, Reason: "to be told"}))
				if got := rep.LastRequest.Sub(begun); err != nil || got != x.last {
					t.Errorf("Report = %v, last request %s after the Visit began, want %s", err, got, x.last)
				}
				if rep.LastByte.Before(rep.LastRequest) {
					t.Errorf("last byte %s before the last request %s", rep.LastByte, rep.LastRequest)
				}
			})
		})
	}
}
