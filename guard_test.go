package etiquette_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

func TestAGuardHasAllPartsAndTheReport(t *testing.T) {
	g := newGuard(t, testweb.NewMemory())
	if g.Identity == nil || g.KillSwitch == nil || g.Robots == nil || g.Throttle == nil || g.Report == nil {
		t.Errorf("New = %+v, want no field nil", g)
	}
}

func TestTheOneLineKeepsToEveryRule(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: DeclaredBot\nDisallow: /cart\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /\n").
			Page("/*", "x").Answer("/go", testweb.Answer{Redirect: "/cart/2"})
		var told told
		g := newGuard(t, web, func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
		c := guarded(t, g)
		visit(t, c, "http://shop.test/a", "http://shop.test/b", "http://shop.test/cart")
		if err := c.Visit("http://shop.test/go"); !errors.Is(err, collyrobots.ErrDisallowed) {
			t.Errorf("a redirect into /cart: Visit = %v, want ErrDisallowed", err)
		}
		if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "shop.test", Reason: "asked to"}); err != nil {
			t.Fatal(err)
		}
		visit(t, c, "http://shop.test/c")

		want := []string{"GET http://shop.test/robots.txt", "GET http://shop.test/a", "GET http://shop.test/b", "GET http://shop.test/go"}
		if diff := cmp.Diff(want, web.Log()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		for i, gap := range testweb.Gaps(web.Hits()) {
			if gap < 3*time.Second {
				t.Errorf("gap %d is %s, want the crawl delay of 3s", i, gap)
			}
		}
		for _, h := range web.Hits() {
			if got := h.Header.Get("User-Agent"); got != agent || h.Header.Get("From") != "bot@somewhere.org" {
				t.Errorf("%s went out as %q from %q", h, got, h.Header.Get("From"))
			}
		}
		if diff := cmp.Diff([]report.Reason{report.RobotsDisallowed, report.RobotsDisallowed, report.Stopped}, told.reasons()); diff != "" {
			t.Errorf("skips (-want +got):\n%s", diff)
		}
		if got := g.Report.Total(); got != 3 {
			t.Errorf("the report has %d skips, want 3", got)
		}
		if told.known != 3 {
			t.Errorf("%d skips came with their request, want all 3", told.known)
		}
	})
}

func TestAfterCloseNothingIsSent(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		g := newGuard(t, web)
		c := guarded(t, g)
		visit(t, c, "http://shop.test/a")
		before := len(web.Hits())
		for i := range 2 {
			if err := g.Close(); err != nil {
				t.Errorf("Close number %d = %v", i+1, err)
			}
		}
		if err := c.Visit("http://shop.test/b"); !errors.Is(err, throttle.ErrClosed) {
			t.Errorf("Visit after Close = %v, want throttle.ErrClosed", err)
		}
		if got := len(web.Hits()); got != before {
			t.Errorf("%d requests after Close", got-before)
		}
	})
}

func TestAttachThatFailsLeavesTheCollectorSendingNothing(t *testing.T) {
	web, err := testweb.Start() // the pack's own base finds it
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Page("/*", "x")
	c := colly.NewCollector()
	_, err = etiquette.Attach(c, "DeclaredBot/1.0") // no contact
	var invalid *identity.InvalidError
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "Policy.UserAgent") {
		t.Fatalf("Attach without a contact = %v, want an *identity.InvalidError that names Policy.UserAgent", err)
	}
	if visitErr := c.Visit("http://shop.test/a"); visitErr == nil || !strings.Contains(visitErr.Error(), err.Error()) {
		t.Errorf("Visit = %v, want the reason %v", visitErr, err)
	}
	if got := web.Log(); len(got) != 0 {
		t.Errorf("the server saw %q, want nothing", got)
	}
	// The cause can be mended.
	g, err := etiquette.Attach(c, agent)
	if err != nil {
		t.Fatalf("a second Attach, with a contact = %v", err)
	}
	defer g.Close()
	if err := c.Visit("http://shop.test/b"); err != nil || web.Count("GET http://shop.test/b") != 1 {
		t.Errorf("Visit = %v, the server saw %q", err, web.Log())
	}
}

