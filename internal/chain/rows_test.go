package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// The tests of this file are named after what happened with a first version of the devices, and must not happen again.

func TestAReplacedContextIsRefusedAndNamesSetContext(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	l := refuser()
	c := attached(t, web, l)
	ctx, cancel := context.WithCancel(c.Context)
	c.Context = ctx
	cancel()
	err := c.Visit("http://shop.test/")
	if !errors.Is(err, ErrBypassed) || !strings.Contains(fmt.Sprint(err), "SetContext") {
		t.Errorf("Visit with a child of the dead context = %v, want ErrBypassed that names SetContext", err)
	}
	if err := c.Visit("http://shop.test/2"); err != nil {
		t.Errorf("second Visit = %v, want nil: it is a skip", err)
	}
	if got := l.told(); len(got) != 2 || got[0].skip.Reason != report.Bypassed || got[1].skip.Reason != report.Bypassed {
		t.Errorf("told %v, want two bypassed", got)
	}
	if err := SetContext(c, context.Background()); err != nil {
		t.Fatalf("SetContext = %v", err)
	}
	if err := c.Visit("http://shop.test/3"); err != nil && !strings.Contains(err.Error(), "Not Found") {
		t.Errorf("Visit after SetContext = %v, want it sent", err)
	}
	wantHits(t, web, "GET http://shop.test/3")
}

func TestSetContextIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("shop.test").Answer("/", testweb.Answer{Delay: time.Hour})
		c := attached(t, web, refuser())
		c.SetRequestTimeout(0)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := SetContext(c, ctx); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		err := c.Visit("http://shop.test/")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second {
			t.Errorf("Visit = %v after %s, want the user's deadline after 5s", err, time.Since(start))
		}
		child, stop := context.WithCancel(c.Context)
		defer stop()
		if err := SetContext(c, child); err == nil {
			t.Error("SetContext with a child of the dead context = nil, want an error")
		}
	})
}

func TestCollysOwnRobotsCheckFetchesNothing(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x").Robots("User-agent: *\nDisallow: /\n")
	c := attached(t, web, refuser())
	c.IgnoreRobotsTxt = false
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Errorf("Visit = %v, want nil: the chain decides, not Colly's check", err)
	}
	wantHits(t, web, "GET http://shop.test/")
}

func TestForeignBaseAndSetProxyFuncIsRefusedNotSentDirectly(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	tr := web.Transport()
	c := colly.NewCollector()
	l := refuser()
	mustAttach(t, c, Config{Base: roundTripper(tr.RoundTrip)}, l)
	c.SetProxyFunc(func(*http.Request) (*url.URL, error) { return url.Parse("http://127.0.0.1:9") })
	err := c.Visit("http://shop.test/")
	if err == nil || !strings.Contains(err.Error(), "*http.Transport") {
		t.Errorf("Visit = %v, want a refusal that says the base cannot use a proxy", err)
	}
	wantHits(t, web)
}

func TestTransportBaseUsesTheProxyThatWasSet(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	proxy, err := web.Proxy()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	base := web.Transport()
	c := colly.NewCollector()
	mustAttach(t, c, Config{Base: base}, refuser())
	if err := c.SetProxy(proxy.URL().String()); err != nil {
		t.Fatal(err)
	}
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Fatalf("Visit = %v", err)
	}
	if got := len(proxy.Log()); got != 1 {
		t.Errorf("the proxy saw %d requests, want 1", got)
	}
	if base.Proxy != nil {
		t.Error("the user's transport was written to")
	}
}

func TestHTTPSProxyGetsCONNECT(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	proxy, err := web.Proxy()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	c := attached(t, web, refuser())
	_ = c.SetProxy(proxy.URL().String())
	if err := c.Visit("https://shop.test/"); err != nil {
		t.Fatalf("Visit = %v", err)
	}
	if got := proxy.Log(); len(got) != 1 || !strings.HasPrefix(got[0], "CONNECT") {
		t.Errorf("the proxy saw %q, want one CONNECT", got)
	}
	proxy.Answer(testweb.Answer{Status: 502})
	c.AllowURLRevisit = true
	if err := c.Visit("https://shop.test/"); !IsProxy(err) {
		t.Errorf("Visit with a failing CONNECT = %v, want the proxy's failure", err)
	}
}

// What the program, or the environment, gave http.DefaultTransport as its proxy goes on to hold.
func TestTheProxyOfDefaultTransportIsHonoured(t *testing.T) {
	if f := http.DefaultTransport.(*http.Transport).Proxy; !strings.Contains(runtime.FuncForPC(funcPC(f)).Name(), "ProxyFromEnvironment") {
		t.Fatal("http.DefaultTransport does not follow the environment any more: the front must")
	}
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Page("/*", "x")
	proxy, err := web.Proxy()
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	d := http.DefaultTransport.(*http.Transport)
	before := d.Proxy
	d.Proxy = http.ProxyURL(proxy.URL())
	defer func() { d.Proxy = before }()
	c := colly.NewCollector()
	mustAttach(t, c, Config{}, refuser())
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: Transport(nil, Config{}, refuser())}).Get("http://shop.test/plain")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := len(proxy.Log()); got != 2 {
		t.Errorf("the proxy saw %d requests, want both", got)
	}
}

// A server that drops a kept-alive connection after it read a GET makes net/http send it again by itself.
func TestARequestThatNetHTTPSendsAgainTakesANewTurn(t *testing.T) {
	for _, stop := range []bool{false, true} {
		t.Run(fmt.Sprint("stopped ", stop), func(t *testing.T) {
			addr, hits := droppingServer(t)
			var resends atomic.Int32
			l := &resendLayer{testLayer: testLayer{kind: KillSwitch}, resend: func(h *Hop) error {
				resends.Add(1)
				if stop {
					return &testRefusal{report.Skip{Reason: report.Stopped}}
				}
				return nil
			}}
			c := colly.NewCollector(colly.AllowURLRevisit())
			mustAttach(t, c, Config{Base: &http.Transport{}}, l)
			if err := c.Visit("http://" + addr + "/1"); err != nil {
				t.Fatalf("first Visit = %v", err)
			}
			err := c.Visit("http://" + addr + "/2")
			if resends.Load() == 0 {
				t.Fatal("net/http sent nothing again: the test's server does not provoke it")
			}
			if stop {
				wantRefusal(t, err, report.Stopped)
				if got := hits.Load(); got != 2 {
					t.Errorf("the server saw %d requests, want 2: the second try is not sent", got)
				}
			} else if err != nil || hits.Load() != 3 {
				t.Errorf("Visit = %v with %d requests seen, want nil and 3", err, hits.Load())
			}
		})
	}
}

// The wait for the second turn may be long. What ran out meanwhile is fetched anew, and what is refused by now is not sent.
func TestARequestThatNetHTTPSendsAgainIsLookedAtOnceMoreAfterItsWait(t *testing.T) {
	for _, x := range []struct {
		name    string
		stale   bool
		refusal error
		handled int32 // by the layer
		hits    int32
	}{
		{"rules that ran out", true, nil, 3, 3},
		{"a refusal", false, &testRefusal{report.Skip{Reason: report.Stopped}}, 2, 2},
	} {
		t.Run(x.name, func(t *testing.T) {
			addr, hits := droppingServer(t)
			l := &recheckLayer{testLayer: testLayer{kind: Robots}, stale: x.stale, refusal: x.refusal}
			var handled atomic.Int32
			l.handle = func(h *Hop, next Handler) (*http.Response, error) {
				handled.Add(1)
				return next(h)
			}
			c := colly.NewCollector()
			mustAttach(t, c, Config{Base: &http.Transport{}}, l)
			if err := c.Visit("http://" + addr + "/1"); err != nil {
				t.Fatalf("first Visit = %v", err)
			}
			err := c.Visit("http://" + addr + "/2")
			if !errors.Is(err, x.refusal) {
				t.Errorf("Visit = %v, want %v", err, x.refusal)
			}
			if handled.Load() != x.handled || hits.Load() != x.hits {
				t.Errorf("%d hops and %d requests seen, want %d and %d", handled.Load(), hits.Load(), x.handled, x.hits)
			}
		})
	}
}

// recheckLayer finds that what it relied on ran out while net/http was about to send again, once, or that it refuses now.
type recheckLayer struct {
	testLayer
	stale   bool
	refusal error
}

func (l *recheckLayer) Recheck(*Hop) (bool, error) { return l.stale, l.refusal }

type resendLayer struct {
	testLayer
	resend func(*Hop) error
}

