package throttle

import (
	"runtime"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// classes are the classes that anything fell into.
func classes(d Durations) map[time.Duration]int {
	out := make(map[time.Duration]int)
	for i, n := range d.Counts {
		switch {
		case n == 0:
		case i == len(d.Bounds):
			out[-1] = n
		default:
			out[d.Bounds[i]] = n
		}
	}
	return out
}

func TestMeasuresCountHowLongRequestsWaited(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: 2 * time.Hour}}}, colly.Async())
		visit(t, c, "http://a.test/1", "http://a.test/2")
		m := th.Measures()
		if got, want := classes(m.Waits), (map[time.Duration]int{10 * time.Millisecond: 1, -1: 1}); !cmp.Equal(got, want) {
			t.Errorf("waits = %v, want %v: one at once, one after two hours", got, want)
		}
		if got, want := m.Waits.Sum, 2*time.Hour; got != want {
			t.Errorf("all waits together = %s, want %s", got, want)
		}
		if got, want := classes(m.Latency), (map[time.Duration]int{10 * time.Microsecond: 2}); !cmp.Equal(got, want) {
			t.Errorf("latency = %v, want %v: a wait that is owed to the host is none", got, want)
		}
		if got, want := len(web.Hits()), 2; got != want {
			t.Errorf("the server got %d requests, want %d", got, want)
		}
	})
}

func TestADurationOnTheBoundBelongsToItsClass(t *testing.T) {
	var d durations
	bounds := []time.Duration{time.Second, time.Minute}
	for _, x := range []time.Duration{-1, 0, time.Second, time.Second + 1, time.Minute, time.Minute + 1} {
		d.add(bounds, int64(x))
	}
	if got, want := d.read(bounds).Counts, []int{3, 2, 1}; !cmp.Equal(got, want) {
		t.Errorf("counts = %v, want %v", got, want)
	}
}

func TestTheClassesFit(t *testing.T) {
	var d durations
	for _, bounds := range [][]time.Duration{waitBounds, latencyBounds} {
		if got, most := len(bounds)+1, len(d.counts); got > most {
			t.Errorf("%d classes, room for %d", got, most)
		}
	}
}

func TestMeasuresCountHostsThatAreHeldBack(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("busy.test").Answer("/", testweb.Answer{Status: 429, Header: map[string][]string{"Retry-After": {"60"}}})
		web.Host("away.test").Answer("/", testweb.Answer{Status: 503, Header: map[string][]string{"Retry-After": {"200000"}}})
		web.Host("well.test").Page("/", "x")
		c, th := paced(t, web, Options{})
		for _, u := range []string{"http://busy.test/", "http://away.test/", "http://well.test/"} {
			_ = c.Visit(u) // some fail
		}
		if m := th.Measures(); m.Blocked != 1 || m.Parked != 1 {
			t.Errorf("blocked, parked = %d, %d, want 1, 1", m.Blocked, m.Parked)
		}
		time.Sleep(2 * time.Minute)
		if m := th.Measures(); m.Blocked != 0 || m.Parked != 1 {
			t.Errorf("blocked, parked after the block = %d, %d, want 0, 1", m.Blocked, m.Parked)
		}
	})
}

func TestStatsCountWhatFrontiersHold(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		_, th := paced(t, web, Options{})
		one, _ := frontierOf(t, th, nil, numbered("a.test", 2)...)
		other, _ := frontierOf(t, th, nil, numbered("b.test", 1)...)
		if got, want := th.Stats().Queued, 3; got != want {
			t.Errorf("queued = %d, want %d", got, want)
		}
		if _, err := one.GetRequest(); err != nil {
			t.Fatalf("GetRequest = %v, want nil", err)
		}
		if got, want := th.Stats().Queued, 2; got != want {
			t.Errorf("queued after a hand-out = %d, want %d", got, want)
		}
		runtime.KeepAlive(other)
	})
}

func TestAnAnswerWhoseBodyWasIdleIsCountedAllTheSame(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		var r report.Report
		c, th := paced(t, web, Options{Report: &r})
		inner := false
		c.OnResponseHeaders(func(*colly.Response) {
			if !inner {
				inner = true
				_ = c.Visit("http://a.test/2") // waits for the very request it runs in
			}
		})
		visit(t, c, "http://a.test/1")
		if got, want := th.Measures().IdleBodies, 1; got != want {
			t.Errorf("idle bodies = %d, want %d", got, want)
		}
		if got, want := r.Totals().Answers.OK, len(web.Hits()); got != want || want != 2 {
			t.Errorf("the report counts %d answers, the server %d, want 2", got, want)
		}
	})
}

func TestAnAttemptThatNetHTTPRepeatsIsCountedAsTwo(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/1", "x").Answer("/2", testweb.Answer{Reset: true}, testweb.Answer{Body: "well"})
		var r report.Report
		c, th := paced(t, web, Options{Report: &r, Rules: []LimitRule{{Delay: 3 * time.Second}}})
		visit(t, c, "http://a.test/1", "http://a.test/2")
		got, want := r.Totals(), len(web.Hits())
		if want != 3 || got.Requests != want || got.Answers.OK != 2 || got.Answers.Failed != 1 {
			t.Errorf("the report counts %d requests, %+v, want 3: two answered, one failed", got.Requests, got.Answers)
		}
		if m := th.Measures(); m.Waits.Sum != 6*time.Second {
			t.Errorf("all waits together = %s, want 6s: 3s for each request but the first", m.Waits.Sum)
		}
	})
}
