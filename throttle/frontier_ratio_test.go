//go:build ratios

package throttle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"
)

const (
	fastHosts  = 20
	pagesEach  = 10
	fastGap    = 10 * time.Millisecond
	slowGap    = 300 * time.Millisecond
	crawlHands = 8
)

// queued are the URLs of one slow and many fast hosts, in three orders.
func queued() map[string][]string {
	first := numbered("slow.test", pagesEach)
	var turns, shuffled []string
	for i := range fastHosts {
		first = append(first, numbered(fmt.Sprintf("fast%d.test", i), pagesEach)...)
	}
	for page := range pagesEach {
		turns = append(turns, fmt.Sprintf("http://slow.test/%d", page))
		for i := range fastHosts {
			turns = append(turns, fmt.Sprintf("http://fast%d.test/%d", i, page))
		}
	}
	shuffled = slices.Clone(turns)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return map[string][]string{"slow host first": first, "in turns": turns, "shuffled": shuffled}
}

// sent crawls the URLs and says when the last fast page was sent, and the first, since the crawl began.
func sent(t *testing.T, crawl func(*stamps, []string), urls []string) (last, first time.Duration) {
	t.Helper()
	var base stamps
	start := time.Now()
	crawl(&base, urls)
	all := 0
	first = time.Hour
	for host, at := range base.at {
		all += len(at)
		if host != "slow.test" {
			slices.SortFunc(at, time.Time.Compare)
			last, first = max(last, at[len(at)-1].Sub(start)), min(first, at[0].Sub(start))
		}
	}
	if all != len(urls) {
		t.Fatalf("%d requests were sent, want %d", all, len(urls))
	}
	return last, first
}

// collys crawls with Colly's own queue and one of its rules per host.
func collys(t *testing.T) func(*stamps, []string) {
	return func(base *stamps, urls []string) {
		c := colly.NewCollector()
		c.WithTransport(base)
		rules := []*colly.LimitRule{{DomainGlob: "slow.test", Delay: slowGap}}
		for i := range fastHosts {
			rules = append(rules, &colly.LimitRule{DomainGlob: fmt.Sprintf("fast%d.test", i), Delay: fastGap})
		}
		if err := c.Limits(rules); err != nil {
			t.Fatal(err)
		}
		q, _ := queue.New(crawlHands, nil)
		addAll(t, q, urls...)
		if err := q.Run(c); err != nil {
			t.Fatal(err)
		}
	}
}

// ours crawls with the frontier, by Run or by Colly's queue on top of it.
func ours(t *testing.T, dropIn bool) func(*stamps, []string) {
	return func(base *stamps, urls []string) {
		th, err := New(Options{Rules: []LimitRule{{DomainGlob: "slow.test", Delay: slowGap}, {Delay: fastGap}}, Base: base,
			Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		c := colly.NewCollector()
		if err := th.Attach(c); err != nil {
			t.Fatal(err)
		}
		f := NewFrontier(th, nil)
		q, _ := queue.New(crawlHands, f)
		addAll(t, q, urls...)
		if dropIn {
			err = q.Run(c)
		} else {
			err = f.Run(t.Context(), c, crawlHands)
		}
		if err != nil {
			t.Fatal(err)
		}
		if s := th.Stats(); s.ShortGaps != 0 {
			t.Errorf("%d gaps were short, want 0", s.ShortGaps)
		}
	}
}

func median(rounds int, f func() time.Duration) time.Duration {
	var all []time.Duration
	for range rounds {
		all = append(all, f())
	}
	slices.Sort(all)
	return all[rounds/2]
}

func TestRatioFastHostsAreDoneInTimeBehindASlowOne(t *testing.T) {
	const ideal = (pagesEach - 1) * fastGap
	for order, urls := range queued() {
		of := func(rounds int, crawl func(*stamps, []string)) float64 {
			return float64(median(rounds, func() time.Duration { last, _ := sent(t, crawl, urls); return last })) / float64(ideal)
		}
		own, run, dropIn := of(1, collys(t)), of(3, ours(t, false)), of(1, ours(t, true))
		t.Logf("%s: the fast hosts are done at %.1f times the ideal with Colly's queue, %.2f with Run, %.2f with Colly's queue on the frontier", order, own, run, dropIn)
		if run > 1.3 {
			t.Errorf("%s: the fast hosts are done at %.2f times the ideal, want at most 1.3", order, run)
		}
	}
}

func TestRatioTheFirstPageOfAFastHostDoesNotWaitBehindAFullQueue(t *testing.T) {
	urls := append(numbered("slow.test", pagesEach), "http://fast0.test/")
	_, own := sent(t, collys(t), urls)
	run := median(3, func() time.Duration { _, first := sent(t, ours(t, false), urls); return first })
	t.Logf("the first page of the fast host was sent after %v with Colly's queue, %v with Run", own, run)
	if run > 50*time.Millisecond {
		t.Errorf("the first page of the fast host was sent after %v, want at most 50ms", run)
	}
}
