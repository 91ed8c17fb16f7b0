package report

import (
	"fmt"
	"sync"
	"testing"
)

func TestKeepsTheLastSkipsOldestFirst(t *testing.T) {
	r := &Report{Keep: 3}
	for i := range 5 {
		r.Record(Skip{URL: fmt.Sprint(i), Reason: Stopped})
	}
	var got string
	for _, s := range r.Skips() {
		got += s.URL
	}
	if want := "234"; got != want {
		t.Errorf("Skips() after 5 records with Keep 3 = %q, want %q", got, want)
	}
	if got, want := r.Total(), 5; got != want {
		t.Errorf("Total() = %d, want %d", got, want)
	}
}

func TestCountsByReasonAndRule(t *testing.T) {
	var r Report
	r.Record(Skip{Reason: RobotsDisallowed, Rule: "disallow: /a"})
	r.Record(Skip{Reason: RobotsDisallowed, Rule: "disallow: /a"})
	r.Record(Skip{Reason: RobotsDisallowed, Rule: "disallow: /b"})
	counts := r.Counts()
	if got, want := counts[Count{RobotsDisallowed, "disallow: /a"}], 2; got != want {
		t.Errorf("count of rule /a = %d, want %d", got, want)
	}
	counts[Count{RobotsDisallowed, "disallow: /b"}] = 99
	if got, want := r.Counts()[Count{RobotsDisallowed, "disallow: /b"}], 1; got != want {
		t.Errorf("count of rule /b after the caller changed its copy = %d, want %d", got, want)
	}
}

func TestRulesFromStrangersDoNotGrowTheCountsWithoutBound(t *testing.T) {
	var r Report
	for i := range maxCounts + 50 {
		r.Record(Skip{Reason: RobotsDisallowed, Rule: fmt.Sprint("disallow: /", i)})
	}
	counts := r.Counts()
	if got, most := len(counts), maxCounts+1; got > most {
		t.Errorf("%d different counts kept, want at most %d", got, most)
	}
	sum := 0
	for _, n := range counts {
		sum += n
	}
	if got, want := sum, maxCounts+50; got != want {
		t.Errorf("sum of the counts = %d, want %d", got, want)
	}
	if got, want := len(r.Skips()), DefaultKeep; got != want {
		t.Errorf("len(Skips()) = %d, want %d", got, want)
	}
}

func TestASkipWithoutAReasonIsNotRecorded(t *testing.T) {
	var r Report
	r.Record(Skip{URL: "http://shop.test/"})
	if got := r.Total(); got != 0 {
		t.Errorf("Total() = %d, want 0", got)
	}
}

func TestRecordIsSafeForConcurrentUse(t *testing.T) {
	var r Report
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				r.Record(Skip{Reason: Stopped})
				r.Skips()
			}
		})
	}
	wg.Wait()
	if got, want := r.Total(), 800; got != want {
		t.Errorf("Total() = %d, want %d", got, want)
	}
}
