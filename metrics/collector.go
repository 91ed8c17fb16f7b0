package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// Collector shows a crawl to Prometheus. It counts nothing by itself: each scrape reads what the report and the throttle have counted. It is safe for
// concurrent use. A scrape looks at every host once, and holds nobody up meanwhile.
type Collector struct {
	report   *report.Report
	throttle *throttle.Throttle
}

// New is the Collector of a Guard. To register those of several Guards with one registry, give each a label:
//
//	prometheus.WrapRegistererWith(prometheus.Labels{"crawl": "shops"}, registry).MustRegister(metrics.New(guard))
func New(guard *etiquette.Guard) *Collector { return Of(guard.Report, guard.Throttle) }

// Of is the Collector of a throttle without a Guard, and of the report that was given to it as Options.Report. Either may be nil; its metrics are then
// left out.
func Of(r *report.Report, t *throttle.Throttle) *Collector { return &Collector{report: r, throttle: t} }

// Describe implements prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	if c.report != nil {
		for _, d := range []*prometheus.Desc{requests, incidents, skips, violations} {
			ch <- d
		}
	}
	if c.throttle != nil {
		for _, d := range []*prometheus.Desc{waits, shortfall, blocked, parked, queued, hosts, leases, latency} {
			ch <- d
		}
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	if c.report != nil {
		collectReport(ch, c.report.Totals())
	}
	if c.throttle != nil {
		collectThrottle(ch, c.throttle.Stats(), c.throttle.Measures())
	}
}

func collectReport(ch chan<- prometheus.Metric, t report.Totals) {
	count := func(d *prometheus.Desc, n int, label string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), label)
	}
	a := t.Answers
	count(requests, a.OK, "2xx")
	count(requests, a.Redirects, "3xx")
	count(requests, a.ClientErrors, "4xx")
	count(requests, a.ServerErrors, "5xx")
	count(requests, a.Other, "other")
	count(requests, a.Failed, "failed")

	count(incidents, t.Blocks, "blocked")
	count(incidents, t.Parkings, "parked")
	count(incidents, t.Stops, "stopped")

	for _, reason := range report.Reasons() {
		count(skips, t.Reasons[reason], string(reason))
	}

	count(violations, t.Broken-t.BrokenCrawlDelays-t.BrokenBlocks, "interval")
	count(violations, t.BrokenCrawlDelays, "crawl_delay")
	count(violations, t.BrokenBlocks, "block")
}

func collectThrottle(ch chan<- prometheus.Metric, s throttle.Stats, m throttle.Measures) {
	value := func(d *prometheus.Desc, kind prometheus.ValueType, n int) {
		ch <- prometheus.MustNewConstMetric(d, kind, float64(n))
	}
	value(shortfall, prometheus.CounterValue, s.ShortGaps)
	value(leases, prometheus.CounterValue, m.IdleBodies)
	value(blocked, prometheus.GaugeValue, m.Blocked)
	value(parked, prometheus.GaugeValue, m.Parked)
	value(queued, prometheus.GaugeValue, s.Queued)
	value(hosts, prometheus.GaugeValue, s.Hosts)
	ch <- histogram(waits, m.Waits)
	ch <- histogram(latency, m.Latency)
}

// histogram adds the classes up, as Prometheus wants them. The count is what they add up to, so that the two always agree.
func histogram(d *prometheus.Desc, of throttle.Durations) prometheus.Metric {
	upTo := make(map[float64]uint64, len(of.Bounds))
	sum := uint64(0)
	for i, n := range of.Counts {
		sum += uint64(n)
		if i < len(of.Bounds) {
			upTo[inSeconds(of.Bounds[i])] = sum
		}
	}
	return prometheus.MustNewConstHistogram(d, sum, inSeconds(of.Sum), upTo)
}

// inSeconds is d.Seconds without the last digit's noise: 10 µs is 1e-05.
func inSeconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }
