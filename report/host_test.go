package report

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSourcesFillInWhatTheyKnowInTurn(t *testing.T) {
	var r Report
	r.Sent(Request{Host: "a.test", Interval: time.Second, Source: FromDefault})
	r.AddSource(func(h *Host) {
		h.Interval, h.Source, h.Waiting = time.Minute, FromBlock, 3
		_, _ = r.Host("other.test") // no lock is held
		r.Record(Skip{Reason: Budget, Host: "b.test"})
	})
	r.AddSource(func(h *Host) { h.Waiting++ })
	for _, h := range r.Hosts() {
		if h.Host == "a.test" && (h.Interval != time.Minute || h.Source != FromBlock || h.Waiting != 4) {
			t.Errorf("Hosts() = %+v, want what the sources say", h)
		}
	}
	if got, want := r.Summary().Waiting, 8; got != want {
		t.Errorf("Summary().Waiting = %d, want %d of 2 hosts", got, want)
	}
}

func TestHostsAreSortedAndTheCallersOwn(t *testing.T) {
	var r Report
	for _, host := range []string{"b.test", "c.test", "a.test"} {
		r.Record(Skip{Host: host, Reason: RobotsDisallowed, Rule: "disallow: /"})
	}
	hosts := r.Hosts()
	var names []string
	for i := range hosts {
		names = append(names, hosts[i].Host)
		hosts[i].Skips[0].Count = 99
	}
	if got, want := strings.Join(names, " "), "a.test b.test c.test"; got != want {
		t.Errorf("Hosts() = %s, want %s", got, want)
	}
	if got := r.Hosts()[0].Skips[0].Count; got != 1 {
		t.Errorf("after the caller changed its copy a count is %d, want 1", got)
	}
}

func TestSkipsAreCountedForTheirHostByRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Report
		skip := func(n int, rule string, line int) {
			for range n {
				r.Record(Skip{Host: "shop.test", Reason: RobotsDisallowed, Rule: rule, Line: line})
			}
		}
		skip(1, "disallow: /a", 2)
		skip(3, "disallow: /b", 3)
		r.Record(Skip{Reason: Bypassed}) // of no host that is known
		h, _ := r.Host("shop.test")
		want := Host{Host: "shop.test", First: time.Now(), Last: time.Now(), Skipped: 4,
			Skips: []SkipCount{{RobotsDisallowed, "disallow: /b", 3, 3}, {RobotsDisallowed, "disallow: /a", 2, 1}}}
		if diff := cmp.Diff(want, h); diff != "" || len(r.Hosts()) != 1 {
			t.Errorf("%d hosts, want 1; Host (-want +got)\n%s", len(r.Hosts()), diff)
		}
	})
}

func TestRulesOfAHostAreBoundedAndNoneIsLostFromTheCount(t *testing.T) {
	var r Report
	for i := range 3 * maxSkipCounts {
		r.Record(Skip{Host: "shop.test", Reason: RobotsDisallowed, Rule: fmt.Sprint("disallow: /", i), Line: i})
	}
	r.Record(Skip{Host: "shop.test", Reason: Stopped, Rule: strings.Repeat("x", 100_000)})
	h, _ := r.Host("shop.test")
	sum := 0
	for _, s := range h.Skips {
		sum += s.Count
		if len(s.Rule) > maxShown+10 {
			t.Errorf("a rule of %d bytes is kept, want at most %d", len(s.Rule), maxShown)
		}
	}
	if want := 3*maxSkipCounts + 1; sum != want || h.Skipped != want || len(h.Skips) > maxSkipCounts+len(reasons) {
		t.Errorf("%d skips in %d counts of %d, want %d", sum, len(h.Skips), h.Skipped, want)
	}
}