func (l *resendLayer) Resend(h *Hop) error { return l.resend(h) }

// droppingServer answers the first request of each connection and drops the second after reading it, once.
func droppingServer(t *testing.T) (addr string, hits *atomic.Int32) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hits = new(atomic.Int32)
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buf := make([]byte, 4096)
				for i := range 2 {
					if n, err := conn.Read(buf); n == 0 || err != nil {
						return
					}
					hits.Add(1)
					if i == 1 {
						return
					}
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
			}()
		}
	}()
	return ln.Addr().String(), hits
}

func TestPlainCloneWithRetryAndAReplacedTransportSendsNothing(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	c := attached(t, web, refuser())
	clone := c.Clone()
	clone.WithTransport(web.Transport())
	tries := 0
	clone.OnError(func(r *colly.Response, err error) {
		if tries++; tries < 50 {
			_ = r.Request.Retry()
		}
	})
	if err := clone.Visit("http://shop.test/"); !errors.Is(err, ErrBypassed) {
		t.Errorf("Visit = %v, want ErrBypassed", err)
	}
	wantHits(t, web)
}

func TestHopsLetGoOfTheUsersContext(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x").Answer("/cut", testweb.Answer{HalfBody: true, Body: "abc"}).Answer("/go", testweb.Answer{Redirect: "/"})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	probe := &countingContext{Context: ctx}
	c := colly.NewCollector(colly.StdlibContext(probe), colly.AllowURLRevisit())
	mustAttach(t, c, Config{Base: web.Transport()}, refuser())
	aborting := c.Clone()
	aborting.OnResponseHeaders(func(r *colly.Response) { r.Request.Abort() })
	for range 100 {
		_ = c.Visit("http://shop.test/")
		_ = c.Visit("http://shop.test/go")
		_ = c.Visit("http://shop.test/cut")
		_ = c.Head("http://shop.test/")
		_ = aborting.Visit("http://shop.test/")
	}
	if got := probe.linked.Load(); got != 0 {
		t.Errorf("%d hops are still linked to the user's context, want 0", got)
	}
	if probe.most.Load() == 0 {
		t.Error("no hop was ever linked: the test counts nothing")
	}
}

// countingContext counts who waits for its end, through the AfterFunc method that package context uses.
type countingContext struct {
	context.Context
	linked, most atomic.Int32
}

func (c *countingContext) AfterFunc(f func()) (stop func() bool) {
	c.most.Store(max(c.most.Load(), c.linked.Add(1)))
	inner := context.AfterFunc(c.Context, f)
	var once atomic.Bool
	return func() bool {
		if once.CompareAndSwap(false, true) {
			c.linked.Add(-1)
		}
		return inner()
	}
}

// Value hides the cancel context below, so that children ask AfterFunc.
func (c *countingContext) Value(any) any { return nil }

func (c *countingContext) Done() <-chan struct{} { return c.Context.Done() }

func TestATimeoutSetAfterAttachIsTheAttemptsAndNotTheWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("shop.test").Page("/", "x").Answer("/hangs", testweb.Answer{HangBody: true, Body: "abc"}).Answer("/slow", testweb.Answer{Delay: time.Minute})
		l := waiter(time.Minute)
		c := attached(t, web, l)
		c.SetRequestTimeout(100 * time.Millisecond)
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Errorf("Visit after a wait of 1m with a timeout of 100ms = %v, want nil", err)
		}
		for _, path := range []string{"/hangs", "/slow"} {
			start := time.Now()
			err := c.Visit("http://shop.test" + path)
			var timeout interface{ Timeout() bool }
			if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("Visit(%s) = %v, want a timeout", path, err)
			}
			if got, want := time.Since(start), time.Minute+100*time.Millisecond; got != want {
				t.Errorf("Visit(%s) took %s, want %s", path, got, want)
			}
		}
	})
}

