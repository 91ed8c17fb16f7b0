package identity

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/extensions"

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
