package killswitch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func wantLog(t *testing.T, web *testweb.Web, want ...string) {
	t.Helper()
	got := web.Log()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the server saw %q, want %q", got, want)
	}
}

func TestAStoppedHostIsASkipAtAdmissionAndIsToldOnce(t *testing.T) {
	web := memoryWeb(t)
	web.Host("a.test").Page("/", "a")
	web.Host("b.test").Page("/", "b")
	var l told
	rep := &report.Report{}
	s := newSwitch(t, Options{Base: web.Transport(), OnSkip: l.OnSkip, Report: rep})
	c := attached(t, s)
	mustStop(t, s, Rule{ID: "ks-1", Host: "a.test", Reason: "asked", Ticket: "OPS-1"})
	failed := 0
	c.OnError(func(*colly.Response, error) { failed++ })
	for _, u := range []string{"http://a.test/", "http://b.test/"} {
		if err := c.Visit(u); err != nil {
			t.Errorf("Visit(%s) = %v, want nil", u, err)
		}
	}
	wantLog(t, web, "GET http://b.test/")
	got := l.all()
	if len(got) != 1 || l.known != 1 || got[0].Reason != report.Stopped || got[0].Host != "a.test" || !strings.HasPrefix(got[0].Rule, "ks-1") || failed != 0 {
		t.Errorf("told %+v, %d with their request, OnError %d times, want one skip and no error", got, l.known, failed)
	}
	if rep.Total() != 1 {
		t.Errorf("report has %d skips, want 1", rep.Total())
	}
	if err := s.Lift("ks-1", "the owner agreed"); err != nil {
		t.Fatal(err)
	}
	if err := c.Request("GET", "http://a.test/?2", nil, nil, nil); err != nil {
		t.Errorf("after the lift = %v, want nil", err)
	}
	if got, want := web.Count("GET http://a.test/?2"), 1; got != want {
		t.Errorf("after the lift the server saw it %d times, want %d", got, want)
	}
}

func TestRefusalsAsErrorsMatchErrStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memoryWeb(t)
		s := newSwitch(t, Options{Base: web.Transport(), Refusals: RefusalsError})
		c := attached(t, s)
		mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
		wantErrStopped(t, "Visit", c.Visit("http://a.test/"))
		wantErrStopped(t, "Post", c.Post("http://a.test/login", map[string]string{"a": "b"}))
		wantLog(t, web)
	})
}

func TestARedirectToAStoppedHostIsNotFollowed(t *testing.T) {
	web := memoryWeb(t)
	web.Host("a.test").Answer("/", testweb.Answer{Redirect: "http://b.test/"})
	web.Host("b.test").Page("/", "b")
	s := newSwitch(t, Options{Base: web.Transport()})
	c := attached(t, s)
	answered := 0
	c.OnResponse(func(*colly.Response) { answered++ })
	mustStop(t, s, Rule{Host: "b.test", Reason: "asked"})
	wantErrStopped(t, "Visit", c.Visit("http://a.test/"))
	wantLog(t, web, "GET http://a.test/")
	if answered != 0 {
		t.Errorf("OnResponse called %d times, want 0", answered)
	}
}

func TestTheHostThatIsSentAndTheOneThatIsDialledAreBothJudged(t *testing.T) {
	for _, x := range []struct {
		name string
		rule Rule
		want bool
	}{
		{"the Host header", Rule{Host: "shop.test"}, true},
		{"the URL", Rule{Host: "cdn.test"}, true},
		{"the port that is dialled, with the name that is sent", Rule{Host: "shop.test", Port: 8080}, true},
		{"the port that is dialled, with its name", Rule{Host: "cdn.test", Port: 8080}, true},
		{"the port in the Host header", Rule{Host: "shop.test", Port: 9999}, true},
		{"another port", Rule{Host: "shop.test", Port: 8081}, false},
		{"neither", Rule{Host: "other.test"}, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			web := memoryWeb(t)
			web.Host("shop.test").Page("/", "x")
			web.Host("cdn.test").Page("/", "x")
			s := newSwitch(t, Options{Base: web.Transport()})
			client := &http.Client{Transport: s.Transport(nil)}
			x.rule.Reason = "asked"
			mustStop(t, s, x.rule)
			r, _ := http.NewRequest("GET", "http://cdn.test:8080/", nil)
			r.Host = "SHOP.test.:9999" // which servers take for shop.test
			resp, err := client.Do(r)
			if err == nil {
				resp.Body.Close()
			}
			if got := errors.Is(err, ErrStopped); got != x.want || got == (len(web.Hits()) == 1) {
				t.Errorf("Do = %v, server saw %q, want stopped: %v", err, web.Log(), x.want)
			}
		})
	}
}

