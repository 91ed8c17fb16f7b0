package throttle

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// bubble runs f with a throttle in virtual time, without a web.
func bubble(t *testing.T, o Options, f func(t *testing.T, th *Throttle)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		th, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		f(t, th)
		wantIdle(t, th)
	})
}

func mustWait(t *testing.T, th *Throttle, u string) *Turn {
	t.Helper()
	turn, err := th.Wait(t.Context(), parse(t, u))
	if err != nil {
		t.Fatalf("Wait(%s) = %v, want nil", u, err)
	}
	return turn
}

func TestWaitGivesTurnsOneAfterTheOther(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		start := time.Now()
		for _, want := range seconds(0, 1.5, 3) {
			turn := mustWait(t, th, "http://a.test/")
			if got := time.Since(start); got != want {
				t.Errorf("turn after %v, want %v", got, want)
			}
			time.Sleep(time.Second / 2)
			turn.Done(&http.Response{StatusCode: 200}, nil)
		}
	})
}

func TestACancelledTurnCountsNoStart(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		start := time.Now()
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		turn := mustWait(t, th, "http://a.test/")
		done := make(chan time.Duration)
		go func() {
			mustWait(t, th, "http://a.test/").Done(nil, nil)
			done <- time.Since(start)
		}()
		synctest.Wait()
		turn.Cancel()
		if got, want := <-done, time.Second; got != want {
			t.Errorf("the next in line started after %v, want %v: in the place of the one that was given back", got, want)
		}
		turn.Cancel()
		turn.Done(&http.Response{StatusCode: 429}, nil)
	})
}

func TestTheEndOfATurnComesOnce(t *testing.T) {
	bubble(t, Options{Rules: []LimitRule{{Delay: NoDelay, Parallelism: 2}}}, func(t *testing.T, th *Throttle) {
		a, b := mustWait(t, th, "http://a.test/"), mustWait(t, th, "http://a.test/")
		a.Done(nil, nil)
		a.Done(nil, nil)
		a.Cancel()
		if s := th.Stats(); s.InFlight != 1 {
			t.Errorf("in flight %d after one of two ended thrice, want 1", s.InFlight)
		}
		b.Done(nil, nil)
	})
}

func TestHeadersAreLearntFromOnce(t *testing.T) {
	bubble(t, Options{Rules: []LimitRule{{Delay: NoDelay, Parallelism: 2}}}, func(t *testing.T, th *Throttle) {
		turn := mustWait(t, th, "http://a.test/")
		resp := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"10"}}}
		turn.Headers(resp)
		s, _ := th.Snapshot("a.test")
		until := s.Until
		time.Sleep(time.Second)
		turn.Headers(resp)
		turn.Done(resp, nil)
		if s, _ := th.Snapshot("a.test"); s.Level != 1 || !s.Until.Equal(until) {
			t.Errorf("level %d until %v, want 1 and %v", s.Level, s.Until, until)
		}
	})
}

func TestWaitingEndsWithItsContextAndLeavesNoHole(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		start := time.Now()
		cause := errors.New("stopped")
		first := mustWait(t, th, "http://a.test/")
		ctx, cancel := context.WithCancelCause(t.Context())
		errs := make(chan error)
		at := make(chan time.Duration, 1)
		go func() {
			_, err := th.Wait(ctx, parse(t, "http://a.test/"))
			errs <- err
		}()
		synctest.Wait()
		go func() {
			mustWait(t, th, "http://a.test/").Done(nil, nil)
			at <- time.Since(start)
		}()
		synctest.Wait()
		first.Done(nil, nil)
		time.Sleep(time.Second / 2)
		cancel(cause)
		if err := <-errs; err != cause || time.Since(start) != time.Second/2 {
			t.Errorf("Wait = %v after %v, want the context's cause at once", err, time.Since(start))
		}
		if got, want := <-at, time.Second; got != want {
			t.Errorf("the next in line started after %v, want %v", got, want)
		}
	})
}

