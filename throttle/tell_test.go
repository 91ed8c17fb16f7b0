package throttle

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestOneLinePerHostSaysIntervalSourceAndETA(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var log logged
		web.Host("a.test").Page("/*", "x")
		web.Host("b.test").Page("/*", "x")
		c, _ := obeying(t, web, Options{Logger: log.logger()}, asking(10*time.Second), colly.Async())
		for i := range 5 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		_ = c.Visit("http://b.test/once")
		c.Wait()
		got := log.lines("pace of a host")
		if len(got) != 1 {
			t.Fatalf("log %q, want one line: a host that is asked once has no interval", got)
		}
		for _, want := range []string{"INFO", "host=a.test", "interval=10s", "source=crawl_delay", "waiting=4", "eta=40s"} {
			if !strings.Contains(got[0], want) {
				t.Errorf("line %q, want %q in it", got[0], want)
			}
		}
	})
}

func TestABlockAndAParkedHostAreWarnedOf(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var log logged
		web.Host("a.test").Answer("/*", retryAfter(429, "10"))
		web.Host("b.test").Answer("/*", testweb.Answer{Status: 403})
		c, _ := paced(t, web, Options{Logger: log.logger()})
		_ = c.Visit("http://a.test/")
		for i := range 10 {
			_ = c.Visit(fmt.Sprintf("http://b.test/%d", i))
		}
		for _, want := range [][]string{
			{"WARN", "host blocked", "host=a.test", "reason=rate_limited", "status=429"},
			{"WARN", "host parked", "host=b.test", "reason=access_denied", "status=403"},
		} {
			lines := log.lines(want[1])
			if len(lines) != 1 {
				t.Errorf("log %q, want one line with %q", lines, want[1])
				continue
			}
			for _, w := range want {
				if !strings.Contains(lines[0], w) {
					t.Errorf("line %q, want %q in it", lines[0], w)
				}
			}
		}
	})
}
