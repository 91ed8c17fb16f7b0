package chain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// The traps of Colly 2.3.0 that touch the chain, each by its name.

func TestTrapAbortInOnRequestIsSilent(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	l.admits = true
	c := attached(t, web, l)
	onError := 0
	c.OnError(func(*colly.Response, error) { onError++ })
	if err := c.Visit("http://shop.test/private"); err != nil || onError != 0 {
		t.Errorf("Visit = %v with %d OnError, want a silent skip", err, onError)
	}
	if got := l.told(); len(got) != 1 || !got[0].request || got[0].skip.URL != "http://shop.test/private" || got[0].skip.Method != "GET" || got[0].skip.Host != "shop.test" {
		t.Errorf("told %+v: the skip must not be silent", got)
	}
}

func TestTrapAnAbortOfSomebodyElseIsNotOurs(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	l.admits = true
	c := colly.NewCollector()
	c.OnRequest(func(r *colly.Request) { r.Abort() }) // before Attach, so it runs first
	mustAttach(t, c, Config{Base: web.Transport()}, l)
	_ = c.Visit("http://shop.test/private")
	if got := l.told(); len(got) != 0 {
		t.Errorf("told %v, want nothing: the user aborted it", got)
	}
}

func TestTrapALaterAbortLeavesNothingBehind(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	c := attached(t, web, refuser())
	c.OnRequest(func(r *colly.Request) { r.Abort() })
	for i := range 100 {
		_ = c.Visit(fmt.Sprintf("http://shop.test/%d", i))
	}
	if ch := Of(c); ch.flying.Load() != 0 || len(web.Hits()) != 0 {
		t.Errorf("%d in flight, server saw %q", ch.flying.Load(), web.Log())
	}
}

func TestTrapRedirectHopsAreOutsideEveryRequestCallback(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "http://other.test/private"})
	l := refuser()
	c := attached(t, web, l)
	err := c.Visit("http://shop.test/go")
	wantRefusal(t, err, report.RobotsDisallowed)
	wantHits(t, web, "GET http://shop.test/go")
	if got := l.told(); len(got) != 1 || got[0].skip.Referrer != "http://shop.test/go" || got[0].skip.Host != "other.test" {
		t.Errorf("told %+v, want the hop with its referrer", got)
	}
}

func TestTrapHEADIsCheckedToo(t *testing.T) {
	web := memoryWeb(t)
	c := attached(t, web, refuser())
	wantRefusal(t, c.Head("http://shop.test/private"), report.RobotsDisallowed)
	wantHits(t, web)
}

func TestTrapAPOSTThatWasNotSentIsAnError(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	l.admits = true
	c := attached(t, web, l)
	wantRefusal(t, c.Post("http://shop.test/private", map[string]string{"user": "ann"}), report.RobotsDisallowed)
	wantHits(t, web)
}

func TestTrapCancellingTheContextEndsEveryWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		ctx, cancel := context.WithCancel(context.Background())
		c := colly.NewCollector(colly.StdlibContext(ctx), colly.Async())
		mustAttach(t, c, Config{Base: web.Transport()}, waiter(time.Hour))
		for i := range 50 {
			_ = c.Visit(fmt.Sprintf("http://shop.test/%d", i))
		}
		start := time.Now()
		time.AfterFunc(time.Second, cancel)
		c.Wait()
		if got := time.Since(start); got != time.Second || len(web.Hits()) != 0 {
			t.Errorf("Wait returned after %s with %d hits, want 1s and none", got, len(web.Hits()))
		}
	})
}

func TestTrapTheClientsTimeoutRunsWhileARequestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := testweb.NewMemory()
		defer web.Close()
		web.Host("shop.test").Page("/", "x")
		c := attached(t, web, waiter(time.Hour)) // the default timeout is 10 s
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Errorf("Visit after a wait of 1h = %v, want nil", err)
		}
	})
}

