package metrics

import "github.com/prometheus/client_golang/prometheus"

// The metrics. Their names are part of what users build on: dashboards and alarms.
var (
	requests   = desc("requests_total", "Requests on the wire that ended, redirects and robots.txt included, by the class of their status.", "class")
	waits      = desc("wait_seconds", "How long requests waited in their host's line until they were sent.")
	shortfall  = desc("gap_shortfall_total", "Gaps between two requests to a host that were shorter than promised. Must stay 0.")
	blocked    = desc("blocked_hosts", "Hosts that a 429 or 503 holds back now.")
	parked     = desc("parked_hosts", "Hosts that are left alone now: the crawl delay is too long, or they keep saying no.")
	incidents  = desc("incidents_total", "How often a host was held back, by kind: blocked by 429 or 503, parked, stopped by a person.", "kind")
	skips      = desc("skips_total", "Requests that were not sent, by reason.", "reason")
	violations = desc("violations_total", "Promises that were broken, as the report measures them, by kind. Must stay 0.", "kind")
	queued     = desc("queue_urls", "URLs that frontiers hold in memory, those of hosts set aside included.")
	hosts      = desc("hosts", "Hosts that the throttle knows now.")
	leases     = desc("lease_timeouts_total", "Turns that were ended while their request was under way, since its body was not read and others waited.")
	latency    = desc("gate_latency_seconds", "How much later than its host and the ceilings allowed a request was sent.")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName("etiquette", "", name), help, labels, nil)
}
