//go:build ratios

package etiquette_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/ratio"
	"github.com/collyetiquette/etiquette/throttle"
)

// serverEnv makes the test binary serve tiny pages in a process of its own, so that what the server costs is not taken for what a client does.
const serverEnv = "ETIQUETTE_TINY_SERVER"

func TestTinyServer(t *testing.T) {
	if os.Getenv(serverEnv) == "" {
		t.Skip("it is the server's process that runs this")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("http://" + l.Addr().String())
	robots := robotsOf(1000)
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			_, _ = io.WriteString(w, robots)
			return
		}
		_, _ = io.WriteString(w, tinyPage)
	}))
}

// serve starts the server's process and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTinyServer$")
	cmd.Env = append(os.Environ(), serverEnv+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server said %q: %v", line, err)
	}
	return strings.TrimSpace(line)
}

func loopbackTransport() *http.Transport { return &http.Transport{MaxIdleConnsPerHost: 64} }

// crawling visits the server's pages, so many at a time.
func crawling(t *testing.T, name string, c *colly.Collector, address string) ratio.Contender {
	t.Helper()
	c.AllowURLRevisit = true
	failed := 0
	c.OnError(func(*colly.Response, error) { failed++ })
	visit := func(n int) {
		for i := range n {
			_ = c.Visit(fmt.Sprintf("%s/section-7/page%d.html", address, i))
		}
		c.Wait()
	}
	visit(100)
	t.Cleanup(func() {
		if failed > 0 {
			t.Errorf("%s: %d requests failed", name, failed)
		}
	})
	return ratio.Contender{Name: name, Run: visit}
}

func TestGuardLoopbackRatios(t *testing.T) {
	address := serve(t)
	for _, x := range []struct {
		name        string
		parallelism int
		options     []colly.CollectorOption
		most        float64
	}{
		{"sync", 1, nil, 1.03},
		{"Async, 16 in flight", 16, []colly.CollectorOption{colly.Async()}, 1.05},
	} {
		t.Run(x.name, func(t *testing.T) {
			bare := func() *colly.Collector {
				c := colly.NewCollector(x.options...)
				c.WithTransport(loopbackTransport())
				if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: x.parallelism}); err != nil {
					t.Fatal(err)
				}
				return c
			}
			g, err := etiquette.New(etiquette.Policy{
				UserAgent: agent, Base: loopbackTransport(), Pace: []throttle.LimitRule{{Delay: throttle.NoDelay, Parallelism: x.parallelism}},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = g.Close() })
			c := colly.NewCollector(x.options...)
			if err := g.Attach(c); err != nil {
				t.Fatal(err)
			}
			r := ratio.ByTurns(21, 200*time.Millisecond,
				crawling(t, "bare", bare(), address), crawling(t, "bare again", bare(), address), crawling(t, "the one line", c, address))
			t.Logf("bare against itself: %.3f; %v and %v a request", r.Times("bare again", "bare"), r.PerCall("bare"), r.PerCall("the one line"))
			atMost(t, r, "the one line", "bare", x.most)
		})
	}
}