func TestAttachOfNoCollectorIsAnError(t *testing.T) {
	if g, err := etiquette.Attach(nil, agent); err == nil || g != nil {
		t.Errorf("Attach(nil) = %v, %v, want an error", g, err)
	}
	g := newGuard(t, testweb.NewMemory())
	for what, err := range map[string]error{
		"Attach": g.Attach(nil), "Clone": second1(g.Clone(nil)), "SetContext": g.SetContext(nil, t.Context()), "Requeue": second1(g.Requeue(t.Context(), nil)),
		"Clone of one that is not attached":   second1(g.Clone(colly.NewCollector())),
		"Requeue of one that is not attached": second1(g.Requeue(t.Context(), colly.NewCollector())),
	} {
		if err == nil {
			t.Errorf("%s succeeded", what)
		}
	}
}

func TestNewThatFailsLeavesNothingOpen(t *testing.T) {
	if _, err := os.ReadDir("/proc/self/fd"); err != nil {
		t.Skip("open files cannot be counted here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "throttle"), nil, 0o600); err != nil { // a file in the place of a folder
		t.Fatal(err)
	}
	p := etiquette.Policy{UserAgent: agent, StateDir: dir}
	if _, err := etiquette.New(p); err == nil {
		t.Fatal("New with a file in the place of a state folder succeeded")
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if name, err := os.Readlink(filepath.Join("/proc/self/fd", fd.Name())); err == nil && strings.HasPrefix(name, dir) {
			t.Errorf("%s is still open", name)
		}
	}
}

func TestNewNamesEachFieldThatIsWrong(t *testing.T) {
	for _, x := range []struct {
		change func(*etiquette.Policy)
		want   string
	}{
		{func(p *etiquette.Policy) { p.UserAgent = "" }, "Policy.UserAgent"},
		{func(p *etiquette.Policy) { p.UserAgent, p.Identity.Product = "", "bot/1" }, "Policy.Identity"},
		{func(p *etiquette.Policy) { p.Identity.UserAgent = agent }, "Policy.Identity.UserAgent: it is said once for all parts: use Policy.UserAgent"},
		{func(p *etiquette.Policy) { p.Throttle.Rules = []throttle.LimitRule{{}} }, "use Policy.Pace"},
		{func(p *etiquette.Policy) { p.Robots.StaleIfUnreachable = -1 }, "Policy.Robots"},
		{func(p *etiquette.Policy) { p.Robots.OnSkip = func(*colly.Request, report.Skip) {} }, "use Policy.OnSkip"},
		{func(p *etiquette.Policy) { p.KillSwitch.File = "stop.json" }, "use Policy.StopFile"},
		{func(p *etiquette.Policy) { p.KillSwitch.Poll = -1 }, "Policy.KillSwitch"},
		{func(p *etiquette.Policy) { p.KillSwitch.Base = http.DefaultTransport }, "use Policy.Base"},
		{func(p *etiquette.Policy) { p.Pace = []throttle.LimitRule{{}, {Delay: -5}} }, "Policy.Pace[1].Delay: -5ns is negative"},
		{func(p *etiquette.Policy) { p.Throttle.Retries = -1 }, "Policy.Throttle"},
		{func(p *etiquette.Policy) { p.Share = -1 }, "Policy.Share"},
		{func(p *etiquette.Policy) { p.MaxRequests = -1 }, "Policy.MaxRequests"},
		{func(p *etiquette.Policy) { p.Refusals = 7 }, "Policy.Refusals"},
		{func(p *etiquette.Policy) { p.Hours = []etiquette.Hours{{Between: "22-6"}} }, "Policy.Hours[0].Between"},
		{func(p *etiquette.Policy) { p.Hours = []etiquette.Hours{{Between: "22:00-06:00", Zone: "Berlin"}} }, "Policy.Hours[0].Zone"},
		{func(p *etiquette.Policy) { p.PerDay = []etiquette.PerDay{{}} }, "Policy.PerDay[0]"},
		{func(p *etiquette.Policy) { p.PerDay = []etiquette.PerDay{{Bytes: -1}} }, "Policy.PerDay[0].Bytes"},
	} {
		p := etiquette.Policy{UserAgent: agent}
		x.change(&p)
		g, err := etiquette.New(p)
		if err == nil {
			g.Close()
			t.Errorf("New(%+v) succeeded, want an error that says %q", p, x.want)
		} else if !strings.Contains(err.Error(), x.want) {
			t.Errorf("New = %v, want %q in it", err, x.want)
		}
	}
}

func TestASecondAttachWithTheSameUserAgentGivesTheFirstGuard(t *testing.T) {
	c := colly.NewCollector()
	first, err := etiquette.Attach(c, agent)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	for who, c := range map[string]*colly.Collector{"collector": c, "clone": c.Clone()} {
		if again, err := etiquette.Attach(c, agent); err != nil || again != first {
			t.Errorf("%s: a second Attach = %p, %v, want the first Guard %p", who, again, err, first)
		}
		if _, err := etiquette.Attach(c, "OtherBot/1.0 (+https://bot.somewhere.org/about)"); err == nil {
			t.Errorf("%s: Attach under another name succeeded", who)
		}
	}
	if err := first.Attach(c); err != nil {
		t.Errorf("the same Guard again = %v, want a no-op", err)
	}
}

func TestAnotherGuardDoesNotTakeTheFirstOnesPlace(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		first, second := newGuard(t, web), newGuard(t, web)
		c := guarded(t, first)
		if err := second.Attach(c); err == nil || !strings.Contains(err.Error(), "another Guard") {
			t.Errorf("Attach of another Guard = %v, want an error that says so", err)
		}
		for method, err := range map[string]error{
			"Clone":      second1(second.Clone(c)),
			"SetContext": second.SetContext(c, context.Background()),
			"Requeue":    second1(second.Requeue(context.Background(), c)),
		} {
			if err == nil || !strings.Contains(err.Error(), "Guard."+method) {
				t.Errorf("%s of another Guard = %v, want an error that names the method", method, err)
			}
		}
		if _, err := first.KillSwitch.Stop(killswitch.Rule{Host: "shop.test", Reason: "asked to"}); err != nil {
			t.Fatal(err)
		}
		visit(t, c, "http://shop.test/a")
		if got := web.Log(); len(got) != 0 {
			t.Errorf("the server saw %q after the first Guard's stop", got)
		}
	})
}

