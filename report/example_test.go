package report_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// Yesterday's crawl was cut short; today's asks for what it left out.
func ExampleRevisit() {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "skips.jsonl")

	r, err := report.New(report.Options{Path: path})
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Record(report.Skip{URL: "https://shop.example/1", Method: "GET", Reason: report.RateLimited, RetryAt: time.Now().Add(-time.Hour)})
	r.Record(report.Skip{URL: "https://shop.example/2", Method: "GET", Reason: report.RateLimited, RetryAt: time.Now().Add(time.Hour)})
	r.Record(report.Skip{URL: "https://shop.example/cart/", Method: "GET", Reason: report.RobotsDisallowed, Rule: "disallow: /cart/"})
	r.Record(report.Skip{URL: "https://shop.example/3", Method: "GET", Reason: report.QueueFull})
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}

	for s, err := range report.Revisit(path) {
		if err != nil {
			fmt.Println(err) // a line that cannot be read; the others follow
			continue
		}
		fmt.Println(s.URL, s.Reason)
	}
	// Output:
	// https://shop.example/1 rate_limited
	// https://shop.example/3 queue_full
}

// At the end of a crawl it says by itself whether it kept its word.
func ExampleReport_Verify() {
	var r report.Report
	start := time.Now()
	for _, after := range []time.Duration{0, 1000, 1400} {
		r.Sent(report.Request{Host: "shop.example", Time: start.Add(after * time.Millisecond), Interval: time.Second, Source: report.FromRule})
	}
	var broken *report.BrokenError
	if err := r.Verify(); errors.As(err, &broken) {
		for _, b := range broken.Breaches {
			fmt.Println(b.Host, "kept", b.Kept, "of", b.Promised)
		}
	}
	// Output:
	// shop.example kept 400ms of 1s
}

// What other parts know of a host is filled in when it is read.
func ExampleReport_AddSource() {
	var r report.Report
	r.Sent(report.Request{Host: "shop.example"})
	r.AddSource(func(h *report.Host) { h.RobotsClass = "rules" })
	for _, h := range r.Hosts() {
		fmt.Println(h.Host, h.Requests, h.RobotsClass)
	}
	// Output:
	// shop.example 1 rules
}
