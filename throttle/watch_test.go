package throttle

import (
	"net/http"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

func TestWhenAHostMayStartAndThatItChanged(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		changes := 0
		th.watch(func(host string) {
			if host != "a.test" {
				t.Errorf("told of %q, want a.test", host)
			}
			changes++
		})
		want := func(when string, at time.Duration, held report.Reason, changed bool) {
			t.Helper()
			got, reason := th.startable("a.test")
			left := time.Duration(0)
			if got == whenBusy {
				left = -1
			} else if got != 0 {
				left = time.Duration(got - th.now())
			}
			if at >= 0 && left.Round(time.Millisecond) != at || at < 0 && left != at || reason != held || (changes > 0) != changed {
				t.Errorf("%s: startable in %v, held %q, %d changes told, want %v, %q, told: %v", when, left, reason, changes, at, held, changed)
			}
			changes = 0
		}
		want("an unknown host", 0, "", false)
		turn := mustWait(t, th, "http://a.test/")
		want("under way", -1, "", true)
		turn.Done(nil, nil)
		want("after the end", time.Second, "", true)
		time.Sleep(time.Second)
		want("after the gap", 0, "", false)
		turn = mustWait(t, th, "http://a.test/")
		changes = 0
		turn.Headers(&http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"100000"}}})
		if _, reason := th.startable("a.test"); reason != report.RateLimited || changes == 0 {
			t.Errorf("after a 429: held %q, %d changes told, want rate_limited, and told", reason, changes)
		}
		turn.Done(nil, nil)
		changes = 0
		if err := th.Unpark("a.test", "a test"); err != nil {
			t.Fatal(err)
		}
		want("unparked", time.Second, "", true)
		th.watch(nil)
		mustWait(t, th, "http://a.test/").Cancel()
		want("nobody watches", 0, "", false)
	})
}
