package chain

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// Thousands of attempts with timeouts that differ, of which some end in time and some begin anew.
func TestWhateverTheOrderEachAttemptEndsInTimeOrRunsOutAtItsInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		c := newChain(Config{})
		var hops []context.Context
		var want []time.Duration
		start := time.Now()
		for range 3000 {
			r, _ := http.NewRequest(http.MethodGet, "http://shop.test/", nil)
			h := c.newHop(r, context.Background(), false)
			h.timeout = time.Duration(1+random.IntN(40)) * time.Second
			h.startTimer()
			at := time.Since(start) + h.timeout
			i := len(hops)
			hops, want = append(hops, h.Context()), append(want, at)
			switch random.IntN(4) {
			case 0: // ends in time
				want[i] = 0
				after := time.Duration(random.Int64N(int64(h.timeout)))
				time.AfterFunc(after, func() { h.finish(nil) })
			case 1: // begins anew
				after := time.Duration(random.Int64N(int64(h.timeout)))
				want[i] = time.Since(start) + after + h.timeout
				time.AfterFunc(after, func() { h.chain.deadlines.remove(h); h.startTimer() })
			}
			time.Sleep(time.Duration(random.IntN(50)) * time.Millisecond)
		}
		q := &c.deadlines
		for len(hops) > 0 {
			runtime.GC()
			now := time.Since(start)
			for i, ctx := range hops {
				over := errors.Is(context.Cause(ctx), context.DeadlineExceeded)
				if want[i] == 0 && over || want[i] != 0 && over != (now >= want[i]) {
					t.Errorf("after %s an attempt that is to run out at %s (0: not at all) ran out: %v", now, want[i], over)
				}
			}
			if now > 5*time.Minute {
				break
			}
			time.Sleep(10*time.Second + time.Millisecond/2)
			synctest.Wait()
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.first != nil || q.last != nil || q.armed {
			t.Error("the queue is not empty at the end")
		}
	})
}
