package killswitch

import (
	"net/http"
	"testing"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// What the kill switch adds to a chain, beside a chain without layers in the same run.
func BenchmarkHop(b *testing.B) {
	base := sender(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})
	s := newSwitch(b, Options{})
	mustStop(b, s, Rule{Host: "other.test", Reason: "x"})
	for name, rt := range map[string]http.RoundTripper{"bare chain": chain.Transport(base, chain.Config{}), "kill switch": s.Transport(base)} {
		b.Run(name, func(b *testing.B) {
			r, _ := http.NewRequest("GET", "http://www.shop.test/a", nil)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rt.RoundTrip(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestAnAllowedHopCostsAtMostOneAllocation(t *testing.T) {
	base := sender(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})
	s := newSwitch(t, Options{})
	mustStop(t, s, Rule{Host: "other.test", Reason: "x"})
	r, _ := http.NewRequest("GET", "http://www.shop.test/a", nil)
	cost := func(rt http.RoundTripper) float64 {
		return testing.AllocsPerRun(200, func() { _, _ = rt.RoundTrip(r) })
	}
	bare, with := cost(chain.Transport(base, chain.Config{})), cost(s.Transport(base))
	if with > bare+1 {
		t.Errorf("%v allocations a hop, %v without the switch, want at most one more", with, bare)
	}
}
