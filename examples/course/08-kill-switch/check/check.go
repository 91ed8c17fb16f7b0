// Package check judges the task of lesson 8.
package check

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
)

const earlier = `{"version": 1, "rules": [{"id": "ks-1", "host": "wiki.test", "path": "/search", "reason": "search is overloaded", "ticket": "OPS-1"}]}`

// Stop fails unless a crawl that is under way leaves alone what stop writes into its stop file, and that alone.
func Stop(t *testing.T, stop func(file, domain, reason, ticket string) error) {
	dir := t.TempDir()
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		for _, host := range []string{"shop.test", "www.shop.test", "forum.test", "workshop.test", "wiki.test"} {
			web.Host(host).Page("/*", "a page")
		}
		file := filepath.Join(dir, "stop.json")
		if err := os.WriteFile(file, []byte(earlier), 0o600); err != nil {
			t.Error(err)
			return
		}
		c := colly.NewCollector(colly.AllowURLRevisit())
		sw, err := killswitch.Attach(c, file)
		if err != nil {
			t.Error(err)
			return
		}
		defer sw.Close()
		_ = c.Visit("http://shop.test/") // the crawl is under way, and the file is watched

		for _, mail := range [][3]string{{"shop.test", "the owner asked by mail", "OPS-2"}, {"forum.test", `the owner wrote: "enough!"`, "OPS-3"}} {
			before, _ := os.Stat(file)
			if err := stop(file, mail[0], mail[1], mail[2]); err != nil {
				t.Errorf("Stop for %s returned the error %v, want none", mail[0], err)
			}
			if now, err := os.Stat(file); err != nil {
				t.Errorf("after Stop for %s the stop file is gone: %v", mail[0], err)
			} else if os.SameFile(before, now) {
				t.Errorf("Stop for %s wrote into the file, want a new file that takes its place by os.Rename: who reads it meanwhile must not see half of it", mail[0])
			}
			time.Sleep(5 * time.Second) // in this time a stop comes into force, and what the file no longer says goes out of force
		}
		if s := sw.Status(); s.Err != nil {
			t.Errorf("the stop file is not valid: %v", s.Err)
		}

		web.Reset()
		for _, c := range []struct {
			url     string
			stopped bool
			why     string
		}{
			{"http://shop.test/a", true, "its owner asked for that"},
			{"http://www.shop.test/a", true, "it is a subdomain of shop.test"},
			{"http://forum.test/a", true, "its owner asked for that, with quotation marks"},
			{"http://wiki.test/search?q=tea", true, "the stop file said so before"},
			{"http://wiki.test/tea", false, "only /search was to be stopped there"},
			{"http://workshop.test/a", false, "its name only ends like shop.test"},
		} {
			visit(t, web, sw, c.url, c.stopped, c.why)
		}
		rules := make(map[string]string)
		for _, r := range sw.Rules() {
			rules[r.Ticket] = r.Reason
		}
		for ticket, reason := range map[string]string{"OPS-1": "search is overloaded", "OPS-2": "the owner asked by mail", "OPS-3": `the owner wrote: "enough!"`} {
			if rules[ticket] != reason {
				t.Errorf("no rule in force has the ticket %s and the reason %s: those in force have %q", ticket, reason, rules)
			}
		}
	})
}

// visit asks for one page, with a collector of its own.
func visit(t *testing.T, web *testweb.Web, sw *killswitch.Switch, url string, stopped bool, why string) {
	t.Helper()
	c := colly.NewCollector()
	if err := sw.Attach(c); err != nil {
		t.Error(err)
		return
	}
	_ = c.Visit(url)
	if sent := web.Count("GET "+url) > 0; sent == stopped {
		t.Errorf("%s: sent is %t, want %t: %s", url, sent, !stopped, why)
	}
}
