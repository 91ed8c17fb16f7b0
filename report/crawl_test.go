package report

import (
	"fmt"
	"time"
)

// aCrawl is a report of a crawl in which everything happened once. It is made in virtual time.
func aCrawl() *Report {
	r := &Report{}
	send := func(host string, n int, gap, kept time.Duration, source Source) {
		for i := range n {
			q := Request{Host: host, Interval: gap, Source: source, Robots: i == 0, Secure: true}
			if source == FromCrawlDelay {
				q.CrawlDelay = gap
			}
			r.Sent(q)
			r.Ended(Answer{Host: host, Status: 200, Bytes: 12_345})
			time.Sleep(kept + time.Duration(i%7)*gap/20)
		}
	}
	send("docs.example", 600, time.Second, time.Second, FromDefault)
	send("slow.example", 30, 10*time.Second, 10*time.Second, FromCrawlDelay)

	send("busy.example", 40, 2*time.Second, 2*time.Second, FromRule)
	r.Ended(Answer{Host: "busy.example", Status: 429})
	r.Hold("busy.example", Hold{Reason: RateLimited, Until: time.Now().Add(30 * time.Second), Status: 429, Detail: "Retry-After: 30"})
	time.Sleep(31 * time.Second)
	send("busy.example", 40, 2*time.Second, 2*time.Second, FromRule)

	send("broken.example", 30, time.Second, time.Second, FromRule)
	send("broken.example", 3, time.Second, 300*time.Millisecond, FromRule)
	send("broken.example", 30, time.Second, time.Second, FromRule)

	send("shop.example", 12, time.Second, time.Second, FromDefault)
	for i := range 290 {
		r.Record(Skip{Host: "shop.example", URL: fmt.Sprint("https://shop.example/search?q=", i), Method: "GET", Reason: RobotsDisallowed,
			Rule: "disallow: /search", Line: 3})
	}
	r.Record(Skip{Host: "shop.example", URL: "https://shop.example/cart/", Method: "GET", Reason: RobotsDisallowed, Rule: "disallow: /cart/", Line: 2})

	send("private.example", 4, time.Second, time.Second, FromDefault)
	r.Hold("private.example", Hold{Reason: AccessDenied, Until: time.Now().Add(24 * time.Hour), Status: 403, Detail: "its first 3 pages were answered 403"})
	send("complained.example", 20, time.Second, time.Second, FromDefault)
	r.Hold("complained.example", Hold{Reason: Stopped, Detail: "they asked us to stop (OPS-7)"})
	for range 3 {
		r.Record(Skip{Host: "complained.example", URL: "https://complained.example/", Method: "GET", Reason: Stopped, Detail: "they asked us to stop (OPS-7)",
			Rule: "r1: host complained.example"})
	}
	send("bare.example", 5, time.Second, time.Second, FromDefault)
	r.AddSource(func(h *Host) {
		h.RobotsClass, h.RobotsFetchedAt = "rules", h.First
		switch h.Host {
		case "bare.example":
			h.RobotsClass, h.WithoutRules = "unavailable", "robots.txt was answered with 404"
		case "slow.example":
			h.Waiting, h.ETA = 120, time.Now().Add(20*time.Minute)
		case "docs.example":
			h.Notes = []string{"permitted by its owner: /archive/ until 1 May (DOC-12)"}
		}
	})
	return r
}
