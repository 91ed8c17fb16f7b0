package metrics_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/metrics"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// inMemory runs f in a bubble with a web of its own.
func inMemory(t *testing.T, f func(t *testing.T, web *testweb.Web)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		t.Cleanup(web.Close)
		f(t, web)
	})
}

func TestAScrapeSaysWhatTheServerSaw(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\nCrawl-delay: 5\n").Page("/*", "x").
			Answer("/moved", testweb.Answer{Redirect: "/there"}).
			Answer("/gone", testweb.Answer{Status: 410}).
			Answer("/odd", testweb.Answer{Status: 500})
		web.Host("busy.test").Answer("/full", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"60"}}})
		web.Host("dead.test").Answer("/*", testweb.Answer{Reset: true})
		g, c, r := guarded(t, web)
		for _, u := range []string{"/", "/moved", "/gone", "/odd", "/cart"} {
			_ = c.Visit("http://shop.test" + u)
		}
		_ = c.Visit("http://busy.test/full")
		_ = c.Visit("http://dead.test/")
		c.Wait()
		_ = c.Visit("http://shop.test/cart") // its rules are known now
		c.Wait()

		got, _ := scrape(t, r)
		byStatus := series{"2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, "failed": 0}
		for _, h := range web.Hits() {
			switch {
			case h.Host == "dead.test":
				byStatus["failed"]++
			case h.URL() == "http://shop.test/moved":
				byStatus["3xx"]++
			case h.URL() == "http://shop.test/gone", h.Host == "busy.test": // its robots.txt is a 404
				byStatus["4xx"]++
			case h.URL() == "http://shop.test/odd":
				byStatus["5xx"]++
			default:
				byStatus["2xx"]++
			}
		}
		for class, n := range byStatus {
			got.want(t, series{`etiquette_requests_total{class="` + class + `"}`: n})
		}
		if n, want := got.sum("etiquette_requests_total"), float64(len(web.Hits())); n != want {
			t.Errorf("requests_total = %v, the server got %v: %q", n, want, web.Log())
		}
		skipped := 0
		for _, s := range g.Report.Skips() {
			if s.Reason == report.RobotsDisallowed {
				skipped++
			}
		}
		got.want(t, series{
			`etiquette_skips_total{reason="robots_disallowed"}`: float64(skipped),
			`etiquette_incidents_total{kind="blocked"}`:         1,
			"etiquette_blocked_hosts":                           1,
			"etiquette_parked_hosts":                            0,
			"etiquette_hosts":                                   3,
			"etiquette_gap_shortfall_total":                     0,
			"etiquette_wait_seconds_count":                      float64(len(web.Hits())),
			"etiquette_gate_latency_seconds_count":              float64(len(web.Hits())),
			`etiquette_gate_latency_seconds_bucket{le="1e-05"}`: float64(len(web.Hits())), // on a bubble's clock nothing is late
		})
		if skipped == 0 || web.Count("GET http://shop.test/cart") != 0 {
			t.Errorf("%d skips, and the log %q, want /cart skipped", skipped, web.LogOf("shop.test"))
		}
		if n := got.sum("etiquette_violations_total"); n != 0 {
			t.Errorf("violations_total = %v, want 0", n)
		}
		if waited := got["etiquette_wait_seconds_sum"]; waited < 5*4*5/2 { // five pages, each behind those before it
			t.Errorf("wait_seconds_sum = %v, want the crawl delays in it", waited)
		}
	})
}

func TestStopsParkingsAndQueuesAreSeen(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 3600\n").Page("/*", "x")
		g, c, r := guarded(t, web)
		_ = c.Visit("http://slow.test/")
		c.Wait()
		f := g.NewFrontier(nil)
		for i := range 3 {
			if err := f.AddRequest([]byte(fmt.Sprintf(`{"URL":"http://wiki.test/%d","Method":"GET"}`, i))); err != nil {
				t.Fatalf("AddRequest = %v", err)
			}
		}
		if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "slow.test", Reason: "the owner asked"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		_ = c.Visit("http://slow.test/again")
		c.Wait()
		got, _ := scrape(t, r)
		got.want(t, series{
			"etiquette_parked_hosts":                               1,
			"etiquette_queue_urls":                                 3,
			`etiquette_incidents_total{kind="parked"}`:             1,
			`etiquette_incidents_total{kind="stopped"}`:            1,
			`etiquette_skips_total{reason="crawl_delay_too_long"}`: 1,
			`etiquette_skips_total{reason="stopped"}`:              1,
			`etiquette_requests_total{class="2xx"}`:                float64(len(web.Hits())),
		})
		if err := f.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
}

func TestAThousandHostsHaveAsManySeriesAsNone(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		_, c, r := guarded(t, web)
		before, _ := scrape(t, r)
		for i := range 1000 {
			host := fmt.Sprintf("shop%d.test", i)
			web.Host(host).Page("/", "x")
			_ = c.Visit("http://" + host + "/")
		}
		c.Wait()
		after, text := scrape(t, r)
		if got, want := len(after), len(before); got != want {
			t.Errorf("%d series after 1,000 hosts, want %d as before the first", got, want)
		}
		if len(after) > 100 {
			t.Errorf("%d series, want fewer than 100", len(after))
		}
		if strings.Contains(text, ".test") {
			t.Errorf("the scrape names a host:\n%s", text)
		}
		after.want(t, series{"etiquette_hosts": 1000, `etiquette_requests_total{class="2xx"}`: 1000, `etiquette_requests_total{class="4xx"}`: 1000})
		if got, want := len(web.Hits()), 2000; got != want {
			t.Errorf("the server got %d requests, want %d", got, want)
		}
	})
}

func TestCountersNeverGetSmaller(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		_, c, r := guarded(t, web)
		last, _ := scrape(t, r)
		for i := range 50 {
			host := fmt.Sprintf("shop%d.test", i)
			web.Host(host).Robots("User-agent: *\nDisallow: /cart\n").Page("/", "x")
			_ = c.Visit("http://" + host + "/")
			_ = c.Visit("http://" + host + "/cart")
			c.Wait()
			now, _ := scrape(t, r)
			for name, n := range last {
				grows := strings.Contains(name, "_total") || strings.Contains(name, "_bucket") || strings.HasSuffix(name, "_count") || strings.HasSuffix(name, "_sum")
				if grows && now[name] < n {
					t.Errorf("%s went from %v to %v", name, n, now[name])
				}
			}
			last = now
		}
	})
}

func TestABrokenPromiseIsAViolation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rep report.Report
		r := prometheus.NewPedanticRegistry()
		r.MustRegister(metrics.Of(&rep, nil))
		rep.Sent(report.Request{Host: "shop.test", Interval: time.Second, Source: report.FromRule})
		rep.Sent(report.Request{Host: "shop.test", Interval: time.Second, Source: report.FromRule})
		rep.Sent(report.Request{Host: "shop.test", Interval: time.Minute, CrawlDelay: time.Minute, Source: report.FromCrawlDelay})
		rep.Hold("shop.test", report.Hold{Reason: report.RateLimited, Until: time.Now().Add(time.Hour)})
		time.Sleep(2 * time.Minute)
		rep.Sent(report.Request{Host: "shop.test"})
		got, _ := scrape(t, r)
		got.want(t, series{
			`etiquette_violations_total{kind="interval"}`:    1,
			`etiquette_violations_total{kind="crawl_delay"}`: 1,
			`etiquette_violations_total{kind="block"}`:       1,
		})
	})
}

func TestTheNamesAreThoseThatDashboardsKnow(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		_, _, r := guarded(t, web)
		families, err := r.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for _, f := range families {
			labels := ""
			for _, l := range f.GetMetric()[0].GetLabel() {
				labels += l.GetName()
			}
			got[f.GetName()] = labels
		}
		want := map[string]string{
			"etiquette_requests_total": "class", "etiquette_wait_seconds": "", "etiquette_gap_shortfall_total": "", "etiquette_blocked_hosts": "",
			"etiquette_parked_hosts": "", "etiquette_incidents_total": "kind", "etiquette_skips_total": "reason", "etiquette_violations_total": "kind",
			"etiquette_queue_urls": "", "etiquette_hosts": "", "etiquette_lease_timeouts_total": "", "etiquette_gate_latency_seconds": "",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("names and labels (-want +got):\n%s", d)
		}
	})
}

func TestPromlintHasNothingToSay(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		_, _, r := guarded(t, web)
		problems, err := testutil.GatherAndLint(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	})
}

func TestSeveralGuardsAreToldApartByALabel(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		a, _, _ := guarded(t, web)
		b, _, _ := guarded(t, web)
		r := prometheus.NewPedanticRegistry()
		for name, g := range map[string]*etiquette.Guard{"a": a, "b": b} {
			if err := prometheus.WrapRegistererWith(prometheus.Labels{"crawl": name}, r).Register(metrics.New(g)); err != nil {
				t.Fatalf("Register = %v", err)
			}
		}
		got, _ := scrape(t, r)
		got.want(t, series{`etiquette_hosts{crawl="a"}`: 0, `etiquette_hosts{crawl="b"}`: 0})
	})
}

func TestAThrottleAloneHasItsMetrics(t *testing.T) {
	th, err := throttle.New(throttle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer th.Close()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(metrics.Of(nil, th))
	got, _ := scrape(t, r)
	if _, there := got["etiquette_hosts"]; !there || got.sum("etiquette_requests_total") != 0 {
		t.Errorf("the scrape = %v, want the throttle's metrics", got)
	}
	if _, there := got[`etiquette_requests_total{class="2xx"}`]; there {
		t.Errorf("the scrape = %v, want none of a report that is not there", got)
	}
}

func TestAScrapeInTheMiddleOfACrawlHoldsNobodyUp(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		_, c, r := guarded(t, web)
		for i := range 20 {
			_ = c.Visit(fmt.Sprintf("http://shop.test/%d", i))
		}
		for range 10 {
			time.Sleep(1500 * time.Millisecond)
			got, _ := scrape(t, r)
			if n, most := got.sum("etiquette_requests_total"), float64(len(web.Hits())); n > most || n == 0 {
				t.Errorf("requests_total = %v, the server got %v", n, most)
			}
		}
		c.Wait()
		gaps := testweb.Gaps(web.HitsOf("shop.test"))
		for i, gap := range gaps[1:] { // the first follows robots.txt
			if gap != time.Second {
				t.Errorf("gap %d = %s, want 1s as without a scrape", i, gap)
			}
		}
	})
}
