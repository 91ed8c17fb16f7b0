package etiquette_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

// The guidelines of seed 000 that say what to leave alone: see seeds_guidelines_test.go.

func TestSeed000Guideline6WhatIsKeptHoldsNoLoginsAndNoTokens(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		disallowing(web, "shop.test").Page("/*", "x").
			Answer("/go", testweb.Answer{Redirect: "http://shop.test/trap/hop?session=S3CRET"})
		dir := t.TempDir()
		var log records
		g, err := etiquette.New(etiquette.Policy{UserAgent: agent, Base: web.Transport(), Logger: log.logger(), StateDir: filepath.Join(dir, "state")})
		if err != nil {
			t.Fatal(err)
		}
		c := guarded(t, g)
		if err := c.SetCookies("http://shop.test/", []*http.Cookie{{Name: "session", Value: "S3CRET"}}); err != nil {
			t.Fatal(err)
		}
		for _, u := range []string{
			"http://shop.test/a?token=S3CRET", "http://ann:S3CRET@shop.test/trap/1", "http://shop.test/trap/2?page=2&api_key=S3CRET&password=S3CRET",
			"http://shop.test/go", "http://shop.test/trap/2?page=2&api_key=S3CRET&password=S3CRET",
		} {
			_ = c.Visit(u)
		}
		if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "shop.test", Reason: "asked to"}); err != nil {
			t.Fatal(err)
		}
		_ = c.Visit("http://ann:S3CRET@shop.test/b?auth=S3CRET")
		var text, page, lines strings.Builder
		for _, err := range []error{g.Report.WriteText(&text), g.Report.WriteHTML(&page), g.Report.WriteJSON(&lines), g.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
		kept := map[string]string{"the log": log.String(), "WriteText": text.String(), "WriteHTML": page.String(), "WriteJSON": lines.String()}
		err = filepath.WalkDir(filepath.Join(dir, "state"), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			kept[path] = string(b)
			return err
		})
		if err != nil || len(kept) < 5 {
			t.Errorf("the state has %d files: %v", len(kept)-4, err)
		}
		for where, what := range kept {
			if strings.Contains(what, "S3CRET") {
				t.Errorf("%s holds a secret:\n%s", where, what)
			}
		}
		if g.Report.Total() < 4 || !strings.Contains(log.String(), "shop.test/trap/2") {
			t.Errorf("%d skips, and the log:\n%s\nwant the URLs, without their secrets", g.Report.Total(), log.String())
		}
	})
}

func TestSeed000Guideline7AHostThatSaysNoIsLeftAlone(t *testing.T) {
	setUp := func(web *testweb.Web) {
		web.Host("closed.test").Robots("User-agent: *\nAllow: /\n").Answer("/*", testweb.Answer{Status: 403})
		web.Host("law.test").Page("/*", "x").Answer("/book", testweb.Answer{Status: 451})
		web.Host("inside.test").Answer("/*", testweb.Answer{Redirect: "http://10.0.0.1/admin"}).Address("93.184.215.14")
		web.Host("10.0.0.1").Page("/*", "secret")
	}
	politely(t, setUp, func(t *testing.T, web *testweb.Web, line *oneLine) {
		tries := 0
		evade := func(c *colly.Collector) *colly.Collector {
			c.AllowURLRevisit = true
			c.OnError(func(r *colly.Response, err error) {
				if tries++; tries < 500 && err != nil {
					_ = r.Request.Retry() // as many a scraper does
				}
			})
			return c
		}
		c := colly.NewCollector()
		line.attach(c)
		evade(c)
		_ = c.Visit("http://closed.test/1")
		const most = 10
		got := len(pagesOf(web, "closed.test"))
		if got == 0 || got > most {
			t.Errorf("a host that answers 403 was asked %d times, want at most %d", got, most)
		}

		// Another collector, a clone, another name, another method, a plain client: none is a way around.
		second := colly.NewCollector(colly.UserAgent("Mozilla/5.0 (X11) Firefox/140.0"))
		line.attach(second)
		for _, c := range []*colly.Collector{evade(second), evade(c.Clone())} {
			tries = 0
			_ = c.Visit("http://closed.test/2")
			_ = c.Head("http://closed.test/3")
			_ = c.Post("http://closed.test/4", nil)
		}
		client := &http.Client{Transport: line.guard.Transport(nil)}
		if resp, err := client.Get("http://closed.test/5"); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			t.Errorf("a plain client got %s", resp.Status)
		}
		if n := len(pagesOf(web, "closed.test")); n != got {
			t.Errorf("%d more requests after the host was given up", n-got)
		}
		if counts := line.guard.Report.Counts(); counts[report.Count{Reason: report.AccessDenied}] == 0 {
			t.Errorf("the report counts %v, want access_denied", counts)
		}

		// 451: the page is left alone until a person says otherwise.
		for range 3 {
			_ = c.Visit("http://law.test/book")
		}
		if got := web.Count("GET http://law.test/book"); got != 1 {
			t.Errorf("a page that answers 451 was asked for %d times, want once", got)
		}
		// A public page does not lead into a private network.
		_ = c.Visit("http://inside.test/a")
		if got := web.LogOf("10.0.0.1"); len(got) != 0 {
			t.Errorf("the private address saw %q", got)
		}
	})
}