func TestTrapCloneCopiesNoCallbacks(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	l := refuser()
	l.admits = true
	c := attached(t, web, l)
	plain := c.Clone()
	wantRefusal(t, plain.Visit("http://shop.test/private"), report.RobotsDisallowed) // judged on the wire
	whole, err := Clone(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Visit("http://shop.test/private2"); err != nil {
		t.Errorf("Visit on Clone = %v, want a skip", err)
	}
	got := l.told()
	if len(got) != 2 || got[0].request || !got[1].request {
		t.Errorf("told %+v, want the plain clone's without and the other with its *colly.Request", got)
	}
	wantHits(t, web)
}

func TestTrapContextIsCopiedAtCloneTimeOnly(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	c := attached(t, web, refuser())
	before := c.Clone()
	ctx, cancel := context.WithCancel(context.Background())
	if err := SetContext(c, ctx); err != nil {
		t.Fatal(err)
	}
	after := c.Clone()
	cancel()
	if err := before.Visit("http://shop.test/1"); err != nil {
		t.Errorf("clone made before = %v, want it to go on", err)
	}
	if err := after.Visit("http://shop.test/2"); !errors.Is(err, context.Canceled) {
		t.Errorf("clone made after = %v, want context.Canceled", err)
	}
}

func TestTrapOneRedirectHandlerSlotIsTheUsers(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "/end"}).Page("/end", "x")
	c := attached(t, web, refuser())
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	status := 0
	c.OnError(func(r *colly.Response, _ error) { status = r.StatusCode })
	_ = c.Visit("http://shop.test/go")
	if status != http.StatusFound {
		t.Errorf("status %d, want the redirect itself, 302", status)
	}
	wantHits(t, web, "GET http://shop.test/go")
}

func TestTrapTheHeaderMapOfARequestIsNotCopied(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	l := &testLayer{kind: Identity}
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		h.SetHeader("User-Agent", "DeclaredBot/1.0")
		h.SetHeader("From", "bot@shop.test")
		return next(h)
	}
	c := attached(t, web, l)
	given := http.Header{"Accept-Language": {"en"}}
	if err := c.Request(http.MethodGet, "http://shop.test/1", nil, nil, given); err != nil {
		t.Fatal(err)
	}
	if given.Get("From") != "" || given.Get("User-Agent") == "DeclaredBot/1.0" {
		t.Errorf("the caller's map is now %v: a layer wrote into it", given)
	}
	if got := web.Hits()[0].Header; got.Get("From") != "bot@shop.test" || got.Get("User-Agent") != "DeclaredBot/1.0" {
		t.Errorf("sent %v, want the layer's headers", got)
	}
}