func TestAPlainCloneAndAPlainClientAreStopped(t *testing.T) {
	web := memoryWeb(t)
	s := newSwitch(t, Options{Base: web.Transport()})
	c := attached(t, s).Clone()
	mustStop(t, s, Rule{Domain: "test", Reason: "asked"})
	wantErrStopped(t, "Visit of a clone", c.Visit("http://a.test/"))
	_, err := (&http.Client{Transport: s.Transport(web.Transport())}).Get("https://b.test/")
	wantErrStopped(t, "Get", err)
	wantLog(t, web)
}

// slowBody is a host whose answer drips for a minute.
func slowBody(web *testweb.Web, name string) {
	web.Host(name).Answer("/big", testweb.Answer{Body: strings.Repeat("x", 60_000), Drip: testweb.Drip{Bytes: 1000, Every: time.Second}})
}

func TestABodyBeingReadEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memoryWeb(t)
		slowBody(web, "a.test")
		s := newSwitch(t, Options{Base: web.Transport()})
		c := attached(t, s)
		c.SetRequestTimeout(time.Hour)
		var at time.Time
		var got error
		c.OnError(func(_ *colly.Response, err error) { at, got = time.Now(), err })
		var stoppedAt time.Time
		var id string
		time.AfterFunc(5*time.Second+time.Millisecond, func() {
			stoppedAt = time.Now()
			id = mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
		})
		wantErrStopped(t, "Visit", c.Visit("http://a.test/big"))
		wantErrStopped(t, "OnError", got)
		if late := at.Sub(stoppedAt); late > 100*time.Millisecond || late < 0 {
			t.Errorf("the body ended %s after the stop, want at most 100ms", late)
		}
		synctest.Wait()
		rep, err := s.Report(id)
		if err != nil || rep.Cancelled != 1 || !rep.LastByte.Equal(at) || rep.LastRequest.IsZero() || rep.LastRequest.After(rep.Received) {
			t.Errorf("Report = %+v, %v, want 1 cancelled and the last byte at %s", rep, err, at)
		}
	})
}

func TestDrainLetsWhatIsUnderWayComeToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memoryWeb(t)
		slowBody(web, "a.test")
		s := newSwitch(t, Options{Base: web.Transport()})
		client := &http.Client{Transport: s.Transport(nil)}
		resp, err := client.Get("http://a.test/big")
		if err != nil {
			t.Fatal(err)
		}
		mustStop(t, s, Rule{Host: "a.test", Action: Drain, Reason: "asked"})
		_, err = client.Get("http://a.test/other")
		wantErrStopped(t, "Get of another page", err)
		body, err := io.ReadAll(resp.Body)
		if err != nil || len(body) != 60_000 {
			t.Errorf("read %d bytes, %v, want all 60000", len(body), err)
		}
	})
}

func TestObserveRefusesNothingAndCounts(t *testing.T) {
	web := memoryWeb(t)
	web.Host("a.test").Page("*", "a")
	s := newSwitch(t, Options{Base: web.Transport()})
	c := attached(t, s)
	id := mustStop(t, s, Rule{Host: "a.test", Action: Observe, Reason: "a try"})
	for _, u := range []string{"http://a.test/1", "http://a.test/2"} {
		if err := c.Visit(u); err != nil {
			t.Errorf("Visit = %v, want nil", err)
		}
	}
	rep, _ := s.Report(id)
	if rep.Observed != 2 || rep.Refused != 0 || len(web.Hits()) != 2 {
		t.Errorf("Report = %+v with %d hits, want 2 observed, 0 refused, 2 hits", rep, len(web.Hits()))
	}
}

// waiter is a throttle that lets each hop wait for its gate.
type waiter struct {
	chain.Teller
	gate    chan struct{}
	waiting chan struct{}
}

func (w *waiter) Kind() chain.Kind { return chain.Throttle }
func (w *waiter) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	w.waiting <- struct{}{}
	select {
	case <-w.gate:
	case <-h.Context().Done():
		return h.Refuse(context.Cause(h.Context()))
	}
	if _, err := h.Recheck(); err != nil {
		return h.Refuse(err)
	}
	return next(h)
}

func TestWhoeverWaitsInTheThrottleIsWokenByAStopAndRefusedAfterADrain(t *testing.T) {
	for _, action := range []Action{Stop, Drain} {
		synctest.Test(t, func(t *testing.T) {
			web := memoryWeb(t)
			web.Host("a.test").Page("/", "a")
			s := newSwitch(t, Options{Base: web.Transport()})
			c := attached(t, s)
			w := &waiter{gate: make(chan struct{}), waiting: make(chan struct{}, 1)}
			if _, err := chain.Attach(c, chain.Config{}, w); err != nil {
				t.Fatal(err)
			}
			done := make(chan error)
			go func() { done <- c.Visit("http://a.test/") }()
			<-w.waiting
			id := mustStop(t, s, Rule{Host: "a.test", Action: action, Reason: "asked"})
			if action == Drain {
				close(w.gate)
			}
			wantErrStopped(t, "Visit of the waiting", <-done)
			wantLog(t, web)
			if rep, _ := s.Report(id); !rep.LastRequest.IsZero() {
				t.Errorf("last request %s, want none: nothing was sent", rep.LastRequest)
			}
		})
	}
}

