package etiquette_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

func TestTheReportSaysHowEachHostWasTreated(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\nDisallow: /export\nCrawl-delay: 5\nContent-Signal: ai-train=no\n").Page("/*", "0123456789")
		web.Host("bare.test").Answer("/robots.txt", testweb.Answer{Status: 404}).Page("/*", "x")
		path := filepath.Join(t.TempDir(), "skips.jsonl")
		g := newGuard(t, web, func(p *etiquette.Policy) {
			p.ReportFile = path
			p.Permit = []collyrobots.Permit{{Host: "shop.test", Path: "/export", Reason: "the owner, by mail", Ticket: "OPS-1"}}
		})
		c := guarded(t, g)
		visit(t, c, "http://shop.test/1", "http://shop.test/2", "http://shop.test/cart", "http://shop.test/export", "http://bare.test/")
		if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "shop.test", Reason: "the owner asked"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		visit(t, c, "http://shop.test/3")

		h, _ := g.Report.Host("shop.test")
		for what, ok := range map[string]bool{
			"4 requests of which one for robots.txt": h.Requests == 4 && h.Robots == 1,
			"30 bytes of pages at least":             h.Bytes >= 30,
			"a gap of 5s, from the crawl delay":      h.Interval == 5*time.Second && h.Source == report.FromCrawlDelay && h.SmallestGap >= 5*time.Second,
			"rules in force":                         h.RobotsClass == string(collyrobots.ClassRules) && !h.RobotsFetchedAt.IsZero() && h.WithoutRules == "",
			"the signal":                             strings.Contains(strings.Join(h.Signals, "\n"), "ai-train=no"),
			"the permit":                             strings.Contains(strings.Join(h.Notes, "\n"), "OPS-1"),
			"one stop, in force":                     h.Stops == 1 && h.Held.Reason == report.Stopped,
			"two skips":                              h.Skipped == 2,
		} {
			if !ok {
				t.Errorf("the report lacks %s: %+v", what, h)
			}
		}
		if b, _ := g.Report.Host("bare.test"); b.WithoutRules == "" || b.RobotsClass != string(collyrobots.ClassUnavailable) {
			t.Errorf("bare.test is told as %q, %q, want unavailable and crawled without rules", b.RobotsClass, b.WithoutRules)
		}
		if err := g.Report.Verify(); err != nil {
			t.Errorf("Verify = %v, want nil", err)
		}
		if err := g.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		lines, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Count(string(lines), "\n"), 2; got != want {
			t.Errorf("the file has %d lines, want %d:\n%s", got, want, lines)
		}
		for _, want := range []string{`"reason":"robots_disallowed"`, `"rule":"disallow: /cart"`, `"line":2`, `"reason":"stopped"`} {
			if !strings.Contains(string(lines), want) {
				t.Errorf("the file lacks %s:\n%s", want, lines)
			}
		}
	})
}

func TestALiftBringsQueuedURLsBackAtOnce(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		g := newGuard(t, web)
		f := queued(t, g, 3, "shop.test")
		id, err := g.KillSwitch.Stop(killswitch.Rule{Host: "shop.test", Reason: "asked to"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n, err := f.QueueSize(); n != 0 || err != nil {
			t.Errorf("QueueSize after the stop = %d, %v, want 0: what is stopped keeps no Run alive", n, err)
		}
		if err := g.KillSwitch.Lift(id, "all is well"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n, err := f.QueueSize(); n != 3 || err != nil {
			t.Errorf("QueueSize after the lift = %d, %v, want 3", n, err)
		}
	})
}

// A host on a port of its own, as on every developer's machine, has a robots.txt like any other.
func TestTheReportKnowsTheRobotsOfAHostOnAnotherPort(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test:8080").Robots("User-agent: *\nDisallow: /cart\n").Page("/*", "x")
		g := newGuard(t, web)
		visit(t, guarded(t, g), "http://shop.test:8080/1")
		if h, _ := g.Report.Host("shop.test"); h.RobotsClass != string(collyrobots.ClassRules) || h.RobotsFetchedAt.IsZero() {
			t.Errorf("robots.txt is told as %q of %v, want rules", h.RobotsClass, h.RobotsFetchedAt)
		}
	})
}
