package throttle

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// What a user, a site or a clock may do that nobody would.

func TestNumbersThatNobodyCanKeepAreErrors(t *testing.T) {
	for name, o := range map[string]Options{
		"Options.Total":         {Total: math.Inf(1)},
		"Options.DomainRate":    {DomainRate: math.Inf(-1)},
		"Options.MaxCrawlDelay": {MaxCrawlDelay: 50 * 24 * time.Hour},
		"Rules[0].Delay":        {Rules: []LimitRule{{Delay: math.MaxInt64}}},
		"Rules[1].RandomDelay":  {Rules: []LimitRule{{}, {RandomDelay: math.MaxInt64}}},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("New(%+v) = %v, want an error that names %s", o, err, name)
		}
	}
}

func TestACeilingThatIsNextToNothingIsNoneTheLessKept(t *testing.T) {
	bubble(t, Options{Total: 1e-12, DomainRate: -1}, func(t *testing.T, th *Throttle) {
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 365*24*time.Hour)
		defer cancel()
		if _, err := th.Wait(ctx, parse(t, "http://b.test/")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait = %v, want no turn within a year", err)
		}
	})
}

func TestTheLongestDelaysAreCountedWith(t *testing.T) {
	bubble(t, Options{Logger: quiet(), Rules: []LimitRule{{Delay: longestDelay, RandomDelay: longestDelay}}}, func(t *testing.T, th *Throttle) {
		start := time.Now()
		for range 3 {
			mustWait(t, th, "http://a.test/").Done(nil, nil)
		}
		if got := time.Since(start); got < 2*longestDelay {
			t.Errorf("the third request came after %v, want at least %v", got, 2*longestDelay)
		}
	})
}

func TestARetryAfterOfAnyLengthParksAndNeverWraps(t *testing.T) {
	for _, value := range []string{"99999999999999999999", "9223372036854775807", "9223372036", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		bubble(t, Options{Logger: quiet()}, func(t *testing.T, th *Throttle) {
			for range 3 {
				turn := mustWait(t, th, "http://a.test/")
				for range 3 {
					turn.Headers(response(429, "Retry-After", value))
				}
				turn.Done(nil, nil)
				_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
				if e := wantRefused(t, err, report.RateLimited); time.Until(e.RetryAt) < 50*365*24*time.Hour {
					t.Errorf("Retry-After %s: to be asked again at %v, want in many years", value, e.RetryAt)
				}
				if err := th.Unpark("a.test", "a test"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
			}
		})
	}
}

func TestATurnThatEndedTeachesNothing(t *testing.T) {
	for name, end := range map[string]func(*Turn){"Done": func(tn *Turn) { tn.Done(nil, nil) }, "Cancel": (*Turn).Cancel} {
		bubble(t, Options{}, func(t *testing.T, th *Throttle) {
			turn := mustWait(t, th, "http://a.test/")
			end(turn)
			turn.Headers(response(429, "Retry-After", "3600"))
			turn.Done(response(429), nil)
			if s, _ := th.Snapshot("a.test"); s.Level != 0 || !s.Until.IsZero() {
				t.Errorf("Snapshot after a 429 told after %s = %+v, want no block", name, s)
			}
		})
	}
}

func TestATurnMayBeEndedFromAllSidesAtOnce(t *testing.T) {
	th, err := New(Options{Rules: []LimitRule{{Delay: NoDelay, Parallelism: 3}}, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	resp := response(500)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				turn, err := th.Wait(ctx, parse(t, "http://a.test/"))
				if err != nil {
					t.Errorf("Wait = %v, want nil", err)
					cancel()
					return
				}
				var ends sync.WaitGroup
				for _, end := range []func(){cancel, turn.Cancel, func() { turn.Headers(resp) }, func() { turn.Done(resp, nil) }, func() { turn.Done(nil, context.Canceled) }} {
					ends.Go(end)
				}
				ends.Wait()
				th.urls.change(parse(t, "http://a.test/"), "a.test", false, func(b *badURL) { b.failures = 0 }) // its failures are not the question
			}
		})
	}
	all.Wait()
	wantIdle(t, th)
}

func TestNothingStartsAfterClose(t *testing.T) {
	for name, come := range map[string]func(*testing.T, *Throttle, *Turn) error{
		"who steps back": func(_ *testing.T, th *Throttle, tn *Turn) error {
			tn.stepBack()
			_ = th.Close()
			return tn.resume()
		},
		"who steps back later": func(_ *testing.T, th *Throttle, tn *Turn) error {
			_ = th.Close()
			tn.stepBack()
			return tn.resume()
		},
		"what net/http sends again": func(_ *testing.T, th *Throttle, tn *Turn) error {
			_ = th.Close()
			return tn.again()
		},
		"who comes": func(t *testing.T, th *Throttle, tn *Turn) error {
			_ = th.Close()
			tn.Cancel()
			_, err := th.Wait(t.Context(), parse(t, "http://b.test/"))
			return err
		},
	} {
		bubble(t, Options{}, func(t *testing.T, th *Throttle) {
			if err := come(t, th, mustWait(t, th, "http://a.test/")); !errors.Is(err, ErrClosed) {
				t.Errorf("%s: %v, want %v", name, err, ErrClosed)
			}
		})
	}
}

func TestCloseInTheMiddleOfEverythingEndsItAll(t *testing.T) {
	th, err := New(Options{Rules: []LimitRule{{Delay: time.Microsecond, Parallelism: 2}}, Logger: quiet(), StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	hosts := []string{"a.test", "b.test", "c.test", "d.test"}
	var all, begun sync.WaitGroup
	for i := range 8 {
		begun.Add(1)
		all.Go(func() {
			u := parse(t, "http://"+hosts[i%len(hosts)]+"/")
			for n := 0; ; n++ {
				turn, err := th.Wait(t.Context(), u)
				if n == 0 {
					begun.Done()
				}
				if err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Errorf("Wait = %v, want %v", err, ErrClosed)
					}
					return
				}
				turn.Done(&http.Response{StatusCode: 200}, nil)
			}
		})
	}
	begun.Wait()
	for range 2 {
		all.Go(func() {
			if err := th.Close(); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
		})
	}
	all.Wait()
	wantIdle(t, th)
}
