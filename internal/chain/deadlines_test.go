package chain

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// attemptOf is a hop whose attempt begins now, and when it ran out, counted from start.
func attemptOf(t *testing.T, c *Chain, timeout time.Duration, start time.Time) (*Hop, *time.Duration) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://shop.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := c.newHop(r, context.Background(), false)
	h.timeout = timeout
	h.startTimer()
	at := new(time.Duration)
	context.AfterFunc(h.Context(), func() {
		if errors.Is(context.Cause(h.Context()), context.DeadlineExceeded) {
			*at = time.Since(start)
		}
	})
	return h, at
}

func TestEachAttemptRunsOutAtItsInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, start := newChain(Config{}), time.Now()
		_, first := attemptOf(t, c, 10*time.Second, start)
		time.Sleep(3 * time.Second)
		_, second := attemptOf(t, c, 10*time.Second, start)
		_, shorter := attemptOf(t, c, time.Second, start)
		_, longer := attemptOf(t, c, 20*time.Second, start)
		time.Sleep(time.Minute)
		synctest.Wait() // which, unlike the sleep, lets what others wrote be read
		for name, x := range map[string]struct{ got, want time.Duration }{
			"first": {*first, 10 * time.Second}, "second": {*second, 13 * time.Second}, "shorter": {*shorter, 4 * time.Second}, "longer": {*longer, 23 * time.Second},
		} {
			if x.got != x.want {
				t.Errorf("%s ran out after %v, want %v", name, x.got, x.want)
			}
		}
	})
}

func TestAnAttemptThatEndsInTimeHoldsNoOtherUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, start := newChain(Config{}), time.Now()
		first, firstAt := attemptOf(t, c, 10*time.Second, start)
		second, secondAt := attemptOf(t, c, 10*time.Second, start)
		time.Sleep(time.Second)
		_, third := attemptOf(t, c, 10*time.Second, start)
		c.deadlines.remove(first)
		second.finish(nil)
		second.finish(nil) // once more does nothing
		time.Sleep(5 * time.Second)
		first.startTimer() // anew
		time.Sleep(time.Minute)
		synctest.Wait() // which, unlike the sleep, lets what others wrote be read
		if *firstAt != 16*time.Second || *secondAt != 0 || *third != 11*time.Second {
			t.Errorf("first, second, third ran out after %v, %v, %v, want 16s, not at all, 11s", *firstAt, *secondAt, *third)
		}
		q := &c.deadlines
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.first != nil || q.last != nil || q.armed {
			t.Error("the queue is not empty at the end")
		}
	})
}