func TestAnEndedContextSendsNothingEvenIfItIsItsTurn(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := th.Wait(ctx, parse(t, "http://a.test/")); err != context.Canceled {
			t.Errorf("Wait with an ended context = %v, want context.Canceled", err)
		}
	})
}

func TestCloseEndsTheWaitingOfAll(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		first := mustWait(t, th, "http://a.test/")
		errs := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
				errs <- err
			}()
		}
		synctest.Wait()
		for range 2 {
			if err := th.Close(); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
		}
		for range 2 {
			if err := <-errs; err != ErrClosed {
				t.Errorf("Wait = %v, want ErrClosed", err)
			}
		}
		if _, err := th.Wait(t.Context(), parse(t, "http://b.test/")); err != ErrClosed {
			t.Errorf("Wait after Close = %v, want ErrClosed", err)
		}
		first.Done(nil, nil)
	})
}

func TestAnIdleHostHasNoTimer(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		for range 3 {
			mustWait(t, th, "http://a.test/").Done(nil, nil)
		}
		s, h := th.hosts.find("a.test")
		defer s.mu.Unlock()
		if h.gate.timer != nil || h.gate.head != nil || h.gate.flying != nil {
			t.Errorf("gate of an idle host = %+v, want no timer and nobody", h.gate)
		}
	})
}

func TestWaitRefusesWhatCanHaveNoHost(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		if _, err := th.Wait(t.Context(), &url.URL{Scheme: "http"}); err == nil {
			t.Error("Wait for a URL without a host = nil, want an error")
		}
	})
}

func TestAnErrorSaysWhatHappenedAndWhatWouldHelp(t *testing.T) {
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		e    Error
		want string
	}{
		{Error{Host: "a.test", Reason: report.CrawlDelayTooLong, Needed: 10 * time.Minute, Allowed: 5 * time.Minute, RetryAt: at},
			"throttle: a.test asks for 10m0s between requests, 5m0s is allowed: raise Options.MaxCrawlDelay, or Unpark the host; " +
				"asked again after 2025-03-01T12:00:00Z"},
		{Error{Host: "a.test", Reason: report.RateLimited, Needed: 10 * time.Minute, Allowed: 5 * time.Minute, RetryAt: at},
			"throttle: a.test answered 429 or 503 and needs 10m0s, the request allows 5m0s: ask again after 2025-03-01T12:00:00Z, or raise Options.MaxBlockWait"},
	} {
		if got := x.e.Error(); got != x.want {
			t.Errorf("Error() = %q\nwant %q", got, x.want)
		}
	}
}

// Whatever the machine does meanwhile: who leaves a line neither allocates nor sets its timer anew, so that ten thousand who leave cost ten thousand steps.
func TestALineThatIsCancelledSetsNoTimerAnew(t *testing.T) {
	bubble(t, Options{Rules: []LimitRule{{Delay: time.Hour}}}, func(t *testing.T, th *Throttle) {
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		const n = 10_000
		u := parse(t, "http://a.test/")
		turns := make([]*Turn, n)
		for i := range turns {
			turns[i] = &Turn{url: u, ctx: t.Context()}
			if err := th.enter(turns[i], "a.test"); err != nil {
				t.Fatal(err)
			}
			turns[i].gate.shard.mu.Unlock()
		}
		g := turns[0].gate
		g.shard.mu.Lock()
		defer g.shard.mu.Unlock()
		g.advance(th.now())
		armed, timer := g.armed, g.timer
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, tn := range turns[:n-1] { // the one at the head each time: the worst order
			tn.quit()
			if g.armed != armed || g.timer != timer {
				t.Fatal("the timer was set anew, want it left as it is: the next one starts at the same instant")
			}
		}
		runtime.ReadMemStats(&after)
		if got, most := after.Mallocs-before.Mallocs, uint64(n/100); got > most {
			t.Errorf("%d allocations, want at most %d", got, most)
		}
		turns[n-1].quit()
		if g.timer != nil || g.waiting != 0 || g.head != nil {
			t.Errorf("timer %v, %d wait, want none", g.timer, g.waiting)
		}
	})
}
