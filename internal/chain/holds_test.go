package chain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// What a scraper does with a bare Collector goes on working with the chain.

func TestCookiesAndRefererTravel(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/login", testweb.Answer{Header: http.Header{"Set-Cookie": {"sid=7; Path=/"}}, Redirect: "/in"}).Page("/in", "x")
	c := attached(t, web, refuser())
	if err := c.Visit("http://shop.test/login"); err != nil {
		t.Fatal(err)
	}
	hit := web.Hits()[1]
	if hit.Header.Get("Cookie") != "sid=7" || hit.Header.Get("Referer") != "http://shop.test/login" {
		t.Errorf("second hop's Cookie %q, Referer %q", hit.Header.Get("Cookie"), hit.Header.Get("Referer"))
	}
}

func TestBodiesComeThroughUnchanged(t *testing.T) {
	web := memoryWeb(t)
	big := strings.Repeat("0123456789", 2<<20) // 20 MB
	web.Host("shop.test").Page("/big", big).Answer("/br", testweb.Answer{Header: http.Header{"Content-Encoding": {"br"}}, Body: "not really"})
	c := attached(t, web, refuser())
	c.SetRequestTimeout(time.Minute)
	c.MaxBodySize = 0
	size, enc := 0, ""
	c.OnResponse(func(r *colly.Response) { size, enc = len(r.Body), r.Headers.Get("Content-Encoding") })
	if err := c.Visit("http://shop.test/big"); err != nil || size != len(big) {
		t.Errorf("Visit(/big) = %v with %d bytes, want %d", err, size, len(big))
	}
	if err := c.Visit("http://shop.test/br"); err != nil || size != 10 || enc != "br" {
		t.Errorf("Visit(/br) = %v with %d bytes of %q", err, size, enc)
	}
	c.MaxBodySize, c.AllowURLRevisit = 1000, true
	if err := c.Visit("http://shop.test/big"); err != nil || size != 1000 {
		t.Errorf("Visit with MaxBodySize 1000 = %v with %d bytes", err, size)
	}
}

func TestAbortAfterHeadersAndTrace(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	c := attached(t, web, refuser())
	c.TraceHTTP = true
	var trace *colly.HTTPTrace
	c.OnResponse(func(r *colly.Response) { trace = r.Trace })
	if err := c.Visit("http://shop.test/"); err != nil || trace == nil || trace.FirstByteDuration <= 0 {
		t.Errorf("Visit = %v, trace %+v: want the first byte's time", err, trace)
	}
	c.OnResponseHeaders(func(r *colly.Response) { r.Request.Abort() })
	if err := c.Visit("http://shop.test/2"); !errors.Is(err, colly.ErrAbortedAfterHeaders) {
		t.Errorf("Visit = %v, want ErrAbortedAfterHeaders", err)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	for _, proto := range []string{"http", "https"} {
		t.Run(proto, func(t *testing.T) {
			web := memoryWeb(t)
			web.Host("shop.test").Page("/", "x")
			base := web.Transport()
			base.ForceAttemptHTTP2 = true
			c := colly.NewCollector(colly.AllowURLRevisit())
			l := &resendLayer{testLayer: testLayer{kind: Throttle}, resend: func(*Hop) error { t.Error("a first send was taken for a second one"); return nil }}
			mustAttach(t, c, Config{Base: base}, l)
			for range 6 {
				if err := c.Visit(proto + "://shop.test/"); err != nil {
					t.Fatal(err)
				}
			}
			if got := web.Conns(); got != 1 {
				t.Errorf("6 requests used %d connections, want 1", got)
			}
			base.CloseIdleConnections()
		})
	}
}

func TestUnixSocketAsBase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Skip("no unix sockets here:", err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) })}
	go func() { _ = srv.Serve(ln) }()
	defer srv.Close()
	c := colly.NewCollector()
	mustAttach(t, c, Config{Base: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}}}, refuser())
	var body string
	c.OnResponse(func(r *colly.Response) { body = string(r.Body) })
	if err := c.Visit("http://docker.test/x"); err != nil || body != "docker.test" {
		t.Errorf("Visit over a unix socket = %v, body %q", err, body)
	}
}

func TestExpectContinue(t *testing.T) {
	web := memoryWeb(t)
	var got []byte
	web.Host("shop.test").Handle("/up", func(_ http.ResponseWriter, r *http.Request) { got, _ = io.ReadAll(r.Body) })
	base := web.Transport()
	base.ExpectContinueTimeout = time.Minute
	c := colly.NewCollector()
	mustAttach(t, c, Config{Base: base}, refuser())
	err := c.Request(http.MethodPost, "http://shop.test/up", strings.NewReader("abc"), nil, http.Header{"Expect": {"100-continue"}})
	if err != nil || string(got) != "abc" {
		t.Errorf("POST with Expect = %v, the server read %q", err, got)
	}
}

