package chain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// Many scrapers call Retry in OnError without a bound. No refusal may feed such a loop.

func TestALoopOfRetryEnds(t *testing.T) {
	for _, x := range []struct {
		name, url string
		async     bool
		setup     func(*colly.Collector, *testweb.Web)
		hits      int
	}{
		{"disallowed", "http://shop.test/private", false, nil, 0},
		{"disallowed, Async", "http://shop.test/private", true, nil, 0},
		{"redirect into disallowed", "http://shop.test/go", false, nil, 1},
		{"redirect into disallowed, Async", "http://shop.test/go", true, nil, 1},
		{"redirect with a new cookie each time", "http://shop.test/session", false, nil, 3},
		{"transport replaced", "http://shop.test/", false, func(c *colly.Collector, web *testweb.Web) { c.WithTransport(web.Transport()) }, 0},
		{"context replaced", "http://shop.test/", true, func(c *colly.Collector, _ *testweb.Web) { c.Context = context.Background() }, 0},
		{"HEAD into disallowed", "http://shop.test/go", false, nil, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := testweb.NewMemory()
				defer web.Close()
				var n atomic.Int32
				web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "/private"}).Page("/", "x").
					Handle("/session", func(w http.ResponseWriter, r *http.Request) {
						http.SetCookie(w, &http.Cookie{Name: "sid", Value: fmt.Sprint(n.Add(1))})
						http.Redirect(w, r, "/private", http.StatusFound)
					})
				c := attached(t, web, refuser())
				c.Async = x.async
				if x.setup != nil {
					x.setup(c, web)
				}
				tries := 0
				c.OnError(func(r *colly.Response, _ error) {
					if tries++; tries > 100 {
						t.Error("the loop does not end")
						return
					}
					_ = r.Request.Retry()
				})
				if strings.HasPrefix(x.name, "HEAD") {
					_ = c.Head(x.url)
				} else {
					_ = c.Visit(x.url)
				}
				c.Wait()
				if got := len(web.Hits()); got != x.hits {
					t.Errorf("server saw %q, want %d hits", web.Log(), x.hits)
				}
			})
		})
	}
}

// What cannot become a skip is answered from memory, unsent and slower each time.
func TestWhatCannotBeASkipIsAnsweredFromMemory(t *testing.T) {
	for _, x := range []struct {
		name  string
		visit func(c *colly.Collector) (*colly.Collector, func() error)
		cfg   Config
	}{
		{"plain clone", func(c *colly.Collector) (*colly.Collector, func() error) {
			d := c.Clone()
			return d, func() error { return d.Visit("http://shop.test/go") }
		}, Config{}},
		{"POST", func(c *colly.Collector) (*colly.Collector, func() error) {
			return c, func() error { return c.Post("http://shop.test/go", map[string]string{"a": "b"}) }
		}, Config{}},
		{"Refusals: Error", func(c *colly.Collector) (*colly.Collector, func() error) {
			return c, func() error { return c.Visit("http://shop.test/go") }
		}, Config{Refusals: RefusalsError}},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := testweb.NewMemory()
				defer web.Close()
				web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "/private"})
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				c := colly.NewCollector(colly.StdlibContext(ctx))
				x.cfg.Base = web.Transport()
				mustAttach(t, c, x.cfg, refuser())
				col, visit := x.visit(c)
				var at []time.Duration
				start := time.Now()
				col.OnError(func(r *colly.Response, err error) {
					var ref report.Refusal
					if !errors.As(err, &ref) {
						return // the hour is over
					}
					at = append(at, time.Since(start))
					_ = r.Request.Retry()
				})
				wantRefusal(t, visit(), report.RobotsDisallowed)
				if got := len(web.Hits()); got != 1 {
					t.Errorf("server saw %q, want the first try alone", web.Log())
				}
				want := []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183}
				for i, w := range want {
					if at[i] != w*time.Second {
						t.Fatalf("answers came at %v, want the first at %v seconds", at, want)
					}
				}
				if got := len(at); got > 70 {
					t.Errorf("%d answers within an hour, want about one a minute", got)
				}
			})
		})
	}
}

func TestARememberedRefusalIsForgottenWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "/private"}).Page("/private", "now open")
		l := refuser()
		c := attached(t, web, l)
		c.AllowURLRevisit = true
		wantRefusal(t, c.Visit("http://shop.test/go"), report.RobotsDisallowed)
		if err := c.Visit("http://shop.test/go"); err != nil {
			t.Errorf("second Visit = %v, want a skip", err)
		}
		if got := len(web.Hits()); got != 1 {
			t.Errorf("server saw %q, want one hit", web.Log())
		}
		l.mu.Lock()
		l.lifted = true
		l.mu.Unlock()
		if err := c.Visit("http://shop.test/go"); err != nil {
			t.Errorf("Visit after the cause is gone = %v", err)
		}
		if got := len(web.Hits()); got != 3 {
			t.Errorf("server saw %q, want /go and /private once more", web.Log())
		}
	})
}

