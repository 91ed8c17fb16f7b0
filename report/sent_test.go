package report

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sending is one request in a table of requests.
type sending struct {
	at     time.Duration // after the first
	robots bool
	gap    time.Duration // Interval
	delay  time.Duration // CrawlDelay
}

// sendAll sends them to shop.test.
func sendAll(r *Report, all []sending) {
	start := time.Now()
	for _, x := range all {
		source := FromRule
		if x.delay > 0 && x.delay >= x.gap {
			source = FromCrawlDelay
		}
		r.Sent(Request{Host: "shop.test", Time: start.Add(x.at), Interval: x.gap, Source: source, CrawlDelay: x.delay, Robots: x.robots})
	}
}

func TestVerifyNamesEachBrokenPromise(t *testing.T) {
	const s = time.Second
	for _, x := range []struct {
		name   string
		sent   []sending
		broken []Breach // Host and Time left out
		judged int
	}{
		{"nothing promised", []sending{{0, false, 0, 0}, {1, false, 0, 0}}, nil, 0},
		{"kept to the nanosecond", []sending{{0, false, s, 0}, {s, false, s, 0}}, nil, 1},
		{"a nanosecond short", []sending{{0, false, s, 0}, {s - 1, false, s, 0}}, []Breach{{Kept: s - 1, Promised: s, Source: FromRule}}, 1},
		{"robots.txt neither waits for a page nor is waited for", []sending{{0, true, 0, 0}, {1, false, s, 0}, {2, true, s, 0}, {s + 1, false, s, 0}}, nil, 1},
		{"a page after robots.txt waits where a crawl delay holds", []sending{{0, true, 0, 0}, {9 * s, false, 10 * s, 10 * s}},
			[]Breach{{Kept: 9 * s, Promised: 10 * s, Source: FromCrawlDelay}}, 1},
		{"and robots.txt after a page too", []sending{{0, false, 10 * s, 10 * s}, {9 * s, true, 10 * s, 10 * s}},
			[]Breach{{Kept: 9 * s, Promised: 10 * s, Source: FromCrawlDelay}}, 1},
		{"robots.txt waits for no more than the crawl delay", []sending{{0, false, 20 * s, 10 * s}, {10 * s, true, 20 * s, 10 * s}, {20 * s, false, 20 * s, 10 * s}}, nil, 2},
		{"the promise counts as it is at that moment", []sending{{0, false, s, 0}, {5 * s, false, 10 * s, 10 * s}, {6 * s, false, s, 0}},
			[]Breach{{Kept: 5 * s, Promised: 10 * s, Source: FromCrawlDelay}}, 2},
		{"a rule that asks for more than the crawl delay", []sending{{0, false, 20 * s, 10 * s}, {15 * s, false, 20 * s, 10 * s}},
			[]Breach{{Kept: 15 * s, Promised: 20 * s, Source: FromRule}}, 1},
		{"told in the wrong order", []sending{{s, false, s, 0}, {0, false, s, 0}, {2 * s, false, s, 0}}, nil, 2},
	} {
		var r Report
		sendAll(&r, x.sent)
		var e *BrokenError
		if err := r.Verify(); (err != nil) != (len(x.broken) > 0) || err != nil && !errors.As(err, &e) {
			t.Errorf("%s: Verify = %v, want %d broken", x.name, err, len(x.broken))
			continue
		}
		if e == nil {
			e = &BrokenError{}
		}
		for i := range e.Breaches {
			e.Breaches[i].Host, e.Breaches[i].Time = "", time.Time{}
		}
		if diff := cmp.Diff(x.broken, e.Breaches); diff != "" {
			t.Errorf("%s: Breaches (-want +got)\n%s", x.name, diff)
		}
		if got := r.Summary().Measured; got != x.judged {
			t.Errorf("%s: %d promises were measured, want %d", x.name, got, x.judged)
		}
	}
}

func TestTheTextOfABrokenPromiseHasHostGapsAndTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Report
		sendAll(&r, []sending{{0, false, time.Second, 0}, {300 * time.Millisecond, false, time.Second, 0}})
		want := "report: 1 of 1 promises of this process were broken\n\tshop.test was asked at " +
			time.Now().Add(300*time.Millisecond).Format("2006-01-02 15:04:05.000 MST") + ", 300ms after the request before; promised was 1s (rule)"
		if err := r.Verify(); err == nil || err.Error() != want {
			t.Errorf("Verify = %v\nwant %s", err, want)
		}
	})
}

func TestOfManyBrokenPromisesAllAreCountedAndTheFirstAreNamed(t *testing.T) {
	var r Report
	var all []sending
	for i := range maxBreaches + 6 {
		all = append(all, sending{time.Duration(i), false, time.Second, 0})
	}
	sendAll(&r, all)
	var e *BrokenError
	if err := r.Verify(); !errors.As(err, &e) || e.Broken != maxBreaches+5 || len(e.Breaches) != maxBreaches {
		t.Fatalf("Verify = %v, want %d broken and %d named", err, maxBreaches+5, maxBreaches)
	}
	if !strings.HasSuffix(e.Error(), "\n\tand 5 more") {
		t.Errorf("Error() = %q, want it to end with how many more there are", e.Error())
	}
}

func TestARequestIsCountedForItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Report
		start := time.Now()
		r.Sent(Request{Host: "shop.test", Robots: true})
		r.Ended(Answer{Host: "shop.test", Status: 404, Bytes: 10})
		for _, status := range []int{200, 204, 301, 429, 503, 500, 0, 101} {
			time.Sleep(time.Second)
			r.Sent(Request{Host: "shop.test", Secure: true, Interval: time.Second, Source: FromDefault})
			r.Ended(Answer{Host: "shop.test", Status: status, Bytes: 100})
		}
		r.Sent(Request{}) // without a host it is nobody's
		r.Ended(Answer{})
		got, ok := r.Host("shop.test")
		want := Host{Host: "shop.test", Requests: 9, Robots: 1, Secure: 8, Bytes: 810,
			Answers: Answers{OK: 2, Redirects: 1, ClientErrors: 2, ServerErrors: 2, Failed: 1, Other: 1, Throttled: 2},
			First:   start, Last: start.Add(8 * time.Second), Interval: time.Second, Source: FromDefault,
			SmallestGap: time.Second, MedianGap: time.Second, Gaps: 7, Measured: 7}
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("Host (-want +got)\n%s", diff)
		}
		if _, ok := r.Host("other.test"); ok || len(r.Hosts()) != 1 {
			t.Errorf("Hosts() = %v, want shop.test alone", r.Hosts())
		}
	})
}
