package chain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// What careless scrapers, hostile servers and odd transports once did to the chain.

func TestALoopOfRedirectsEndsWhateverTheHandlerSays(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Handle("/*", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
	})
	c := attached(t, web, refuser())
	c.SetRequestTimeout(0)
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return nil })
	if err := c.Visit("http://shop.test/"); err == nil {
		t.Error("Visit = nil, want an error")
	}
	if got := len(web.Hits()); got != maxRedirects+1 {
		t.Errorf("%d requests, want %d", got, maxRedirects+1)
	}
}

func TestAMockThatLeavesOutBodyOrAnswer(t *testing.T) {
	for name, x := range map[string]struct {
		answer *http.Response
		fails  bool
	}{"no body": {&http.Response{StatusCode: 200, Header: http.Header{}}, false}, "no answer": {nil, true}} {
		c := colly.NewCollector()
		mustAttach(t, c, Config{Base: roundTripper(func(*http.Request) (*http.Response, error) { return x.answer, nil })}, refuser())
		if err := c.Visit("http://shop.test/"); (err != nil) != x.fails {
			t.Errorf("%s: Visit = %v, want an error: %v", name, err, x.fails)
		}
	}
}

// Run with the race detector: a callback may hand the URL to a goroutine.
func TestTheURLMayBeReadWhileTheRequestIsOnItsWay(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	c := attached(t, web, refuser())
	var wg sync.WaitGroup
	c.OnRequest(func(r *colly.Request) { wg.Go(func() { _ = r.URL.String() }) })
	for i := range 50 {
		_ = c.Visit(fmt.Sprintf("http://shop.test/%d", i))
	}
	wg.Wait()
}

// Run with the race detector: OnError may change what it was given while another goroutine asks for the same URL.
func TestARememberedRefusalKeepsNothingThatTheUserMayChange(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "/private"})
	l := refuser()
	c := attached(t, web, l)
	c.AllowURLRevisit = true
	c.OnError(func(r *colly.Response, _ error) {
		r.Request.Headers.Set("X-Try", "again")
		r.Request.URL.RawQuery = "x=1"
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				_ = c.Visit("http://shop.test/go")
				_ = c.Visit("http://shop.test/private")
			}
		})
	}
	wg.Wait()
}

func TestAClientWithATimeoutIsToldTheReasonEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		l := refuser()
		client := &http.Client{Transport: Transport(web.Transport(), Config{}, l), Timeout: 500 * time.Millisecond}
		for range 3 {
			_, err := client.Get("http://shop.test/private")
			wantRefusal(t, err, report.RobotsDisallowed)
		}
		if got := len(l.told()); got != 3 {
			t.Errorf("told %d times, want 3", got)
		}
	})
}

func TestNoTimeoutCanBeSetBelowAttach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("shop.test").Answer("/", testweb.Answer{Delay: time.Hour, Body: "x"})
		c := attached(t, web, refuser())
		c.SetRequestTimeout(0)
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Errorf("Visit = %v, want nil: no timeout was wanted", err)
		}
	})
}

func TestAnyContextDerivedFromOursIsRefused(t *testing.T) {
	for name, derive := range map[string]func(context.Context) context.Context{
		"WithTimeout": func(ctx context.Context) context.Context {
			child, cancel := context.WithTimeout(ctx, time.Hour)
			cancel()
			return child
		},
		"WithValue":     func(ctx context.Context) context.Context { return context.WithValue(ctx, userKey{}, 1) },
		"WithoutCancel": context.WithoutCancel,
	} {
		web := memoryWeb(t)
		web.Host("shop.test").Page("/*", "x")
		c := attached(t, web, refuser())
		c.SetRequestTimeout(time.Minute)
		c.Context = derive(c.Context)
		if err := c.Visit("http://shop.test/"); !errors.Is(err, ErrBypassed) || !errorsContain(err, "SetContext") {
			t.Errorf("%s: Visit = %v, want ErrBypassed that names SetContext", name, err)
		}
		wantHits(t, web)
	}
}

