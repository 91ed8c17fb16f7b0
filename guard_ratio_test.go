//go:build ratios

package etiquette_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/ratio"
	"github.com/collyetiquette/etiquette/throttle"
)

const tinyPage = "<html><head><title>a page</title></head><body><h1>a page</h1><p>of about a hundred and forty bytes, as small as pages come</p></body></html>"

// tiny answers each request with the same page, without a network: what is added to a request shows nowhere clearer.
type tiny struct{ robots string }

func (t tiny) RoundTrip(r *http.Request) (*http.Response, error) {
	body := tinyPage
	if r.URL.Path == "/robots.txt" {
		body = t.robots
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/plain"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}

// robotsOf is a robots.txt with so many rules.
func robotsOf(rules int) string {
	var robots strings.Builder
	robots.WriteString("User-agent: *\n")
	for i := range rules {
		if i%6 == 5 {
			fmt.Fprintf(&robots, "Disallow: /*/private%d/*.php$\n", i)
		} else {
			fmt.Fprintf(&robots, "Disallow: /section-%d/admin\n", i)
		}
	}
	return robots.String()
}

// inPlace is a transport that net/http knows and that answers in place.
func inPlace(rules int) *http.Transport {
	t := &http.Transport{}
	t.RegisterProtocol("http", tiny{robotsOf(rules)})
	return t
}

// visiting visits pages of so many hosts in turn.
func visiting(t testing.TB, name string, c *colly.Collector, hosts int) ratio.Contender {
	t.Helper()
	c.AllowURLRevisit = true
	urls := make([]string, hosts)
	for i := range urls {
		urls[i] = fmt.Sprintf("http://h%d.example/section-7/page.html", i)
		if err := c.Visit(urls[i]); err != nil {
			t.Fatal(err)
		}
	}
	return ratio.Contender{Name: name, Run: func(n int) {
		for i := range n {
			_ = c.Visit(urls[i%len(urls)])
		}
	}}
}

func bareCollector(rules int) *colly.Collector {
	c := colly.NewCollector()
	c.WithTransport(inPlace(rules))
	return c
}

func guardedCollector(t testing.TB, rules int) *colly.Collector {
	t.Helper()
	g, err := etiquette.New(etiquette.Policy{
		UserAgent: agent, Base: inPlace(rules), Pace: []throttle.LimitRule{{Delay: throttle.NoDelay}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	c := colly.NewCollector()
	if err := g.Attach(c); err != nil {
		t.Fatal(err)
	}
	return c
}

func atMost(t *testing.T, r ratio.Result, a, b string, most float64) {
	t.Helper()
	got := r.Times(a, b)
	t.Logf("%s: %.3f times %s, at most %.2f wanted", a, got, b, most)
	if got > most {
		t.Errorf("%s: %.3f times %s, want at most %.2f\n%v", a, got, b, most, r)
	}
}

func TestGuardCostRatios(t *testing.T) {
	const rounds, turn = 21, 60 * time.Millisecond
	colly1000 := bareCollector(1000)
	colly1000.IgnoreRobotsTxt = false
	r := ratio.ByTurns(rounds, turn,
		visiting(t, "bare", bareCollector(0), 1),
		visiting(t, "bare again", bareCollector(0), 1),
		visiting(t, "the one line", guardedCollector(t, 1000), 1),
		visiting(t, "Colly's robots check", colly1000, 1))
	t.Logf("bare against itself: %.3f; %v and %v a request", r.Times("bare again", "bare"), r.PerCall("bare"), r.PerCall("the one line"))
	atMost(t, r, "the one line", "bare", 1.15)
	if got, want := r.Times("Colly's robots check", "the one line"), 5.0; got < want {
		t.Errorf("at 1,000 rules %.1f times faster than Colly's own check, want %.0f", got, want)
	} else {
		t.Logf("at 1,000 rules %.1f times faster than Colly's own check", got)
	}
}

func TestGuardCostRatioWithManyHosts(t *testing.T) {
	r := ratio.ByTurns(21, 60*time.Millisecond,
		visiting(t, "bare", bareCollector(0), 1000), visiting(t, "the one line", guardedCollector(t, 10), 1000))
	atMost(t, r, "the one line", "bare", 1.15)
}

func BenchmarkGuardManyHosts(b *testing.B) {
	for name, c := range map[string]*colly.Collector{"bare": bareCollector(0), "the one line": guardedCollector(b, 10)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			v := visiting(b, name, c, 1000)
			b.ResetTimer()
			v.Run(b.N)
		})
	}
}

func BenchmarkGuardInPlace(b *testing.B) {
	for name, c := range map[string]*colly.Collector{"bare": bareCollector(0), "the one line": guardedCollector(b, 1000)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			v := visiting(b, name, c, 1)
			b.ResetTimer()
			v.Run(b.N)
		})
	}
}
