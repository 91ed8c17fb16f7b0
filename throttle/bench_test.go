package throttle

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// instant answers at once.
type instant struct{}

func (instant) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("x")), Request: r}, nil
}

func roundTrips(tb testing.TB, rt http.RoundTripper) func() {
	req, err := http.NewRequest(http.MethodGet, "http://www.shop.test/a", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return func() {
		resp, err := rt.RoundTrip(req)
		if err != nil {
			tb.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}

func TestARequestThatNeedNotWaitCostsOneAllocation(t *testing.T) {
	th, err := New(Options{Rules: []LimitRule{{Delay: NoDelay}}})
	if err != nil {
		t.Fatal(err)
	}
	with, without := roundTrips(t, th.Transport(instant{})), roundTrips(t, chain.Transport(instant{}, chain.Config{}))
	with()
	without()
	if got, base := testing.AllocsPerRun(1000, with), testing.AllocsPerRun(1000, without); got-base > 1 {
		t.Errorf("%v allocations with the throttle, %v without it: want at most 1 more", got, base)
	}
}

func BenchmarkHandle(b *testing.B) {
	th, err := New(Options{Rules: []LimitRule{{Delay: NoDelay}}})
	if err != nil {
		b.Fatal(err)
	}
	for name, rt := range map[string]http.RoundTripper{"chain": chain.Transport(instant{}, chain.Config{}), "throttle": th.Transport(instant{})} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			f := roundTrips(b, rt)
			for b.Loop() {
				f()
			}
		})
	}
}

func BenchmarkWait(b *testing.B) {
	th, err := New(Options{Rules: []LimitRule{{Delay: NoDelay}}})
	if err != nil {
		b.Fatal(err)
	}
	req, _ := http.NewRequest(http.MethodGet, "http://www.shop.test/a", nil)
	resp := &http.Response{StatusCode: 200}
	b.ReportAllocs()
	for b.Loop() {
		turn, err := th.Wait(b.Context(), req.URL)
		if err != nil {
			b.Fatal(err)
		}
		turn.Done(resp, nil)
	}
}