func TestCheckHeadIsOneSkipInAsyncModeToo(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	l.admits = true
	c := attached(t, web, l)
	c.Async, c.CheckHead = true, true
	for i := range 50 {
		_ = c.Visit(fmt.Sprintf("http://shop.test/private%d", i))
	}
	c.Wait()
	if got := len(l.told()); got != 50 {
		t.Errorf("told %d skips for 50 visits, want 50", got)
	}
}

func TestAPOSTWithAnotherBodyIsAnotherRequest(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/ok", "x").Handle("/search", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "bad") {
			http.Redirect(w, r, "/private", http.StatusSeeOther)
			return
		}
		http.Redirect(w, r, "/ok", http.StatusSeeOther)
	})
	c := attached(t, web, refuser())
	wantRefusal(t, c.Post("http://shop.test/search", map[string]string{"q": "bad"}), report.RobotsDisallowed)
	if err := c.Post("http://shop.test/search", map[string]string{"q": "good"}); err != nil {
		t.Errorf("POST with another body = %v, want it sent", err)
	}
}

func TestAFullMemoryMakesRoomForManyAtOnce(t *testing.T) {
	m := &memory{m: make(map[memoryKey]*remembered)}
	now := time.Now()
	for i := range maxRemembered {
		m.m[memoryKey{"GET", fmt.Sprint(i)}] = &remembered{until: now.Add(time.Hour)}
	}
	m.makeRoom(now)
	if got, most := len(m.m), maxRemembered-maxRemembered/10; got >= maxRemembered || got < most-1 {
		t.Errorf("%d entries left, want about %d", got, most)
	}
}

func TestAnOpaqueURLIsRefused(t *testing.T) {
	web := memoryWeb(t)
	web.Host("b.test").Page("/private", "no")
	l := refuser()
	c := attached(t, web, l)
	c.OnRequest(func(r *colly.Request) { r.URL.Opaque = "//b.test/private" })
	wantRefusal(t, c.Visit("http://a.test/"), report.Bypassed)
	wantHits(t, web)
}

func TestDisallowedDomainsAreKnownInAnySpelling(t *testing.T) {
	c := colly.NewCollector()
	c.DisallowedDomains = []string{"evil.test", "Other.Test"}
	ch := mustAttach(t, c, Config{}, refuser())
	for name, want := range map[string]bool{"EVIL.test": true, "evil.test.": true, "other.test": true, "good.test": false} {
		if got := ch.DomainDisallowed(name); got != want {
			t.Errorf("DomainDisallowed(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestARedirectToAnEmptyHostIsToThisMachine(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "http://:8080/x"})
	c := attached(t, web, refuser())
	wantRefusal(t, c.Visit("http://shop.test/go"), report.PrivateAddress)
}

func TestOddInputIsAnErrorAndNoPanic(t *testing.T) {
	if _, err := Attach(&colly.Collector{}, Config{}, refuser()); err == nil {
		t.Error("Attach of a Collector that NewCollector did not make = nil, want an error")
	}
	c := colly.NewCollector()
	if _, err := Attach(c, Config{Schemes: []string{"file", "File", "HTTP"}}, refuser()); err != nil {
		t.Errorf("Attach with a scheme twice = %v, want nil", err)
	}
}

func TestAFragmentMakesNoOtherRequest(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "/private"})
	c := attached(t, web, refuser())
	c.AllowURLRevisit = true
	for i := range 5 {
		_ = c.Visit(fmt.Sprintf("http://shop.test/go#%d", i))
	}
	wantHits(t, web, "GET http://shop.test/go")
}

func TestARefusedVisitThatIsNoLoopIsAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		c := colly.NewCollector(colly.AllowURLRevisit())
		mustAttach(t, c, Config{Base: web.Transport(), Refusals: RefusalsError}, refuser())
		start := time.Now()
		for range 50 {
			wantRefusal(t, c.Visit("http://shop.test/private"), report.RobotsDisallowed)
		}
		if got := time.Since(start); got != 0 {
			t.Errorf("50 visits of a page that every page links to took %s, want no wait", got)
		}
	})
}
