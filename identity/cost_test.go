package identity

import (
	"net/http"
	"testing"

	"github.com/collyetiquette/etiquette/internal/chain"
)

type answers struct{ resp *http.Response }

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	r := *a.resp
	return &r, nil
}

func request(header http.Header) *http.Request {
	r, err := http.NewRequest("GET", "http://shop.dev/a", nil)
	if err != nil {
		panic(err)
	}
	r.Header = header
	return r
}

func TestAHeaderThatIsRightAlreadyCostsNoAllocation(t *testing.T) {
	base := answers{&http.Response{StatusCode: 200, Body: http.NoBody}}
	req := request(http.Header{"User-Agent": {good}, "From": {"c@acme.dev"}, "Accept": {"*/*"}})
	without := chain.Transport(base, chain.Config{})
	bare := testing.AllocsPerRun(500, func() { _, _ = without.RoundTrip(req) })
	for name, o := range map[string]Options{
		"one header for all": {UserAgent: good},
		"hosts of their own": {UserAgent: good, PerHost: map[string]string{"a.dev": "AcmeBot/2.0 (c@acme.dev)"}},
		"a browser-like one": {UserAgent: good, BrowserLike: map[string]string{"a.dev": "why", "shop.dev": "why"}},
	} {
		with := mustNew(t, o).Transport(base)
		_, _ = with.RoundTrip(req)
		if got := testing.AllocsPerRun(500, func() { _, _ = with.RoundTrip(req) }); got > bare {
			t.Errorf("%s: %v allocations a request, want %v as without an identity", name, got, bare)
		}
	}
}

func BenchmarkHeader(b *testing.B) {
	base := answers{&http.Response{StatusCode: 200, Body: http.NoBody}}
	id, err := New(Options{UserAgent: good})
	if err != nil {
		b.Fatal(err)
	}
	id.layer.Logger, _ = quiet()
	for _, bm := range []struct {
		name   string
		rt     http.RoundTripper
		header http.Header
	}{
		{"no identity", chain.Transport(base, chain.Config{}), http.Header{"User-Agent": {good}, "From": {"c@acme.dev"}, "Accept": {"*/*"}}},
		{"right already", id.Transport(base), http.Header{"User-Agent": {good}, "From": {"c@acme.dev"}, "Accept": {"*/*"}}},
		{"From missing", id.Transport(base), http.Header{"User-Agent": {good}, "Accept": {"*/*"}}},
		{"overwritten", id.Transport(base), http.Header{"User-Agent": {chrome}, "From": {"c@acme.dev"}, "Accept": {"*/*"}}},
	} {
		req := request(bm.header)
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = bm.rt.RoundTrip(req)
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		Check(good, "AcmeBot")
	}
}