func second1[T any](_ T, err error) error { return err }

func TestACollectorWithAPartOfItsOwnSendsNothingAfterAGuardCouldNotBeAttached(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n").Page("/*", "x")
		g := newGuard(t, web)
		c := colly.NewCollector()
		robotsPart(t, c, web)
		fault := g.Attach(c)
		if fault == nil || !strings.Contains(fault.Error(), "collyrobots attached by itself") {
			t.Fatalf("Attach = %v, want an error that names collyrobots", fault)
		}
		if err := c.Visit("http://shop.test/a"); err == nil || !strings.Contains(err.Error(), fault.Error()) {
			t.Errorf("Visit = %v, want what Attach said", err)
		}
		if got := web.Log(); len(got) != 0 {
			t.Errorf("the server saw %q although three of four parts are missing", got)
		}
	})
}

func TestCollectorsClonesAndPlainClientsShareOneBudgetPerHost(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		g := newGuard(t, web)
		one, two := guarded(t, g, colly.Async()), guarded(t, g, colly.Async())
		clone, err := g.Clone(one)
		if err != nil {
			t.Fatal(err)
		}
		plainClone := two.Clone()
		client := &http.Client{Transport: g.Transport(web.Transport())}
		answered := make(chan error, 2)
		for i, c := range []*colly.Collector{one, two, clone, plainClone} {
			for _, path := range []string{"/a", "/b"} {
				visit(t, c, "http://shop.test"+path+string(rune('0'+i)))
			}
		}
		for _, path := range []string{"/c", "/d"} {
			go func() {
				resp, err := client.Get("http://shop.test" + path)
				if err == nil {
					err = resp.Body.Close()
				}
				answered <- err
			}()
		}
		for _, c := range []*colly.Collector{one, two, clone, plainClone} {
			c.Wait()
		}
		for range 2 {
			if err := <-answered; err != nil {
				t.Error(err)
			}
		}
		if got := len(web.HitsOf("shop.test")); got != 11 {
			t.Errorf("%d requests, want robots.txt and 10 pages: %q", got, web.Log())
		}
		if got := web.Count("GET http://shop.test/robots.txt"); got != 1 {
			t.Errorf("robots.txt was asked for %d times, want once for all", got)
		}
		wantGaps(t, web, "shop.test", time.Second)
		for _, h := range web.Hits() {
			if got := h.Header.Get("User-Agent"); got != agent {
				t.Errorf("%s went out as %q", h, got)
			}
		}
	})
}

func TestCheckBeforeTheFirstAttachPassesAllParts(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		for _, host := range []string{"shop.test", "gone.test"} {
			web.Host(host).Robots("User-agent: DeclaredBot\nDisallow: /cart\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n")
		}
		g := newGuard(t, web)
		if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "gone.test", Reason: "asked to"}); err != nil {
			t.Fatal(err)
		}
		d, err := g.Robots.Check(context.Background(), "http://shop.test/a")
		if err != nil || !d.Allowed || d.CrawlDelay != 7*time.Second {
			t.Errorf("Check = %+v, %v, want allowed with a crawl delay of 7s", d, err)
		}
		if d, err = g.Robots.Check(context.Background(), "http://gone.test/a"); err != nil || d.Reason != report.Stopped {
			t.Errorf("Check of a stopped host = %+v, %v, want refused as stopped", d, err)
		}
		hits := web.Hits()
		if len(hits) != 1 || hits[0].Header.Get("User-Agent") != agent {
			t.Errorf("the server saw %q, want one robots.txt under the declared name", web.Log())
		}
	})
}

func TestABaseOfAnyTypeIsOneBase(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/*", "x")
		inner := web.Transport()
		g := newGuard(t, web, func(p *etiquette.Policy) { p.Base = roundTripper(inner.RoundTrip) }) // a func: == panics on it
		c := guarded(t, g)
		if err := g.Attach(c); err != nil {
			t.Errorf("a second Attach = %v", err)
		}
		visit(t, c, "http://shop.test/a")
	})
}

func TestStateOutlivesTheProcess(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nAllow: /\n").Page("/b", "x").
			Answer("/a", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"120"}}}, testweb.Answer{Body: "x"})
		dir := filepath.Join(t.TempDir(), "state")
		began := time.Now()
		for i, path := range []string{"/a", "/b"} { // cron starts it each minute
			g := newGuard(t, web, func(p *etiquette.Policy) { p.StateDir = dir })
			c := guarded(t, g)
			_ = c.Visit("http://shop.test" + path)
			if i == 0 {
				if _, err := g.KillSwitch.Stop(killswitch.Rule{Host: "gone.test", Reason: "asked to"}); err != nil {
					t.Fatal(err)
				}
			} else if len(g.KillSwitch.Rules()) != 1 {
				t.Errorf("the second process has the stops %v, want the first one's", g.KillSwitch.Rules())
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"GET http://shop.test/robots.txt", "GET http://shop.test/a", "GET http://shop.test/b"}
		if diff := cmp.Diff(want, web.Log()); diff != "" {
			t.Errorf("requests of both processes (-want +got):\n%s", diff)
		}
		if got := web.Hits()[2].Time.Sub(began); got < 2*time.Minute {
			t.Errorf("the second process asked %s after the first was told to wait for 2m", got)
		}
		for _, part := range []string{"robots", "throttle", "killswitch"} {
			if files, err := os.ReadDir(filepath.Join(dir, part)); err != nil || len(files) == 0 {
				t.Errorf("StateDir/%s holds %v, %v, want files", part, files, err)
			}
		}
	})
}