func TestNetHTTPDoesNotSendAgainOnceTheHostIsStopped(t *testing.T) {
	web := memoryWeb(t)
	hits := 0
	s := newSwitch(t, Options{Base: web.Transport()})
	web.Host("a.test").Page("/", "warm").Handle("/drop", func(w http.ResponseWriter, r *http.Request) {
		hits++
		if _, err := s.Stop(Rule{Host: "a.test", Action: Drain, Reason: "asked"}); err != nil {
			t.Error(err)
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	})
	c := attached(t, s)
	if err := c.Visit("http://a.test/"); err != nil {
		t.Fatal(err)
	}
	wantErrStopped(t, "Visit", c.Visit("http://a.test/drop"))
	if hits != 1 {
		t.Errorf("%d hits, want 1", hits)
	}
}

func TestRobotsTxtOfAStoppedHostIsNotFetched(t *testing.T) {
	web := memoryWeb(t)
	s := newSwitch(t, Options{Base: web.Transport()})
	c := attached(t, s)
	mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
	ch := chain.Of(c)
	r, _ := http.NewRequestWithContext(ch.FetchContext(), "GET", "http://a.test/robots.txt", nil)
	_, err := ch.Fetch(r)
	wantErrStopped(t, "Fetch", err)
	wantLog(t, web)
}

func TestARetryLoopOnAStoppedRedirectEndsUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memoryWeb(t)
		web.Host("a.test").Answer("/", testweb.Answer{Redirect: "http://b.test/"})
		web.Host("b.test").Page("/", "b")
		s := newSwitch(t, Options{Base: web.Transport()})
		c := attached(t, s)
		c.AllowURLRevisit = true
		c.OnError(func(r *colly.Response, _ error) { _ = r.Request.Retry() })
		id := mustStop(t, s, Rule{Host: "b.test", Reason: "asked"})
		_ = c.Visit("http://a.test/")
		wantLog(t, web, "GET http://a.test/")
		if err := s.Lift(id, "done"); err != nil {
			t.Fatal(err)
		}
		if err := c.Request("GET", "http://a.test/", nil, nil, nil); err != nil {
			t.Errorf("after the lift = %v, want nil", err)
		}
		wantLog(t, web, "GET http://a.test/", "GET http://a.test/", "GET http://b.test/")
	})
}

func TestA451IsALastingStopOfItsURLAndTenAreOneOfTheHost(t *testing.T) {
	web := memoryWeb(t)
	web.Host("a.test").Page("/", "fine").Answer("/law*", testweb.Answer{Status: 451, Body: "no"})
	s := newSwitch(t, Options{Base: web.Transport()})
	client := &http.Client{Transport: s.Transport(nil)}
	get := func(path string) (int, error) {
		resp, err := client.Get("http://a.test" + path)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if len(body) == 0 {
			t.Errorf("GET %s: empty body", path)
		}
		return resp.StatusCode, err
	}
	if status, err := get("/law*$?a=1"); status != 451 || err != nil {
		t.Errorf("the first = %d, %v, want the 451 as it is", status, err)
	}
	_, err := get("/law*$?a=1")
	wantErrStopped(t, "the same URL again", err)
	for _, path := range []string{"/law*$?a=2", "/law3", "/law4", "/law5", "/law6", "/law7", "/law8", "/law9"} {
		if status, err := get(path); status != 451 || err != nil {
			t.Errorf("another URL %s = %d, %v, want 451", path, status, err)
		}
	}
	if status, err := get("/"); status != 200 || err != nil {
		t.Errorf("/ after nine = %d, %v, want 200", status, err)
	}
	if status, err := get("/law10"); status != 451 || err != nil {
		t.Errorf("the tenth = %d, %v, want 451", status, err)
	}
	_, err = get("/")
	wantErrStopped(t, "/ after ten", err)
}

func TestAccessDeniedBecomesAStopIfAskedFor(t *testing.T) {
	for _, asked := range []bool{false, true} {
		web := memoryWeb(t)
		web.Host("a.test").Page("/", "a")
		s := newSwitch(t, Options{Base: web.Transport(), StopAccessDenied: asked})
		c := attached(t, s)
		if _, err := chain.Attach(c, chain.Config{}, &denier{}); err != nil {
			t.Fatal(err)
		}
		if err := c.Visit("http://a.test/"); err == nil {
			t.Error("Visit = nil, want the throttle's refusal")
		}
		wantStopped(t, s, asked, "http://a.test/other")
	}
}

type denier struct{ chain.Teller }

func (*denier) Kind() chain.Kind { return chain.Throttle }
func (*denier) Handle(h *chain.Hop, _ chain.Handler) (*http.Response, error) {
	return h.Refuse(deniedError{})
}

type deniedError struct{}

func (deniedError) Error() string { return "denied" }
func (deniedError) Skip() report.Skip {
	return report.Skip{Reason: report.AccessDenied, Detail: "403 ten times"}
}
