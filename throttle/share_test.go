package throttle

import (
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestEachOfSeveralProcessesKeepsThatManyTimesTheInterval(t *testing.T) {
	for name, x := range map[string]struct {
		rules []LimitRule
		want  []time.Duration
	}{
		"the default's":            {nil, seconds(0, 3, 6)},
		"a rule's":                 {[]LimitRule{{Delay: 2 * time.Second}}, seconds(0, 6, 12)},
		"NoDelay is no interval":   {[]LimitRule{{Delay: NoDelay}}, seconds(0, 0, 0)},
		"the first that matches's": {[]LimitRule{{DomainGlob: "b.test", Delay: NoDelay}, {Delay: time.Minute}}, seconds(0, 180, 360)},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, web *testweb.Web) {
				web.Host("a.test").Page("/*", "x")
				c, th := paced(t, web, Options{Rules: x.rules, Share: 3})
				start := time.Now()
				visit(t, c, "http://a.test/1", "http://a.test/2", "http://a.test/3")
				wantAt(t, web, "a.test", start, x.want...)
				if s, _ := th.Snapshot("a.test"); s.Interval != x.want[1] {
					t.Errorf("Snapshot.Interval = %s, want %s", s.Interval, x.want[1])
				}
				wantIdle(t, th)
			})
		})
	}
}

func TestSharesOfZeroAndOneMeanAlone(t *testing.T) {
	for _, n := range []int{0, 1} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x")
			c, _ := paced(t, web, Options{Share: n})
			start := time.Now()
			visit(t, c, "http://a.test/1", "http://a.test/2")
			wantAt(t, web, "a.test", start, seconds(0, 1)...)
		})
	}
}

func TestACrawlDelayIsForAllProcessesTogether(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := obeying(t, web, Options{Share: 2}, asking(10*time.Second))
		start := time.Now()
		visit(t, c, "http://a.test/1", "http://a.test/2")
		wantAt(t, web, "a.test", start, seconds(0, 20, 40)...) // robots.txt first
		if s, _ := th.Snapshot("a.test"); s.Interval != 20*time.Second || s.Source != FromCrawlDelay {
			t.Errorf("Snapshot = %+v, want 20 s from the crawl delay", s)
		}
	})
}

func TestACrawlDelayIsTooLongByWhatTheSiteAsksNotByTheShare(t *testing.T) {
	for delay, parked := range map[time.Duration]bool{4 * time.Minute: false, 6 * time.Minute: true} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Page("/*", "x")
			c, _ := obeying(t, web, Options{Share: 3}, asking(delay))
			err := c.Visit("http://a.test/1")
			if !parked {
				if err != nil {
					t.Errorf("crawl delay %s: Visit = %v, want nil", delay, err)
				}
				return
			}
			if e := wantRefused(t, err, report.CrawlDelayTooLong); e.Needed != delay || e.Allowed != DefaultMaxCrawlDelay {
				t.Errorf("needed %s, allowed %s, want %s and %s: what the site asks, what is kept", e.Needed, e.Allowed, delay, DefaultMaxCrawlDelay)
			}
		})
	}
}

func TestTheRateOfADomainIsForAllProcessesTogether(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		c, _ := paced(t, web, Options{Share: 4, DomainRate: 2})
		start := time.Now()
		for _, name := range []string{"a", "b", "c", "d"} {
			web.Host(name+".shop.test").Page("/*", "x")
			visit(t, c, "http://"+name+".shop.test/")
		}
		if got, want := time.Since(start), 4*time.Second; got != want { // two at once, then one each 2 s
			t.Errorf("four hosts of a domain took %s, want %s", got, want)
		}
	})
}

func TestAShareThatIsNegativeIsAnError(t *testing.T) {
	if _, err := New(Options{Share: -2}); err == nil || !strings.Contains(err.Error(), "Options.Share -2") {
		t.Errorf("New = %v, want an error that names Options.Share and -2", err)
	}
}
