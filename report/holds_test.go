package report

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestARequestDuringABlockIsABrokenPromise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, x := range []struct {
			name   string
			at     time.Duration
			robots bool
			broken int
		}{
			{"under way when it began", underWay - 1, false, 0},
			{"during it", 5 * time.Second, false, 1},
			{"robots.txt too", 5 * time.Second, true, 1},
			{"its last nanosecond", time.Minute - 1, false, 1},
			{"when it is over", time.Minute, false, 0},
		} {
			var r Report
			r.Hold("shop.test", Hold{Reason: RateLimited, Until: time.Now().Add(time.Minute), Status: 429})
			time.Sleep(x.at)
			r.Sent(Request{Host: "shop.test", Robots: x.robots})
			h, _ := r.Host("shop.test")
			if h.Broken != x.broken || (r.Verify() != nil) != (x.broken > 0) {
				t.Errorf("%s: %d broken, Verify = %v; want %d", x.name, h.Broken, r.Verify(), x.broken)
			}
			if x.broken > 0 && (h.Breaches[0].Source != FromBlock || h.Breaches[0].Kept != x.at || h.Breaches[0].Promised != time.Minute) {
				t.Errorf("%s: %+v, want %v into a block of a minute", x.name, h.Breaches[0], x.at)
			}
		}
	})
}

func TestAStopOrAParkedHostIsNoBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Report
		for _, reason := range []Reason{Stopped, AccessDenied, CrawlDelayTooLong} { // a stop may be for a path, and a parked host's robots.txt is asked for
			r.Hold("shop.test", Hold{Reason: reason})
		}
		time.Sleep(time.Hour)
		r.Sent(Request{Host: "shop.test"})
		if err := r.Verify(); err != nil {
			t.Errorf("Verify = %v, want nil", err)
		}
		h, _ := r.Host("shop.test")
		if h.Blocks != 0 || h.Parkings != 2 || h.Stops != 1 || h.Held.Reason != CrawlDelayTooLong {
			t.Errorf("%d blocks, %d parkings, %d stops, held by %q; want 0, 2, 1 and crawl_delay_too_long", h.Blocks, h.Parkings, h.Stops, h.Held.Reason)
		}
	})
}

func TestAHoldThatIsInForceIsMadeLongerNeverShorter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Report
		start := time.Now()
		for _, minutes := range []time.Duration{2, 5, 3} {
			r.Hold("shop.test", Hold{Reason: RateLimited, Until: start.Add(minutes * time.Minute)})
		}
		time.Sleep(10 * time.Minute)
		r.Hold("shop.test", Hold{Reason: RateLimited, Until: start.Add(11 * time.Minute), Status: 503, Detail: "Retry-After: 60"})
		want := []Hold{
			{Reason: RateLimited, From: start, Until: start.Add(5 * time.Minute)},
			{Reason: RateLimited, From: start.Add(10 * time.Minute), Until: start.Add(11 * time.Minute), Status: 503, Detail: "Retry-After: 60"},
		}
		h, _ := r.Host("shop.test")
		if diff := cmp.Diff(want, h.Holds); diff != "" || h.Blocks != 2 {
			t.Errorf("%d blocks, want 2; Holds (-want +got)\n%s", h.Blocks, diff)
		}
		if diff := cmp.Diff(want[1], h.Held); diff != "" {
			t.Errorf("Held (-want +got)\n%s", diff)
		}
	})
}

func TestTwoHoldsToldInTheWrongOrderAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, until := range []time.Duration{0, time.Minute} {
			var r Report
			start := time.Now()
			for _, from := range []time.Duration{2, 1, 3} {
				h := Hold{Reason: Stopped, From: start.Add(from)}
				if until > 0 {
					h.Until = h.From.Add(until)
				}
				r.Hold("shop.test", h)
			}
			h, _ := r.Host("shop.test")
			if h.Stops != 1 || len(h.Holds) != 1 || h.Holds[0].From.Sub(start) != 1 {
				t.Errorf("until %v: %d stops, holds %v, want one from 1 ns on", until, h.Stops, h.Holds)
			}
		}
	})
}

func TestWhatAPersonLiftsHoldsNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Report
		r.Lift("shop.test") // nothing to lift
		r.Hold("shop.test", Hold{Reason: RateLimited, Until: time.Now().Add(time.Hour)})
		r.Hold("shop.test", Hold{Reason: Stopped})
		time.Sleep(time.Minute)
		r.Lift("shop.test", Stopped, AccessDenied)
		if h, _ := r.Host("shop.test"); h.Held.Reason != RateLimited {
			t.Errorf("held by %q once the stop is lifted, want rate_limited", h.Held.Reason)
		}
		r.Lift("shop.test")
		r.Sent(Request{Host: "shop.test"})
		if h, _ := r.Host("shop.test"); h.Held.Reason != "" || h.Broken != 0 || h.Blocks != 1 || h.Stops != 1 {
			t.Errorf("held by %q, %d broken, %d blocks, %d stops; want nothing, 0, 1, 1", h.Held.Reason, h.Broken, h.Blocks, h.Stops)
		}
	})
}

func TestTheLatestHoldsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Report
		for i := range maxHolds + 5 {
			r.Hold("shop.test", Hold{Reason: RateLimited, Until: time.Now().Add(time.Second), Status: i})
			time.Sleep(time.Minute)
		}
		h, _ := r.Host("shop.test")
		if len(h.Holds) != maxHolds || h.Holds[0].Status != 5 || h.Blocks != maxHolds+5 {
			t.Errorf("%d holds from the one of status %d on, %d blocks; want %d from 5 on, and %d", len(h.Holds), h.Holds[0].Status, h.Blocks, maxHolds, maxHolds+5)
		}
	})
}
