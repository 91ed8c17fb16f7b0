package report

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestTooManyHostsMakeRoomAndStayInTheSums(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(Options{MaxHosts: 10})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			r.Sent(Request{Host: fmt.Sprintf("h%d.test", i), Interval: time.Second})
			time.Sleep(time.Second)
		}
		sum := r.Summary()
		if len(r.Hosts()) != 10 || sum.Requests != 1000 || sum.Hosts != 1000 || sum.HostsForgotten != 990 || sum.Unmeasured != 0 {
			t.Errorf("%d hosts kept, of %d with %d requests, %d forgotten, %d gaps unmeasured; want 10 of 1000 with 1000, 990, 0",
				len(r.Hosts()), sum.Hosts, sum.Requests, sum.HostsForgotten, sum.Unmeasured)
		}
	})
}

func TestAHostThatIsForgottenTooSoonIsCounted(t *testing.T) {
	r, err := New(Options{MaxHosts: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		r.Sent(Request{Host: fmt.Sprintf("h%d.test", i), Interval: time.Hour})
	}
	if got, want := r.Summary().Unmeasured, 4; got != want {
		t.Errorf("Unmeasured = %d, want %d: a second request to those hosts would look like a first", got, want)
	}
}

func TestABrokenPromiseIsNotForgotten(t *testing.T) {
	r, err := New(Options{MaxHosts: 8})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		host := fmt.Sprintf("h%d.test", i)
		r.Sent(Request{Host: host})
		if i == 0 || i >= 190 {
			r.Sent(Request{Host: host, Interval: time.Hour})
		}
		if i == 100 {
			if _, ok := r.Host("h0.test"); !ok {
				t.Error("the host with a broken promise made room though others could have")
			}
		}
	}
	err = r.Verify()
	if e, ok := err.(*BrokenError); !ok || e.Broken != 11 {
		t.Errorf("Verify = %v, want 11 broken, of hosts that are kept and that are not", err)
	}
}

func TestManyHostsAreCountedAndReadAtOnce(t *testing.T) {
	r, err := New(Options{MaxHosts: 2000})
	if err != nil {
		t.Fatal(err)
	}
	hosts := someHosts(1000)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, h := range hosts {
				r.Sent(Request{Host: h})
				r.Record(Skip{Reason: Stopped, Host: h})
				r.Hold(h, Hold{Reason: Stopped})
				r.Ended(Answer{Host: h, Status: 200})
			}
		})
		wg.Go(func() {
			for range 5 {
				_ = r.Hosts()
				_ = r.Verify()
			}
		})
	}
	wg.Wait()
	if s := r.Summary(); s.Requests != 4000 || s.Skipped != 4000 || s.Answers.OK != 4000 || s.Stops != 1000 {
		t.Errorf("Summary() = %+v, want 4000 requests, skips and answers, and 1000 stops", s)
	}
}