func TestSeed000Guideline8AHostThatAsksIsStoppedWithinASecond(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nAllow: /\n").Page("/*", "x")
		web.Host("other.test").Page("/*", "x")
		file := filepath.Join(t.TempDir(), "stops.json")
		write := func(text string) {
			if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
		}
		write(`{"version": 1, "rules": []}`)
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) { p.StopFile, p.OnSkip = file, told.onSkip })
		c := guarded(t, g, colly.Async())
		for i := range 30 {
			visit(t, c, fmt.Sprintf("http://shop.test/%d", i), fmt.Sprintf("http://other.test/%d", i))
		}
		time.Sleep(5200 * time.Millisecond) // at no moment at which a request or a look at the file is due
		write(`{"version": 1, "rules": [{"id": "mail-7", "domain": "shop.test", "reason": "the owner asked by mail", "ticket": "OPS-7"}]}`)
		stopped := time.Now()
		c.Wait()

		hits := web.HitsOf("shop.test")
		if last := hits[len(hits)-1].Time; last.After(stopped.Add(1100 * time.Millisecond)) {
			t.Errorf("the last request came %s after the file said to stop", last.Sub(stopped))
		}
		if got := len(pagesOf(web, "other.test")); got != 30 {
			t.Errorf("the other host saw %d pages, want all 30", got)
		}
		before := len(hits)
		for i := range 10 {
			visit(t, c, fmt.Sprintf("http://www.shop.test/again/%d", i), fmt.Sprintf("http://shop.test/again/%d", i))
			time.Sleep(time.Minute)
		}
		c.Wait()
		if got := len(web.HitsOf("shop.test")) + len(web.HitsOf("www.shop.test")); got != before {
			t.Errorf("%d requests in the minutes after the stop, robots.txt included, want none", got-before)
		}
		refused := 0
		for _, s := range told.all() {
			if s.Reason == report.Stopped && strings.Contains(s.Detail+s.Rule, "mail-7") {
				refused++
			}
		}
		if want := 31 - before + 20; refused != want {
			t.Errorf("%d skips name the rule mail-7, want one for each of the %d requests that were not sent: %v", refused, want, told.all())
		}
		// What the owner can be told.
		r, err := g.KillSwitch.Report("mail-7")
		if err != nil || r.Rule.Ticket != "OPS-7" || r.Cancelled+r.Refused != int64(refused) || r.LastRequest.After(stopped.Add(1100*time.Millisecond)) {
			t.Errorf("the report for the owner = %+v, %v", r, err)
		}
	})
}
