package report

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// someHosts are the names that the benchmarks go round.
func someHosts(n int) []string {
	hosts := make([]string, n)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("host%d.test", i)
	}
	return hosts
}

var aRequest = Request{Host: "shop.test", Interval: time.Second, Source: FromCrawlDelay, CrawlDelay: time.Second}

func BenchmarkSentAndEnded(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprint(n, "_hosts"), func(b *testing.B) {
			var r Report
			hosts := someHosts(n)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				q := aRequest
				q.Host = hosts[i%n]
				r.Sent(q)
				r.Ended(Answer{Host: q.Host, Status: 200, Bytes: 1000})
			}
		})
	}
}

func BenchmarkSent(b *testing.B) {
	var r Report
	b.ReportAllocs()
	for b.Loop() {
		r.Sent(aRequest)
	}
}

func BenchmarkSentByManyAtOnce(b *testing.B) {
	var r Report
	hosts := someHosts(1000)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			q := aRequest
			q.Host = hosts[i%len(hosts)]
			r.Sent(q)
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	for _, path := range []string{"", filepath.Join(b.TempDir(), "skips.jsonl")} {
		b.Run(fmt.Sprint("file_", path != ""), func(b *testing.B) {
			r, err := New(Options{Path: path})
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			b.ReportAllocs()
			for b.Loop() {
				r.Record(aSkip)
			}
		})
	}
}

func TestCountingARequestAllocatesNothing(t *testing.T) {
	var r Report
	hosts := someHosts(10)
	all := func() {
		for _, host := range hosts {
			q := aRequest
			q.Host = host
			r.Sent(q)
			r.Ended(Answer{Host: host, Status: 200, Bytes: 1000})
		}
	}
	for range maxStrip { // until each host has the room it needs
		all()
	}
	if got := testing.AllocsPerRun(100, all); got != 0 {
		t.Errorf("10 hosts: %v allocations for a request to each and its end, want 0", got)
	}
}

func TestRecordingASkipAllocatesNothing(t *testing.T) {
	for _, path := range []string{"", filepath.Join(t.TempDir(), "skips.jsonl")} {
		r, err := New(Options{Path: path, Keep: 100})
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			r.Record(aSkip)
		}
		if got := testing.AllocsPerRun(1000, func() { r.Record(aSkip) }); got != 0 {
			t.Errorf("file %v: %v allocations for a skip, want 0", path != "", got)
		}
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}