// A plain clone runs no callback, so the timeout stays on the client until the collector itself visits.
func TestATimeoutThatIsNotTakenOverKeepsTheTypeOfARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("shop.test").Page("/", "x").Answer("/go", testweb.Answer{Redirect: "/hangs"}).Answer("/hangs", testweb.Answer{HangBody: true, Body: "abc"})
		l := waiter(0)
		c := attached(t, web, l)
		clone := c.Clone()
		c.SetRequestTimeout(100 * time.Millisecond)

		l.wait.Store(int64(300 * time.Millisecond))
		err := clone.Visit("http://shop.test/")
		var wait *WaitError
		if !errors.As(err, &wait) {
			t.Errorf("Visit whose turn comes after the client's deadline = %v, want a *WaitError", err)
		}
		l.wait.Store(int64(30 * time.Millisecond))
		start := time.Now()
		err = clone.Visit("http://shop.test/go")
		var timeout *TimeoutError
		if !errors.As(err, &timeout) && !isTimeout(err) {
			t.Errorf("Visit of a redirect to a body that hangs = %v, want a timeout", err)
		}
		if got := time.Since(start); got != 160*time.Millisecond {
			t.Errorf("it took %s, want 160ms: two waits and one timeout", got)
		}
		if got := len(web.Hits()); got != 2 {
			t.Errorf("the server saw %d requests, want 2: /go and /hangs", got)
		}
	})
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// waitLayer plays the throttle.
type waitLayer struct {
	testLayer
	wait atomic.Int64
}

func waiter(d time.Duration) *waitLayer {
	l := &waitLayer{testLayer: testLayer{kind: Throttle}}
	l.wait.Store(int64(d))
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		if err := sleep(h.Context(), time.Duration(l.wait.Load())); err != nil {
			return h.Refuse(err)
		}
		return next(h)
	}
	return l
}

func TestTheDeadContextTellsAWarmHTTP2Transport(t *testing.T) {
	d := &deadContext{chain: newChain(Config{}), user: context.Background()}
	if got := d.Err(); got != ErrBypassed || !errors.Is(got, context.Canceled) {
		t.Errorf("Err() = %v, want ErrBypassed that is context.Canceled", got)
	}
	child, cancel := context.WithCancel(d)
	defer cancel()
	if got := context.Cause(child); !errors.Is(got, ErrBypassed) {
		t.Errorf("Cause of a child = %v, want ErrBypassed", got)
	}
}

func TestAStopWhileAnAnswerIsAwaitedOrReadGivesItsCause(t *testing.T) {
	for _, proto := range []string{"http", "https"} {
		for _, path := range []string{"/hangs", "/drips"} {
			t.Run(proto+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					web := testweb.NewMemory()
					defer web.Close()
					web.Host("shop.test").Answer("/hangs", testweb.Answer{HangHeaders: true}).
						Answer("/drips", testweb.Answer{Body: strings.Repeat("x", 1000), Drip: testweb.Drip{Bytes: 1, Every: time.Second}})
					base := web.Transport()
					base.ForceAttemptHTTP2 = true
					l := refuser()
					l.handle = func(h *Hop, next Handler) (*http.Response, error) {
						time.AfterFunc(3*time.Second, func() { h.End(l, &testRefusal{report.Skip{Reason: report.Stopped}}) })
						return next(h)
					}
					c := colly.NewCollector()
					mustAttach(t, c, Config{Base: base}, l)
					start := time.Now()
					err := c.Visit(proto + "://shop.test" + path)
					wantRefusal(t, err, report.Stopped)
					if got := time.Since(start); got != 3*time.Second {
						t.Errorf("the stop took effect after %s, want 3s", got)
					}
					base.CloseIdleConnections()
				})
			})
		}
	}
}

func TestWhatWasSetBeforeAttachIsNamed(t *testing.T) {
	for _, x := range []struct {
		name, says string
		set        func(*colly.Collector)
	}{
		{"SetProxy", "below Attach", func(c *colly.Collector) { _ = c.SetProxy("http://127.0.0.1:9") }},
		{"WithTransport", "Options.Base", func(c *colly.Collector) { c.WithTransport(&http.Transport{}) }},
		{"a mock", "Options.Base", func(c *colly.Collector) { c.WithTransport(roundTripper(nil)) }},
		{"SetClient", "Options.Base", func(c *colly.Collector) { c.SetClient(&http.Client{}) }},
		{"SetClient with a mock", "Options.Base", func(c *colly.Collector) { c.SetClient(&http.Client{Transport: roundTripper(nil)}) }},
		{"http.DefaultClient", "Options.Base", func(c *colly.Collector) { c.SetClient(http.DefaultClient) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			before := *http.DefaultClient
			c := colly.NewCollector()
			x.set(c)
			_, err := Attach(c, Config{}, refuser())
			if err == nil || !strings.Contains(err.Error(), x.says) {
				t.Fatalf("Attach after %s = %v, want an error that says %q", x.name, err, x.says)
			}
			got := c.Visit("http://127.0.0.1:1/")
			if !errors.Is(got, ErrBypassed) || !strings.Contains(got.Error(), err.Error()) {
				t.Errorf("Visit = %v, want Attach's reason", got)
			}
			if _, again := Attach(c, Config{}, refuser()); again == nil || again.Error() != err.Error() {
				t.Errorf("a second Attach = %v, want the same: %v", again, err)
			}
			if http.DefaultClient.Transport != before.Transport || http.DefaultClient.Timeout != before.Timeout {
				t.Error("http.DefaultClient was written to")
			}
		})
	}
}

