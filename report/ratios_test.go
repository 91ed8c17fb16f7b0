//go:build ratios

package report

import (
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/ratio"
)

func TestRatioOfCountingARequestToReadingTheClock(t *testing.T) {
	rounds, least := 21, 20*time.Millisecond
	if testing.Short() {
		rounds = 7
	}
	var r Report
	hosts := someHosts(1000)
	began := time.Now()
	result := ratio.ByTurns(rounds, least,
		ratio.Contender{Name: "read the clock", Run: func(n int) {
			for range n {
				_ = time.Since(began)
			}
		}},
		ratio.Contender{Name: "Sent, 1,000 hosts by turns", Run: func(n int) {
			for i := range n {
				q := aRequest
				q.Host = hosts[i%len(hosts)]
				r.Sent(q)
			}
		}},
	)
	t.Logf("\n%s", result)
	if got, most := result.Times("Sent, 1,000 hosts by turns", "read the clock"), 6.0; got > most {
		t.Errorf("Sent costs %.1f times what reading the clock does, want at most %.0f", got, most)
	}
}
