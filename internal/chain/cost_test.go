package chain

import (
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/gocolly/colly/v2"
)

// memoryFiles is a transport that net/http knows, without a network: the most sensitive base to measure against.
func memoryFiles() *http.Transport {
	t := &http.Transport{}
	t.RegisterProtocol("http", http.NewFileTransportFS(fstest.MapFS{"a.html": {Data: []byte("<p>tiny</p>")}}))
	return t
}

func visitMany(b *testing.B, c *colly.Collector) {
	b.ReportAllocs()
	c.AllowURLRevisit = true
	for b.Loop() {
		if err := c.Visit("http://shop.test/a.html"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBareColly(b *testing.B) {
	c := colly.NewCollector()
	c.WithTransport(memoryFiles())
	visitMany(b, c)
}

func BenchmarkChain(b *testing.B) {
	c := colly.NewCollector()
	if _, err := Attach(c, Config{Base: memoryFiles()}, passing(KillSwitch), passing(Identity), passing(Robots), passing(Throttle)); err != nil {
		b.Fatal(err)
	}
	visitMany(b, c)
}

// passing is a layer that costs nothing of its own.
func passing(k Kind) Layer { return &passLayer{Teller{}, k} }

type passLayer struct {
	Teller
	kind Kind
}

func (l *passLayer) Kind() Kind                                          { return l.kind }
func (l *passLayer) Handle(h *Hop, next Handler) (*http.Response, error) { return next(h) }

func TestTheChainCostsAtMostFourAllocationsAndFiveHundredBytes(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	bare, chain := testing.Benchmark(BenchmarkBareColly), testing.Benchmark(BenchmarkChain)
	allocs := chain.AllocsPerOp() - bare.AllocsPerOp()
	bytes := chain.AllocedBytesPerOp() - bare.AllocedBytesPerOp()
	t.Logf("bare Colly %s; chain %s", bare.MemString(), chain.MemString())
	if allocs > 4 || bytes > 500 {
		t.Errorf("a request costs %d allocations and %d bytes more than bare Colly, want at most 4 and 500", allocs, bytes)
	}
}