func TestAForeignClientIsNotWrittenTo(t *testing.T) {
	own := &http.Client{Timeout: time.Second}
	c := colly.NewCollector()
	c.SetClient(own)
	if _, err := Attach(c, Config{}, refuser()); err == nil {
		t.Fatal("Attach = nil, want an error")
	}
	if own.Transport != nil || own.Timeout != time.Second {
		t.Errorf("the client is now %+v, want it untouched", own)
	}
}

func TestAReplacedDefaultTransportIsUsed(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	c := colly.NewCollector()
	mustAttach(t, c, Config{}, refuser())
	before := http.DefaultTransport
	http.DefaultTransport = roundTripper(web.Transport().RoundTrip) // a mock, and no *http.Transport
	defer func() { http.DefaultTransport = before }()
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Errorf("Visit = %v, want the mock to be used", err)
	}
	wantHits(t, web, "GET http://shop.test/")
}

func TestManyCollectorsShareOnePoolOfConnections(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Page("/", "x")
	for range 300 {
		c := colly.NewCollector()
		mustAttach(t, c, Config{}, refuser())
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Fatal(err)
		}
	}
	if got := web.Conns(); got > 2 {
		t.Errorf("300 collectors made %d connections, want one or two", got)
	}
}

func TestDisableKeepAlivesOfSetProxyFuncIsHonouredPerRequest(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	base := web.Transport()
	c := colly.NewCollector(colly.AllowURLRevisit())
	mustAttach(t, c, Config{Base: base}, refuser())
	c.SetProxyFunc(nil)
	for range 5 {
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Fatal(err)
		}
	}
	if got := web.Conns(); got != 5 {
		t.Errorf("5 requests used %d connections, want 5", got)
	}
	if base.DisableKeepAlives {
		t.Error("the base was written to")
	}
}

func TestExtraSchemesGoToTheBaseOutsideTheLayers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.html"), []byte("<p>from a file</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	base := &http.Transport{}
	base.RegisterProtocol("file", http.NewFileTransport(http.Dir(dir)))
	c := colly.NewCollector()
	l := refuser()
	mustAttach(t, c, Config{Base: base, Schemes: []string{"file"}}, l)
	var body string
	c.OnResponse(func(r *colly.Response) { body = string(r.Body) })
	if err := c.Visit("file:///a.html"); err != nil || body != "<p>from a file</p>" {
		t.Errorf("Visit(file) = %v with body %q", err, body)
	}
	if len(l.hops) != 0 {
		t.Errorf("the layers saw %q, want nothing", l.hops)
	}
}

func TestTheProxyFunctionIsAskedOncePerHopWithTheRequestThatWasGiven(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	proxy, err := web.Proxy()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	c := attached(t, web, refuser())
	var asked atomic.Int32
	c.SetProxyFunc(func(r *http.Request) (*url.URL, error) {
		asked.Add(1)
		*r = *r.WithContext(context.WithValue(r.Context(), colly.ProxyURLKey, proxy.URL().String())) // as Colly's switchers do
		return proxy.URL(), nil
	})
	var told string
	c.OnResponse(func(r *colly.Response) { told = r.Request.ProxyURL })
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Fatal(err)
	}
	if asked.Load() != 1 || told != proxy.URL().String() {
		t.Errorf("asked %d times, Request.ProxyURL %q, want once and %q", asked.Load(), told, proxy.URL())
	}
}

