package metrics_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gocolly/colly/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/metrics"
)

// The web is a small one of the example's own: names under .test.
func ExampleNew() {
	web, err := testweb.Start()
	if err != nil {
		log.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n").Page("/", testweb.Links("/cart"))

	c := colly.NewCollector()
	guard, err := etiquette.Attach(c, "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)")
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.New(guard))

	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	_ = c.Visit("http://shop.test/")

	page := httptest.NewRecorder() // in place of http.Handle("/metrics", ...) and a scraper
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text, _ := io.ReadAll(page.Body)
	for line := range strings.Lines(string(text)) {
		for _, name := range []string{`requests_total{class="2xx"}`, `skips_total{reason="robots_disallowed"}`, "gap_shortfall_total 0"} {
			if strings.HasPrefix(line, "etiquette_"+name) {
				fmt.Print(line)
			}
		}
	}
	// Output:
	// etiquette_gap_shortfall_total 0
	// etiquette_requests_total{class="2xx"} 2
	// etiquette_skips_total{reason="robots_disallowed"} 1
}
