package throttle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestBusyHostsComeWithTheLongestFirst(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		for _, name := range []string{"slow.test", "fast.test", "idle.test"} {
			web.Host(name).Page("/*", "x")
		}
		c, th := paced(t, web, Options{Rules: []LimitRule{{DomainGlob: "slow.test", Delay: 10 * time.Second}, {Delay: time.Second}}}, colly.Async())
		visit(t, c, "http://idle.test/")
		time.Sleep(time.Hour)
		frontierHeld, _ := frontierOf(t, th, nil, numbered("queued.test", 100)...)
		for i, u := range append(numbered("fast.test", 5), numbered("slow.test", 3)...) {
			if err := c.Visit(u); err != nil {
				t.Errorf("Visit %d = %v, want nil", i, err)
			}
		}
		time.Sleep(500 * time.Millisecond)
		start := time.Now()
		hosts, all := th.Busy(10)
		if all != 3 || len(hosts) != 3 {
			t.Fatalf("Busy = %d hosts of %d, want 3 of 3: %+v", len(hosts), all, hosts)
		}
		for i, want := range []struct {
			host            string
			waiting, queued int
			eta             time.Duration
		}{{"queued.test", 0, 100, 99 * time.Second}, {"slow.test", 2, 0, 19500 * time.Millisecond}, {"fast.test", 4, 0, 3500 * time.Millisecond}} {
			got := hosts[i]
			if got.Host != want.host || got.Waiting != want.waiting || got.Queued != want.queued || got.ETA.Sub(start) != want.eta {
				t.Errorf("busy host %d = %+v, its ETA in %s, want %+v", i, got, got.ETA.Sub(start), want)
			}
		}
		if hosts, all := th.Busy(1); len(hosts) != 1 || all != 3 {
			t.Errorf("Busy(1) = %d hosts of %d, want 1 of 3", len(hosts), all)
		}
		c.Wait()
		if err := frontierHeld.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if last := web.HitsOf("slow.test")[2].Time.Sub(start); last != 19500*time.Millisecond {
			t.Errorf("the last of slow.test was sent after %s, the ETA said 19.5s", last)
		}
	})
}

func TestTheETACountsABlockOnce(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("busy.test").Page("/*", "x").Answer("/0", testweb.Answer{Status: 429, Header: map[string][]string{"Retry-After": {"60"}}})
		var r report.Report
		c, th := paced(t, web, Options{Report: &r}, colly.Async())
		_ = c.Visit("http://busy.test/0")
		time.Sleep(time.Second)
		for _, u := range numbered("busy.test", 11)[1:] {
			_ = c.Visit(u)
		}
		time.Sleep(time.Second)
		at := time.Now()
		s, _ := th.Snapshot("busy.test")
		if got := s.ETA.Sub(at); s.Waiting != 10 || got < 67*time.Second || got > 75*time.Second {
			t.Errorf("%d wait, the last for %s, want 10 and the block of about a minute and nine gaps of a second", s.Waiting, got)
		}
		if h, _ := r.Host("busy.test"); !h.ETA.Equal(s.ETA) {
			t.Errorf("the report says %s, the snapshot %s", h.ETA, s.ETA)
		}
		c.Wait()
		if late := web.HitsOf("busy.test")[10].Time.Sub(s.ETA); late < 0 || late > time.Second {
			t.Errorf("the last was sent %s after the ETA, want less than a second", late)
		}
	})
}

func TestAParkedHostHasNoETA(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("away.test").Answer("/*", testweb.Answer{Status: 503, Header: map[string][]string{"Retry-After": {"200000"}}})
		c, th := paced(t, web, Options{})
		_ = c.Visit("http://away.test/")
		f, q := frontierOf(t, th, nil, numbered("away.test", 5)...)
		addAll(t, q, "http://well.test/")
		hosts, _ := th.Busy(10)
		if len(hosts) != 2 || hosts[1].Host != "away.test" || hosts[1].Parked != report.RateLimited || hosts[1].Queued != 5 || !hosts[1].ETA.IsZero() {
			t.Errorf("Busy = %+v, want away.test last, parked, 5 queued, no ETA", hosts)
		}
		if err := f.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
}

func TestAnETAThatIsTooFarAwayIsTheLastInstant(t *testing.T) {
	if got := startOf(1, 1<<40, 24*time.Hour); got != never-1 {
		t.Errorf("startOf = %d, want the last instant", got)
	}
	if got, want := startOf(5, 3, time.Second), 5+2*int64(time.Second); got != want {
		t.Errorf("startOf = %d, want %d", got, want)
	}
}

func TestTheFirstOfManyAreThoseThatSortingGives(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{0, 1, 7, 1000} {
		first := firstHosts{most: most}
		var all []busyHost
		for i := range 500 {
			b := busyHost{fmt.Sprintf("h%d.test", i), random.Int64N(20), random.IntN(5)}
			all = append(all, b)
			first.add(b)
		}
		slices.SortFunc(all, busyHost.compare)
		if want := all[:min(most, len(all))]; !slices.Equal(first.hosts, want) || first.all != 500 {
			t.Errorf("the first %d of %d = %v, want %v of 500", most, first.all, first.hosts, want)
		}
	}
}