func TestQueueNewDoRetryAndCheckHead(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/q", "x").Page("/n", "x").Answer("/r", testweb.Answer{Status: 500}, testweb.Answer{Body: "x"}).Page("/h", "x")
	l := refuser()
	c := attached(t, web, l)
	q, err := queue.New(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = q.AddURL("http://shop.test/q")
	_ = q.AddURL("http://shop.test/private")
	c.OnResponse(func(r *colly.Response) {
		if r.Request.URL.Path == "/q" {
			n, err := r.Request.New(http.MethodGet, "http://shop.test/n", nil)
			if err != nil {
				t.Error(err)
				return
			}
			_ = n.Do()
		}
	})
	c.OnError(func(r *colly.Response, err error) {
		if r.StatusCode == 500 {
			_ = r.Request.Retry()
		}
	})
	if err := q.Run(c); err != nil {
		t.Fatal(err)
	}
	_ = c.Visit("http://shop.test/r")
	c.CheckHead = true
	if err := c.Visit("http://shop.test/h"); err != nil {
		t.Error(err)
	}
	wantHits(t, web, "GET http://shop.test/q", "GET http://shop.test/n", "GET http://shop.test/r", "GET http://shop.test/r",
		"HEAD http://shop.test/h", "GET http://shop.test/h")
	if got := l.told(); len(got) != 1 {
		t.Errorf("told %v, want the one refusal in the queue", got)
	}
}

func TestCheckHeadIsOneSkipNotTwo(t *testing.T) {
	for _, admits := range []bool{false, true} {
		web := memoryWeb(t)
		l := refuser()
		l.admits = admits
		c := attached(t, web, l)
		c.CheckHead = true
		_ = c.Visit("http://shop.test/private")
		if got := l.told(); len(got) != 1 {
			t.Errorf("known before %v: told %v, want one", admits, got)
		}
		wantHits(t, web)
	}
}

func TestAsyncWithTwoCollectorsOnOneLayer(t *testing.T) {
	web := memoryWeb(t)
	web.Host("a.test").Page("/*", "x")
	web.Host("b.test").Page("/*", "x")
	l := refuser()
	var wg sync.WaitGroup
	var answers atomic.Int32
	for _, host := range []string{"a.test", "b.test"} {
		c := colly.NewCollector(colly.Async())
		mustAttach(t, c, Config{Base: web.Transport()}, l)
		c.OnResponse(func(*colly.Response) { answers.Add(1) })
		wg.Go(func() {
			for i := range 50 {
				_ = c.Visit(fmt.Sprintf("http://%s/%d", host, i))
				_ = c.Visit(fmt.Sprintf("http://%s/private%d", host, i))
			}
			c.Wait()
		})
	}
	wg.Wait()
	if answers.Load() != 100 || len(web.Hits()) != 100 || len(l.told()) != 100 {
		t.Errorf("%d answers, %d hits, %d skips; want 100 of each", answers.Load(), len(web.Hits()), len(l.told()))
	}
}

func TestTwoPartsShareOneChainInTheirOrder(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	var order []string
	note := func(k Kind) *testLayer {
		l := &testLayer{kind: k}
		l.handle = func(h *Hop, next Handler) (*http.Response, error) {
			order = append(order, k.String())
			return next(h)
		}
		return l
	}
	c := attached(t, web, note(Throttle))
	for _, k := range []Kind{Robots, KillSwitch, Identity} {
		mustAttach(t, c, Config{}, note(k))
	}
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(order, " "), "killswitch identity collyrobots throttle"; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestASecondAttach(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	c := attached(t, web, l)
	if _, err := Attach(c, Config{}, l); err != nil {
		t.Errorf("the same instance again = %v, want nil", err)
	}
	var taken *TakenError
	if _, err := Attach(c, Config{}, refuser()); !errors.As(err, &taken) || taken.Layer != Layer(l) {
		t.Errorf("another instance = %v, want a TakenError with the first", err)
	}
	_ = c.Visit("http://shop.test/private")
	if got := len(l.told()); got != 1 {
		t.Errorf("told %d times, want once: the callbacks are there once and the first stays in force", got)
	}
	clone := c.Clone()
	mustAttach(t, clone, Config{}, l)
	l.admits = true
	if err := clone.Visit("http://shop.test/private2"); err != nil {
		t.Errorf("Visit on an attached clone = %v, want a skip", err)
	}
	if _, err := Attach(nil, Config{}, l); err == nil {
		t.Error("Attach(nil) = nil, want an error")
	}
}

func TestAnotherCollectorsContextIsNotTakenForAClone(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	first, second := refuser(), refuser()
	c := attached(t, web, first)
	d := colly.NewCollector(colly.StdlibContext(c.Context))
	mustAttach(t, d, Config{Base: web.Transport()}, second)
	if err := d.Visit("http://shop.test/"); err != nil {
		t.Fatal(err)
	}
	if len(first.hops) != 0 || len(second.hops) != 1 {
		t.Errorf("the first chain saw %q, the second %q", first.hops, second.hops)
	}
}

func TestGoroutinesAndTimersEndWithTheCrawl(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	ctx, cancel := context.WithCancel(context.Background())
	c := colly.NewCollector(colly.StdlibContext(ctx), colly.AllowURLRevisit())
	base := web.Transport()
	mustAttach(t, c, Config{Base: base}, refuser())
	_ = c.Visit("http://shop.test/warm")
	before := runtime.NumGoroutine()
	for range 5_000 {
		_ = c.Visit("http://shop.test/x")
	}
	cancel()
	runtime.Gosched()
	if got := runtime.NumGoroutine(); got > before+2 {
		t.Errorf("%d goroutines after the crawl, %d before", got, before)
	}
	if err := c.Visit("http://shop.test/late"); !errors.Is(err, context.Canceled) || errors.Is(err, ErrBypassed) {
		t.Errorf("Visit after the user's cancel = %v, want context.Canceled", err)
	}
}

func TestAPlainClientIsAChainOfOne(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x").Answer("/go", testweb.Answer{Redirect: "/private"})
	l := refuser()
	client := &http.Client{Transport: Transport(web.Transport(), Config{}, l)}
	resp, err := client.Get("http://shop.test/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	_, err = client.Get("http://shop.test/go")
	wantRefusal(t, err, report.RobotsDisallowed)
	wantHits(t, web, "GET http://shop.test/", "GET http://shop.test/go")
	if got := l.told(); len(got) != 1 || got[0].request || got[0].skip.Referrer != "http://shop.test/go" {
		t.Errorf("told %v, want once, with the referrer and without a *colly.Request", got)
	}
}

func TestAHopEndsWhateverHappens(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/ok", "x").Answer("/cut", testweb.Answer{HalfBody: true, Body: "abc"}).Answer("/reset", testweb.Answer{Reset: true}).
		Answer("/empty", testweb.Answer{Status: 204}).Answer("/go", testweb.Answer{Redirect: "/ok"}).Answer("/loop", testweb.Answer{Redirect: "/loop"})
	var begun, ended atomic.Int32
	l := &testLayer{kind: Throttle}
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		begun.Add(1)
		h.OnEnd(EndFunc(func(*http.Response, error) { ended.Add(1) }))
		if h.URL().Path == "/panic" {
			panic("a layer")
		}
		return next(h)
	}
	c := attached(t, web, l)
	c.AllowURLRevisit = true
	for _, path := range []string{"/ok", "/cut", "/reset", "/empty", "/go", "/loop", "/missing", "/private"} {
		_ = c.Visit("http://shop.test" + path)
		_ = c.Head("http://shop.test" + path)
		if begun.Load() != ended.Load() {
			t.Errorf("after %s: %d hops begun, %d ended", path, begun.Load(), ended.Load())
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = c.Visit("http://shop.test/panic")
	}()
	c.OnResponseHeaders(func(*colly.Response) { panic("a callback") })
	func() {
		defer func() { _ = recover() }()
		_ = c.Visit("http://shop.test/ok")
	}()
	if begun.Load() != ended.Load() || Of(c).flying.Load() != 0 {
		t.Errorf("after panics: %d hops begun, %d ended, %d in flight", begun.Load(), ended.Load(), Of(c).flying.Load())
	}
}

func TestALayerMaySendAgain(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/", testweb.Answer{Status: 503}, testweb.Answer{Body: "x"})
	l := &testLayer{kind: Throttle}
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		resp, err := next(h)
		if err == nil && resp.StatusCode == 503 {
			resp.Body.Close()
			return h.Again()
		}
		return resp, err
	}
	c := attached(t, web, l)
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Errorf("Visit = %v, want the second answer", err)
	}
	wantHits(t, web, "GET http://shop.test/", "GET http://shop.test/")
}

func TestARedirectFromTheWebIntoAFileIsRefused(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "file:///a.html"})
	base := web.Transport()
	base.RegisterProtocol("file", http.NewFileTransport(http.Dir(t.TempDir())))
	c := colly.NewCollector()
	mustAttach(t, c, Config{Base: base, Schemes: []string{"file"}}, refuser())
	wantRefusal(t, c.Visit("http://shop.test/go"), report.Bypassed)
}

func TestAPartThatCannotBeMadeLeavesTheCollectorSendingNothing(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	fault := errors.New("part: Options.Delay -3s is negative")
	c := colly.NewCollector()
	if err := Fail(c, Robots, fault); err != fault {
		t.Errorf("Fail = %v, want its error back", err)
	}
	if err := c.Visit("http://127.0.0.1:1/"); !errors.Is(err, fault) {
		t.Errorf("Visit = %v, want the fault", err)
	}
	mustAttach(t, c, Config{Base: web.Transport()}, refuser()) // mended: attached anew
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Errorf("Visit after a good Attach = %v, want nil", err)
	}
}

func TestDelHeaderKnowsEverySpelling(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	l := &testLayer{kind: Identity}
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		h.DelHeader("X-Secret")
		return next(h)
	}
	rt := Transport(web.Transport(), Config{}, l)
	req, err := http.NewRequest(http.MethodGet, "http://shop.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"x-secret": {"1"}, "X-Secret": {"2"}, "X-Other": {"3"}}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := web.Hits()[0].Header; got.Get("X-Secret") != "" || got.Get("X-Other") != "3" || len(req.Header) != 3 {
		t.Errorf("sent %v, the given header is %v", got, req.Header)
	}
}
