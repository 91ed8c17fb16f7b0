package report

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestTotalsNeverGetSmallerThoughHostsAreForgotten(t *testing.T) {
	r, err := New(Options{MaxHosts: 10})
	if err != nil {
		t.Fatal(err)
	}
	last := Totals{}
	for i := range 200 {
		host := fmt.Sprintf("h%d.test", i)
		r.Sent(Request{Host: host})
		r.Ended(Answer{Host: host, Status: 200, Bytes: 10})
		r.Record(Skip{Host: host, Reason: Stopped})
		r.Hold(host, Hold{Reason: Stopped})
		now := r.Totals()
		if now.Requests != last.Requests+1 || now.Answers.OK != last.Answers.OK+1 || now.Bytes != last.Bytes+10 || now.Stops != last.Stops+1 ||
			now.Reasons[Stopped] != last.Reasons[Stopped]+1 {
			t.Fatalf("after host %d the totals are %+v, after %+v: want one more of each", i, now, last)
		}
		last = now
	}
	if s := r.Summary(); s.HostsForgotten == 0 || s.Requests != last.Requests || s.Skipped != last.Skipped {
		t.Errorf("Summary = %+v, want hosts forgotten, and the requests and skips of Totals: %+v", s, last)
	}
}

func TestTotalsTellBrokenPromisesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Report
		sendAll(&r, []sending{{0, false, time.Second, 0}, {1, false, time.Second, 0}, {2, false, time.Minute, time.Minute}})
		r.Hold("busy.test", Hold{Reason: RateLimited, Until: time.Now().Add(time.Minute)})
		time.Sleep(10 * time.Second)
		r.Sent(Request{Host: "busy.test"})
		if got := r.Totals(); got.Broken != 3 || got.BrokenCrawlDelays != 1 || got.BrokenBlocks != 1 {
			t.Errorf("Totals = %+v, want 3 broken promises: an interval, a crawl delay, a block", got)
		}
	})
}

func TestReasonsAreAllInOrder(t *testing.T) {
	all := Reasons()
	if got, want := len(all), 16; got != want {
		t.Errorf("%d reasons, want %d: %v", got, want, all)
	}
	if !slices.IsSorted(all) || !slices.Contains(all, Unwanted) {
		t.Errorf("reasons = %v, want them by name", all)
	}
}
