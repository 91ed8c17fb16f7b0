package etiquette_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// queued is a frontier of the Guard with some URLs of some hosts.
func queued(t *testing.T, g *etiquette.Guard, n int, hosts ...string) *throttle.Frontier {
	t.Helper()
	f := g.NewFrontier(nil)
	for i := range n {
		for _, host := range hosts {
			if err := addURL(f, fmt.Sprintf("http://%s/%d", host, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

func TestAStopReachesWhatIsQueued(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 60\n").Page("/*", "x")
		web.Host("fast.test").Page("/*", "x")
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
		c := guarded(t, g)
		f := queued(t, g, 30, "slow.test", "fast.test")
		done := make(chan error, 1)
		go func() { done <- f.Run(t.Context(), c, 4) }()
		time.Sleep(10 * time.Second)
		atStop := len(web.HitsOf("slow.test"))
		if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "slow.test", Reason: "asked to"}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := <-done; err != nil {
			t.Fatalf("Run = %v", err)
		}
		if took := time.Since(start); took > 2*time.Minute {
			t.Errorf("Run went on for %s after the stop, want no wait for what is stopped", took)
		}
		if got := len(web.HitsOf("slow.test")); got != atStop {
			t.Errorf("%d requests to the stopped host after the stop", got-atStop)
		}
		if got := len(web.HitsOf("fast.test")); got != 31 {
			t.Errorf("the other host saw %d requests, want robots.txt and 30 pages", got)
		}
		stopped := 0
		for _, s := range told.all() {
			if s.Reason == report.Stopped && s.Host == "slow.test" {
				stopped++
			}
		}
		if want := 30 - atStop + 1; stopped != want { // robots.txt is no queued URL
			t.Errorf("%d skips for the stopped host, want one for each of the %d URLs that were left", stopped, want)
		}
	})
}

func TestALiftBringsBackWhatWasQueued(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		g := newGuard(t, web)
		c := guarded(t, g)
		id, err := g.KillSwitch.Stop(killswitch.Rule{Host: "a.test", Reason: "asked to"})
		if err != nil {
			t.Fatal(err)
		}
		f := queued(t, g, 20, "a.test", "b.test")
		done := make(chan error, 1)
		go func() { done <- f.Run(t.Context(), c, 2) }()
		time.Sleep(5 * time.Second)
		if err := g.KillSwitch.Lift(id, "may go on"); err != nil {
			t.Fatal(err)
		}
		lifted := time.Now()
		time.Sleep(3 * time.Second)
		if hits := web.HitsOf("a.test"); len(hits) == 0 || hits[0].Time.Before(lifted) {
			t.Errorf("3s after the lift the host saw %q, want its queued URLs from then on", hits)
		}
		if err := <-done; err != nil {
			t.Fatalf("Run = %v", err)
		}
		for _, host := range []string{"a.test", "b.test"} {
			if got := len(web.HitsOf(host)); got != 21 {
				t.Errorf("%s saw %d requests, want robots.txt and 20 pages", host, got)
			}
		}
	})
}

// A stop of everything ends the run; what is queued comes back with the next.
func TestAFrontierWhoseHostsAreAllStoppedEndsAndGoesOnLater(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		g := newGuard(t, web)
		c := guarded(t, g)
		id, err := g.KillSwitch.Stop(killswitch.Rule{All: true, Reason: "asked to"})
		if err != nil {
			t.Fatal(err)
		}
		f := queued(t, g, 5, "a.test")
		if err := f.Run(t.Context(), c, 2); err != nil || len(web.Hits()) != 0 {
			t.Fatalf("Run with everything stopped = %v, %d requests", err, len(web.Hits()))
		}
		if err := g.KillSwitch.Lift(id, "may go on"); err != nil {
			t.Fatal(err)
		}
		if err := f.Run(t.Context(), c, 2); err != nil || len(web.Hits()) != 6 {
			t.Errorf("Run after the lift = %v, the server saw %q, want robots.txt and 5 pages", err, web.Log())
		}
	})
}

func TestManyRulesThatComeAndGoWhileTheQueueRuns(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		g := newGuard(t, web)
		c := guarded(t, g, func(c *colly.Collector) { c.AllowURLRevisit = true })
		var hosts []string
		for i := range 8 {
			hosts = append(hosts, fmt.Sprintf("h%d.test", i))
			web.Host(hosts[i]).Page("/*", "x")
		}
		f := queued(t, g, 40, hosts...)
		done := make(chan error, 1)
		go func() { done <- f.Run(t.Context(), c, 8) }()
		for i := range 24 {
			id, err := g.KillSwitch.Stop(killswitch.Rule{Host: hosts[i%8], Reason: "asked to"})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(1500 * time.Millisecond)
			if err := g.KillSwitch.Lift(id, "may go on"); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-done; err != nil {
			t.Fatalf("Run = %v", err)
		}
		if err := f.Run(t.Context(), c, 8); err != nil {
			t.Fatalf("a last Run = %v", err)
		}
		for _, host := range hosts {
			missing := map[string]bool{}
			for i := range 40 {
				missing[fmt.Sprintf("/%d", i)] = true
			}
			for _, h := range web.HitsOf(host) {
				delete(missing, h.URI)
			}
			// A request that a stop ended under way is no longer queued: Requeue has it.
			if len(missing) > 3 {
				t.Errorf("%s: %d queued URLs were never asked for", host, len(missing))
			}
		}
		synctest.Wait()
	})
}

func TestAFrontierOfTheGuardServesCollysQueue(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		g := newGuard(t, web)
		c := guarded(t, g)
		f := g.NewFrontier(&queue.InMemoryQueueStorage{MaxSize: 100})
		q, err := queue.New(2, f)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := q.AddURL(fmt.Sprintf("http://a.test/%d", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Run(context.Background(), c, 2); err != nil {
			t.Fatal(err)
		}
		if got := len(web.HitsOf("a.test")); got != 4 {
			t.Errorf("%d requests, want robots.txt and 3 pages", got)
		}
	})
}