func TestOtherCookiesAreAnotherRequest(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Handle("/account", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") == "" {
			http.Redirect(w, r, "/private-login", http.StatusFound)
		}
	})
	c := attached(t, web, refuser())
	c.AllowURLRevisit = true
	wantRefusal(t, c.Visit("http://shop.test/account"), report.RobotsDisallowed)
	if err := c.SetCookies("http://shop.test/", []*http.Cookie{{Name: "sid", Value: "1"}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Visit("http://shop.test/account"); err != nil {
		t.Errorf("Visit after the login = %v, want it sent", err)
	}
	if got := len(web.Hits()); got != 2 {
		t.Errorf("server saw %q, want two hits", web.Log())
	}
}

func TestTemporaryRefusalsCanBeAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("shop.test").Page("/private1", "x").Page("/private2", "x")
		l := refuser()
		l.reason, l.admits = report.RobotsUnreachable, true
		start := time.Now()
		l.until = start.Add(time.Minute)
		c := attached(t, web, l)
		ctx := colly.NewContext()
		ctx.Put("n", 7)
		for i := range 2 {
			_ = c.Request(http.MethodGet, fmt.Sprintf("http://shop.test/private%d", i+1), nil, ctx, http.Header{"X-Own": {"kept"}})
		}
		l.mu.Lock()
		l.lifted = true
		l.mu.Unlock()
		var carried any
		c.OnResponse(func(r *colly.Response) { carried = r.Ctx.GetAny("n") })
		n, err := Of(c).Requeue(context.Background(), c, report.RobotsUnreachable)
		if n != 2 || err != nil {
			t.Errorf("Requeue = %d, %v, want 2, nil", n, err)
		}
		if got := time.Since(start); got != time.Minute {
			t.Errorf("it took %s, want it to wait for RetryAt, 1m", got)
		}
		hits := web.Hits()
		if len(hits) != 2 || hits[0].Header.Get("X-Own") != "kept" || carried != 7 {
			t.Errorf("server saw %q, the context carried %v", web.Log(), carried)
		}
		if n, err := Of(c).Requeue(context.Background(), c); n != 0 || err != nil {
			t.Errorf("Requeue with nothing left = %d, %v", n, err)
		}
	})
}

func TestRequeueThatIsCancelledKeepsWhatWasNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		l := refuser()
		l.admits, l.until = true, time.Now().Add(time.Hour)
		c := attached(t, web, l)
		_ = c.Visit("http://shop.test/private")
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if n, err := Of(c).Requeue(ctx, c); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Requeue = %d, %v, want 0 and the deadline", n, err)
		}
		l.word = ""
		if n, err := Of(c).Requeue(context.Background(), c); n != 1 || err != nil {
			t.Errorf("second Requeue = %d, %v, want 1, nil", n, err)
		}
	})
}

func TestAURLThatALaterCallbackChangesIsJudgedOnTheWire(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	l.admits = true
	c := attached(t, web, l)
	c.OnRequest(func(r *colly.Request) { r.URL.Path = "/private" })
	wantRefusal(t, c.Visit("http://shop.test/public"), report.RobotsDisallowed)
	wantHits(t, web)
	if got := l.told(); len(got) != 1 || !got[0].request {
		t.Errorf("told %v, want once with its request", got)
	}
}

func TestRedirectFromPublicToPrivateIsRefused(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("public.test").Address("93.184.216.34").Answer("/literal", testweb.Answer{Redirect: "http://10.0.0.1/"}).
		Answer("/name", testweb.Answer{Redirect: "http://inside.test/"}).Answer("/local", testweb.Answer{Redirect: "http://localhost:1/"})
	web.Host("inside.test").Address("10.1.2.3").Page("/", "secret").Page("/in", "secret").
		Answer("/home", testweb.Answer{Redirect: "/in"})
	l := &testLayer{kind: Robots}
	c := colly.NewCollector(colly.AllowURLRevisit())
	mustAttach(t, c, Config{}, l)
	for _, path := range []string{"/literal", "/name", "/local"} {
		wantRefusal(t, c.Visit("http://public.test"+path), report.PrivateAddress)
	}
	if err := c.Visit("http://inside.test/"); err != nil { // warm connection
		t.Fatal(err)
	}
	d := colly.NewCollector()
	mustAttach(t, d, Config{}, l)
	wantRefusal(t, d.Visit("http://public.test/name"), report.PrivateAddress)
	if err := d.Visit("http://inside.test/home"); err != nil {
		t.Errorf("a redirect within the private address = %v, want nil", err)
	}
	if got := len(web.HitsOf("inside.test")); got != 3 {
		t.Errorf("inside.test saw %d hits, want 3: the direct ones", got)
	}
	e := colly.NewCollector()
	mustAttach(t, e, Config{AllowPrivate: true}, l)
	if err := e.Visit("http://public.test/name"); err != nil {
		t.Errorf("with AllowPrivate = %v, want nil", err)
	}
}
