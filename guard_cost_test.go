package etiquette_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/throttle"
)

// memoryFiles is a transport that net/http knows, without a network: the most sensitive base to measure against. Its robots.txt has so many rules.
func memoryFiles(rules int) *http.Transport {
	var robots strings.Builder
	robots.WriteString("User-agent: *\n")
	for i := range rules {
		fmt.Fprintf(&robots, "Disallow: /section%d/private*/list\n", i)
	}
	t := &http.Transport{}
	t.RegisterProtocol("http", http.NewFileTransportFS(fstest.MapFS{
		"a.html":     {Data: []byte("<p>tiny</p>")},
		"robots.txt": {Data: []byte(robots.String())},
	}))
	return t
}

// visitMany visits tiny pages, with a query on every other, so that what looks at queries is measured too.
func visitMany(b *testing.B, c *colly.Collector) {
	b.ReportAllocs()
	c.AllowURLRevisit = true
	visit := func(i int) {
		u := "http://shop.test/a.html"
		if i%2 == 1 {
			u = "http://shop.test/a.html?page=2&sort=price"
		}
		if err := c.Visit(u); err != nil {
			b.Fatal(err)
		}
	}
	visit(0) // fetches robots.txt
	visit(1)
	for i := 0; b.Loop(); i++ {
		visit(i)
	}
}

func BenchmarkBareColly(b *testing.B) {
	c := colly.NewCollector()
	c.WithTransport(memoryFiles(0))
	visitMany(b, c)
}

func BenchmarkTheOneLine(b *testing.B) { benchmarkGuard(b, etiquette.Policy{}) }

func BenchmarkTheOneLineWithTake(b *testing.B) {
	benchmarkGuard(b, etiquette.Policy{Take: []etiquette.Take{
		{DomainGlob: "*.cdn.test", Types: []string{"image/*"}},
		{Types: []string{"application/json", "text/html"}, Bytes: 1 << 20},
	}})
}

func benchmarkGuard(b *testing.B, p etiquette.Policy) {
	p.UserAgent, p.Base = agent, memoryFiles(1000)
	p.Pace = append(p.Pace, throttle.LimitRule{Delay: throttle.NoDelay})
	g, err := etiquette.New(p)
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	c := colly.NewCollector()
	if err := g.Attach(c); err != nil {
		b.Fatal(err)
	}
	visitMany(b, c)
}

func TestEverythingCostsAtMostFourAllocationsAndFiveHundredBytes(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	bare := testing.Benchmark(BenchmarkBareColly)
	for name, bench := range map[string]func(*testing.B){
		"the one line": BenchmarkTheOneLine,
		"with Take":    BenchmarkTheOneLineWithTake,
	} {
		guarded := testing.Benchmark(bench)
		if guarded.N == 0 {
			t.Fatalf("%s: the benchmark failed", name)
		}
		allocs := guarded.AllocsPerOp() - bare.AllocsPerOp()
		bytes := guarded.AllocedBytesPerOp() - bare.AllocedBytesPerOp()
		t.Logf("%s: bare Colly %s, %d ns; guarded %s, %d ns", name, bare.MemString(), bare.NsPerOp(), guarded.MemString(), guarded.NsPerOp())
		if allocs > 4 || bytes > 500 {
			t.Errorf("%s: a request costs %d allocations and %d bytes more than bare Colly, want at most 4 and 500", name, allocs, bytes)
		}
	}
}
