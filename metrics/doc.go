// Package metrics shows a crawl to Prometheus: how many requests were sent and refused, how long they waited, and whether a promise was broken.
//
//	guard, err := etiquette.Attach(c, "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)")
//	prometheus.MustRegister(metrics.New(guard))
//	http.Handle("/metrics", promhttp.Handler())
//
// No metric has the host as a label, so that the number of series is the same for one host and for a million; what happened to one host is in the
// report and in Throttle.Snapshot. All series are there from the beginning, at zero. The names do not change:
//
//	etiquette_requests_total{class}   how requests on the wire ended: 2xx, 3xx, 4xx, 5xx, other, failed
//	etiquette_wait_seconds            histogram: how long requests waited for their turn
//	etiquette_gap_shortfall_total     gaps that were shorter than promised: must stay 0
//	etiquette_blocked_hosts           hosts that a 429 or 503 holds back now
//	etiquette_parked_hosts            hosts that are left alone now
//	etiquette_incidents_total{kind}   how often a host was blocked, parked, stopped
//	etiquette_skips_total{reason}     requests that were not sent, by report.Reason
//	etiquette_violations_total{kind}  promises that were broken: interval, crawl_delay, block
//	etiquette_queue_urls              URLs that frontiers hold in memory
//	etiquette_hosts                   hosts that the throttle knows now
//	etiquette_lease_timeouts_total    turns that were ended because nobody read the body
//	etiquette_gate_latency_seconds    histogram: how much later than allowed requests were sent
//
// The two that should wake somebody are etiquette_gap_shortfall_total and etiquette_violations_total: any increase is a fault. All of them speak of
// one process.
//
// Only this package needs the Prometheus client. A scraper that does not import it links nothing of it.
package metrics
