package identity

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/extensions"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func memory(t *testing.T) *testweb.Web {
	web := testweb.NewMemory()
	t.Cleanup(web.Close)
	return web
}

// attached is a collector on web that says who it is.
func attached(t *testing.T, web *testweb.Web, o Options) (*colly.Collector, *Identity) {
	t.Helper()
	o.Base = web.Transport()
	id := mustNew(t, o)
	c := colly.NewCollector()
	if err := id.Attach(c); err != nil {
		t.Fatalf("Attach = %v, want nil", err)
	}
	return c, id
}

// wantNames compares the User-Agent and From of all hits, "user agent|from".
func wantNames(t *testing.T, web *testweb.Web, want ...string) {
	t.Helper()
	var got []string
	for _, h := range web.Hits() {
		got = append(got, strings.Join(h.Header["User-Agent"], "+")+"|"+strings.Join(h.Header["From"], "+"))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the server saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func wantRefused(t *testing.T, err error, code string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Problem.Code != code {
		t.Errorf("got %v, want an *identity.Error with code %s", err, code)
		return
	}
	if got := e.Skip(); got.Reason != report.Identity || !strings.Contains(got.Detail, code) {
		t.Errorf("Skip() = %+v, want reason identity and %s in its detail", got, code)
	}
}

const goodNames = good + "|c@acme.dev"

func TestEveryWayToMakeARequestCarriesTheIdentity(t *testing.T) {
	web := memory(t)
	web.Host("shop.test").Page("/*", "")
	c, id := attached(t, web, Options{UserAgent: good})
	for name, do := range map[string]func() error{
		"Visit":         func() error { return c.Visit("http://shop.test/a") },
		"Request":       func() error { return c.Request("GET", "http://shop.test/b", nil, nil, http.Header{}) },
		"Post":          func() error { return c.Post("http://shop.test/c", map[string]string{"a": "b"}) },
		"PostMultipart": func() error { return c.PostMultipart("http://shop.test/d", map[string][]byte{"a": []byte("b")}) },
		"Head":          func() error { return c.Head("http://shop.test/e") },
		"a clone":       func() error { return c.Clone().Visit("http://shop.test/f") },
		"a plain client": func() error {
			resp, err := (&http.Client{Transport: id.Transport(web.Transport())}).Get("http://shop.test/g")
			if err == nil {
				resp.Body.Close()
			}
			return err
		},
	} {
		web.Reset()
		if err := do(); err != nil {
			t.Errorf("%s = %v, want nil", name, err)
		}
		wantNames(t, web, goodNames)
	}
	if got, want := id.Overwritten(), int64(0); got != want {
		t.Errorf("Overwritten() = %d, want %d", got, want)
	}
}

func TestBothHopsOfARedirectCarryTheIdentity(t *testing.T) {
	web := memory(t)
	web.Host("a.test").Answer("/", testweb.Answer{Redirect: "https://b.test/"})
	web.Host("b.test").Page("/", "")
	c, _ := attached(t, web, Options{UserAgent: good})
	if err := c.Visit("http://a.test/"); err != nil {
		t.Fatal(err)
	}
	wantNames(t, web, goodNames, goodNames)
}

func TestTheDeclaredHeaderGoesOutWhateverACallbackSet(t *testing.T) {
	for name, set := range map[string]func(h http.Header){
		"a browser's":  func(h http.Header) { h.Set("User-Agent", chrome) },
		"none":         func(h http.Header) { h.Set("User-Agent", "") },
		"no value":     func(h http.Header) { h["User-Agent"] = nil },
		"two":          func(h http.Header) { h.Add("User-Agent", "OtherBot/1.0") },
		"odd spelling": func(h http.Header) { h["user-agent"] = []string{chrome} },
		"From":         func(h http.Header) { h.Set("From", "x@other.dev") },
		"empty From":   func(h http.Header) { h.Set("From", "") },
		"odd From":     func(h http.Header) { h["FROM"] = []string{"x@other.dev"} },
	} {
		web := memory(t)
		web.Host("shop.test").Page("/*", "")
		logger, lines := quiet()
		c, id := attached(t, web, Options{UserAgent: good, Logger: logger})
		c.OnRequest(func(r *colly.Request) { set(*r.Headers) })
		for _, u := range []string{"http://shop.test/a", "http://shop.test/b"} {
			if err := c.Visit(u); err != nil {
				t.Errorf("%s: Visit(%s) = %v, want nil", name, u, err)
			}
		}
		wantNames(t, web, goodNames, goodNames)
		if got, want := id.Overwritten(), int64(2); got != want {
			t.Errorf("%s: Overwritten() = %d, want %d", name, got, want)
		}
		if got, want := strings.Count(lines.String(), "level=WARN"), 1; got != want {
			t.Errorf("%s: %d warnings, want %d: %s", name, got, want, lines)
		}
	}
}

func TestAFromThatNobodyDeclaredDoesNotGoOut(t *testing.T) {
	web := memory(t)
	web.Host("shop.test").Page("/", "")
	c, _ := attached(t, web, Options{UserAgent: good, NoFrom: true})
	c.OnRequest(func(r *colly.Request) { r.Headers.Set("From", "x@other.dev") })
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Fatal(err)
	}
	wantNames(t, web, good+"|")
}

func TestTheWarningNamesTheLikelyCauseOncePerCollector(t *testing.T) {
	web := memory(t)
	web.Host("shop.test").Page("/*", "")
	logger, lines := quiet()
	c, id := attached(t, web, Options{UserAgent: good, Logger: logger})
	extensions.RandomUserAgent(c)
	second := colly.NewCollector()
	if err := id.Attach(second); err != nil {
		t.Fatal(err)
	}
	extensions.RandomUserAgent(second)
	for _, path := range []string{"a", "b", "c"} {
		_ = c.Visit("http://shop.test/" + path)
		_ = second.Visit("http://shop.test/2" + path)
	}
	if got, want := strings.Count(lines.String(), "extensions.RandomUserAgent"), 2; got != want {
		t.Errorf("%d warnings name the extension, want %d: %s", got, want, lines)
	}
}

func TestAUserAgentSetAfterAttachIsOverwritten(t *testing.T) {
	web := memory(t)
	web.Host("shop.test").Page("/*", "")
	c, _ := attached(t, web, Options{UserAgent: good})
	c.UserAgent = "OtherBot/1.0"
	_ = c.Visit("http://shop.test/a")
	c.UserAgent = ""
	_ = c.Visit("http://shop.test/b")
	wantNames(t, web, goodNames, goodNames)
}

func TestRefuseSendsNothingUnderAnotherName(t *testing.T) {
	for name, tt := range map[string]struct {
		set  func(h http.Header)
		code string
	}{
		"a browser's":  {func(h http.Header) { h.Set("User-Agent", chrome) }, CodeMismatch},
		"empty":        {func(h http.Header) { h.Set("User-Agent", "") }, CodeEmpty},
		"no value":     {func(h http.Header) { h["User-Agent"] = nil }, CodeEmpty},
		"two":          {func(h http.Header) { h.Add("User-Agent", "OtherBot/1.0") }, CodeMismatch},
		"odd spelling": {func(h http.Header) { h["user-agent"] = []string{chrome} }, CodeMismatch},
		"From":         {func(h http.Header) { h.Set("From", "x@other.dev") }, CodeMismatch},
		"missing":      {func(h http.Header) { delete(h, "User-Agent"); delete(h, "From") }, ""},
	} {
		web := memory(t)
		web.Host("shop.test").Page("/", "")
		rep := &report.Report{}
		c, _ := attached(t, web, Options{UserAgent: good, Mode: Refuse, Report: rep})
		c.OnRequest(func(r *colly.Request) { set := tt.set; set(*r.Headers) })
		var onError error
		c.OnError(func(_ *colly.Response, err error) { onError = err })
		err := c.Visit("http://shop.test/")
		if tt.code == "" {
			if err != nil {
				t.Errorf("%s: Visit = %v, want nil", name, err)
			}
			wantNames(t, web, goodNames)
			continue
		}
		wantRefused(t, err, tt.code)
		wantRefused(t, onError, tt.code)
		wantNames(t, web)
		if got := rep.Skips(); len(got) != 1 || got[0].Reason != report.Identity || got[0].URL != "http://shop.test/" || got[0].Host != "shop.test" {
			t.Errorf("%s: skips %+v, want one for http://shop.test/ with reason identity", name, got)
		}
	}
}

func TestAPlaceholderDoesNotGoOutIntoTheWorld(t *testing.T) {
	web := memory(t)
	for _, h := range []string{"shop.dev", "shop.test", "127.0.0.1"} {
		web.Host(h).Page("/*", "")
	}
	web.Host("shop.test").Answer("/away", testweb.Answer{Redirect: "http://shop.dev/there"})
	c, _ := attached(t, web, Options{UserAgent: "AcmeBot/1.0 (+https://example.com/bot)"})
	wantRefused(t, c.Visit("http://shop.dev/"), CodeReserved)
	wantRefused(t, c.Visit("http://shop.test/away"), CodeReserved)
	if err := c.Visit("http://shop.test/"); err != nil {
		t.Errorf("Visit of a .test name = %v, want nil", err)
	}
	if err := c.Visit("http://127.0.0.1/"); err != nil {
		t.Errorf("Visit of loopback = %v, want nil", err)
	}
	wantRefused(t, c.Request("GET", "http://shop.dev/b", nil, nil, http.Header{"Host": {"shop.test"}}), CodeReserved)
	wantRefused(t, c.Request("GET", "http://shop.test/b", nil, nil, http.Header{"Host": {"shop.dev"}}), CodeReserved)
	if got, want := strings.Join(web.Log(), " "), "GET http://shop.test/away GET http://shop.test/ GET http://127.0.0.1/"; got != want {
		t.Errorf("the server saw %q, want %q", got, want)
	}
}

func TestASingleHostMayAskForAFormOfItsOwn(t *testing.T) {
	web := memory(t)
	for _, h := range []string{"a.test", "sec.test", "shop.test"} {
		web.Host(h).Page("/", "")
	}
	web.Host("a.test").Answer("/away", testweb.Answer{Redirect: "http://shop.test/"})
	for _, mode := range []Mode{Overwrite, Refuse} {
		web.Reset()
		c, id := attached(t, web, Options{UserAgent: good, Mode: mode, TokenOptional: []string{"SEC.test"},
			PerHost: map[string]string{"A.test": "AcmeBot/1.2 (c@acme.dev)", "sec.test": "Acme Research crawl@acme.dev"}})
		for _, u := range []string{"http://a.test/", "http://sec.test/", "http://shop.test/"} {
			if err := c.Visit(u); err != nil {
				t.Errorf("Visit(%s) = %v, want nil", u, err)
			}
		}
		c.AllowURLRevisit = true
		if err := c.Visit("http://a.test/away"); err != nil {
			t.Errorf("Visit(a.test/away) = %v, want nil", err)
		}
		a, sec := "AcmeBot/1.2 (c@acme.dev)|c@acme.dev", "Acme Research crawl@acme.dev|c@acme.dev"
		wantNames(t, web, a, sec, goodNames, a, goodNames)
		if got, want := id.Overwritten(), int64(0); got != want {
			t.Errorf("Overwritten() = %d, want %d", got, want)
		}
	}
}

// robotsLayer stands for collyrobots: it fetches robots.txt before the first page and looks at the token.
type robotsLayer struct {
	chain.Teller
	once   sync.Once
	tokens []string
}

func (l *robotsLayer) Kind() chain.Kind { return chain.Robots }

func (l *robotsLayer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if h.IsRobots() {
		return next(h)
	}
	l.once.Do(func() {
		req, _ := http.NewRequestWithContext(h.Context(), "GET", h.URL().Scheme+"://"+h.URL().Host+"/robots.txt", nil)
		req.Header.Set("User-Agent", "robots layer's own")
		if resp, err := h.Chain().Fetch(req); err == nil {
			resp.Body.Close()
		}
	})
	l.tokens = append(l.tokens, h.ProductToken())
	return next(h)
}

func TestRobotsTakesItsTokenFromTheIdentityInEitherOrder(t *testing.T) {
	for _, identityFirst := range []bool{true, false} {
		web := memory(t)
		web.Host("shop.test").Page("/", "").Robots("")
		id := mustNew(t, Options{UserAgent: "Mozilla/5.0 (compatible; AcmeBot/1.2; +https://bot.acme.dev/c)", Mode: Refuse, Base: web.Transport()})
		robots := &robotsLayer{}
		c := colly.NewCollector()
		attach := []func() error{func() error { return id.Attach(c) }, func() error { _, err := chain.Attach(c, chain.Config{}, robots); return err }}
		if !identityFirst {
			attach[0], attach[1] = attach[1], attach[0]
		}
		for _, a := range attach {
			if err := a(); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(robots.tokens, " "), "AcmeBot"; got != want {
			t.Errorf("identity first %v: token %q, want %q", identityFirst, got, want)
		}
		wantNames(t, web, id.UserAgent()+"|", id.UserAgent()+"|") // robots.txt goes out under the same name
	}
}

func TestABrowserLikeHostGetsTheProgramsHeaderAndTheRestStays(t *testing.T) {
	for _, mode := range []Mode{Overwrite, Refuse} {
		web := memory(t)
		web.Host("old.test").Page("/*", "").Robots("")
		web.Host("shop.test").Page("/*", "")
		c, id := attached(t, web, Options{UserAgent: good, Mode: mode, BrowserLike: map[string]string{"old.test": "answers 403 to others"}})
		robots := &robotsLayer{}
		if _, err := chain.Attach(c, chain.Config{}, robots); err != nil {
			t.Fatal(err)
		}
		agent := chrome
		c.OnRequest(func(r *colly.Request) {
			if r.URL.Host == "old.test" {
				r.Headers.Set("User-Agent", agent)
			}
		})
		_ = c.Visit("http://old.test/a")
		agent = ""
		_ = c.Visit("http://old.test/b")
		_ = c.Visit("http://shop.test/")
		wantNames(t, web, chrome+"|c@acme.dev", chrome+"|c@acme.dev", goodNames, goodNames)
		if got, want := strings.Join(robots.tokens, " "), "AcmeBot AcmeBot AcmeBot"; got != want {
			t.Errorf("tokens %q, want %q", got, want)
		}
		for _, h := range web.Hits() {
			u, _ := http.NewRequest("GET", h.URL(), nil)
			reason, like := id.BrowserLike(u.URL)
			slower := chain.Of(c).Layer(chain.Identity).(interface{ Slower(u *url.URL) bool }).Slower(u.URL)
			if want := h.Host == "old.test"; like != want || slower != want || id.Slower(u.URL) != want || (reason != "") != want {
				t.Errorf("%s: BrowserLike %v (%q), Slower %v, want %v", h.Host, like, reason, slower, want)
			}
		}
	}
}