func TestARefusedPOSTClosesItsBody(t *testing.T) {
	web := memoryWeb(t)
	rt := Transport(web.Transport(), Config{}, refuser())
	body := &closeCounter{Reader: strings.NewReader("x")}
	req, err := http.NewRequest(http.MethodPost, "http://shop.test/private", body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.RoundTrip(req); err == nil {
		t.Fatal("RoundTrip = nil, want a refusal")
	}
	if body.closed.Load() != 1 {
		t.Errorf("the body was closed %d times, want once", body.closed.Load())
	}
	wantHits(t, web)
}

type closeCounter struct {
	io.Reader
	closed atomic.Int32
}

func (c *closeCounter) Close() error { c.closed.Add(1); return nil }

func TestTheTurnOfAFollowedRedirectEndsWithItsHeaders(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "/end", Body: strings.Repeat("x", 100)}).Page("/end", "x")
	busy, most := atomic.Int32{}, atomic.Int32{}
	l := &testLayer{kind: Throttle}
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		most.Store(max(most.Load(), busy.Add(1)))
		h.OnEnd(EndFunc(func(*http.Response, error) { busy.Add(-1) }))
		return next(h)
	}
	c := attached(t, web, l)
	if err := c.Visit("http://shop.test/go"); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 1 || busy.Load() != 0 {
		t.Errorf("most turns at once %d, left %d; want 1 and 0", most.Load(), busy.Load())
	}
}

func TestUpgradeOverHTTPSIsRefusedWithATextThatSaysSo(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	l := refuser()
	c := attached(t, web, l)
	c.OnRequest(func(r *colly.Request) {
		r.Headers.Set("Connection", "Upgrade")
		r.Headers.Set("Upgrade", "websocket")
	})
	err := c.Visit("https://shop.test/")
	if !errors.Is(err, ErrBypassed) || !strings.Contains(err.Error(), "Upgrade") {
		t.Errorf("Visit = %v, want ErrBypassed that names Upgrade", err)
	}
	wantHits(t, web)
	if got := l.told(); len(got) != 1 || !strings.Contains(got[0].skip.Detail, "Upgrade") {
		t.Errorf("told %v, want the Upgrade", got)
	}
}

func TestTheTokenIsReadFromEachHop(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	l := &testLayer{kind: Robots}
	var got string
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		got = h.Header().Get("User-Agent")
		return next(h)
	}
	c := attached(t, web, l)
	c.UserAgent = "LateBot/1.0"
	if err := c.Visit("http://shop.test/"); err != nil || got != "LateBot/1.0" {
		t.Errorf("Visit = %v, the hop's User-Agent %q, want LateBot/1.0", err, got)
	}
}

func TestAnUpgradedPostBodySurvivesA307(t *testing.T) {
	web := memoryWeb(t)
	var got []byte
	web.Host("shop.test").Answer("/from", testweb.Answer{Status: 307, Redirect: "/to"}).Handle("/to", func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
	})
	c := attached(t, web, refuser())
	if err := c.PostRaw("http://shop.test/from", []byte("payload")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, []byte("payload")) {
		t.Errorf("the second hop's body = %q, want payload", got)
	}
}

func TestASecondAttachDoesNotDropWhatTheFirstComplainedOf(t *testing.T) {
	for name, set := range map[string]func(*colly.Collector){
		"a proxy":     func(c *colly.Collector) { _ = c.SetProxy("http://127.0.0.1:9") },
		"a transport": func(c *colly.Collector) { c.WithTransport(&http.Transport{}) },
	} {
		web := memoryWeb(t)
		web.Host("shop.test").Page("/", "x")
		c := colly.NewCollector()
		set(c)
		_, first := Attach(c, Config{}, refuser())
		_, second := Attach(c, Config{}, refuser())
		if first == nil || second == nil || first.Error() != second.Error() {
			t.Errorf("%s: Attach twice = %v, then %v, want the same error: a direct connection would be a surprise", name, first, second)
		}
		if _, err := Attach(c, Config{Base: web.Transport()}, refuser()); err != nil {
			t.Errorf("%s: Attach with Options.Base = %v, want nil", name, err)
		}
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Errorf("%s: Visit = %v", name, err)
		}
	}
}

func TestCollysOwnCheckTurnedOnAfterAttachMakesRefusalsErrors(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	l.admits = true
	c := attached(t, web, l)
	c.IgnoreRobotsTxt = false
	wantRefusal(t, c.Visit("http://shop.test/private"), report.RobotsDisallowed)
}