func TestTrapTheQueueDropsTheErrorOfDo(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	c := attached(t, web, l)
	q, err := queue.New(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = q.AddURL("http://shop.test/private")
	_ = q.Run(c)
	if got := l.told(); len(got) != 1 {
		t.Errorf("told %v, want the refusal although the queue drops it", got)
	}
}

func TestTrapA429FromTheCacheIsNoHop(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/", testweb.Answer{Status: 429})
	l := refuser()
	c := attached(t, web, l)
	c.CacheDir, c.AllowURLRevisit = t.TempDir(), true
	var fromCache []bool
	c.OnResponseHeaders(func(r *colly.Response) { fromCache = append(fromCache, FromCache(r.Request.URL)) })
	for range 2 {
		_ = c.Visit("http://shop.test/")
	}
	wantHits(t, web, "GET http://shop.test/")
	if len(l.hops) != 1 || len(fromCache) != 2 || fromCache[0] || !fromCache[1] {
		t.Errorf("%d hops, from the cache %v; want one hop, then an answer that is known to be from the cache", len(l.hops), fromCache)
	}
}

func TestTrapABrokenCacheFilePanicsInCollyAndLeavesNothingBehind(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	c := attached(t, web, refuser())
	c.CacheDir, c.AllowURLRevisit = t.TempDir(), true
	_ = c.Visit("http://shop.test/")
	err := filepath.Walk(c.CacheDir, func(p string, i os.FileInfo, err error) error {
		if err != nil || i.IsDir() {
			return err
		}
		return os.WriteFile(p, nil, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }() // it is Colly's
		_ = c.Visit("http://shop.test/")
	}()
	if got := Of(c).flying.Load(); got != 0 {
		t.Errorf("%d in flight, want 0", got)
	}
}

func TestTrapRetryAfterARedirectAsksTheTarget(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Answer("/start", testweb.Answer{Redirect: "/end"}).Answer("/end", testweb.Answer{Status: 503}, testweb.Answer{Body: "x"})
	c := attached(t, web, refuser())
	c.OnError(func(r *colly.Response, _ error) { _ = r.Request.Retry() })
	_ = c.Visit("http://shop.test/start")
	wantHits(t, web, "GET http://shop.test/start", "GET http://shop.test/end", "GET http://shop.test/end")
}

func TestTrapTheHostHeaderIsWhatIsJudged(t *testing.T) {
	web := memoryWeb(t)
	web.Host("private.test").Page("/", "x")
	l := refuser()
	c := attached(t, web, l)
	err := c.Request(http.MethodGet, "http://shop.test/", nil, nil, http.Header{"Host": {"private.test"}})
	wantRefusal(t, err, report.RobotsDisallowed)
	wantHits(t, web)
}

// The stated limits. Each is shown here, so that the documentation can be checked against it.

func TestLimitAPlainCloneWithContextAndTransportReplaced(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	c := attached(t, web, refuser())
	clone := c.Clone()
	clone.Context = context.Background()
	clone.WithTransport(web.Transport())
	_ = clone.Visit("http://shop.test/")
	wantHits(t, web, "GET http://shop.test/")
}

func TestLimitACloneOlderThanAttachWithAReplacedTransport(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	c := colly.NewCollector()
	clone := c.Clone()
	mustAttach(t, c, Config{Base: web.Transport()}, refuser())
	if err := clone.Visit("http://shop.test/"); !errors.Is(err, ErrBypassed) {
		t.Errorf("Visit of an older clone = %v, want ErrBypassed", err)
	}
	clone.WithTransport(web.Transport())
	_ = clone.Visit("http://shop.test/2")
	wantHits(t, web, "GET http://shop.test/2")
}

func TestLimitATransportThatIgnoresContextsOnAPlainClone(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	c := attached(t, web, refuser())
	careless := roundTripper(func(r *http.Request) (*http.Response, error) {
		return web.Transport().RoundTrip(r.WithContext(context.Background()))
	})
	c.WithTransport(careless)
	_ = c.Visit("http://shop.test/")
	wantHits(t, web) // the collector itself notices
	_ = c.Clone().Visit("http://shop.test/clone")
	wantHits(t, web, "GET http://shop.test/clone")
}

func TestLimitCollysOwnRobotsCheckWithAReplacedClient(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/", "x")
	c := attached(t, web, refuser())
	c.IgnoreRobotsTxt = false
	c.SetClient(&http.Client{Transport: web.Transport()})
	_ = c.Visit("http://shop.test/")
	wantHits(t, web, "GET http://shop.test/robots.txt")
}

func TestLimitTheCollectorsContextLooksEnded(t *testing.T) {
	web := memoryWeb(t)
	c := attached(t, web, refuser())
	if !errors.Is(c.Context.Err(), ErrBypassed) {
		t.Errorf("c.Context.Err() = %v, want ErrBypassed", c.Context.Err())
	}
}

func TestInitAfterAttachIsNoticed(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	c := attached(t, web, l)
	c.Init()
	c.WithTransport(web.Transport())
	_ = c.Visit("http://shop.test/")
	wantHits(t, web)
	if got := l.told(); len(got) != 1 || got[0].skip.Reason != report.Bypassed {
		t.Errorf("told %+v, want bypassed", got)
	}
}

func TestAppengineAfterAttachIsNoticed(t *testing.T) {
	web := memoryWeb(t)
	l := refuser()
	c := attached(t, web, l)
	c.Appengine(context.Background())
	err := c.Visit("http://shop.test/")
	if got := l.told(); len(got) != 1 || got[0].skip.Reason != report.Bypassed {
		t.Errorf("Visit = %v, told %+v, want bypassed", err, got)
	}
	wantHits(t, web)
}

func TestProxiesOfTheUserAreNotLostInSilence(t *testing.T) {
	c := colly.NewCollector()
	c.SetProxyFunc(func(*http.Request) (*url.URL, error) { return nil, nil })
	if _, err := Attach(c, Config{}, refuser()); err == nil {
		t.Fatal("Attach = nil, want an error that says where SetProxyFunc goes")
	}
	// Moved below Attach, as the error says, on a fresh collector it works.
	d := colly.NewCollector()
	mustAttach(t, d, Config{}, refuser())
	d.SetProxyFunc(func(*http.Request) (*url.URL, error) { return nil, errors.New("the user's proxy function") })
	if err := d.Visit("http://127.0.0.1:1/"); err == nil || !errorsContain(err, "the user's proxy function") {
		t.Errorf("Visit = %v, want the proxy function to have been asked", err)
	}
}
