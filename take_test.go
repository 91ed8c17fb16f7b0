package etiquette_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

func takes(rules ...etiquette.Take) func(*etiquette.Policy) {
	return func(p *etiquette.Policy) { p.Take = rules }
}

// answerOf is an answer with a type.
func answerOf(contentType, body string) testweb.Answer {
	return testweb.Answer{Header: http.Header{"Content-Type": {contentType}}, Body: body}
}

func TestWhatIsTakenIsJudgedByTheHeaders(t *testing.T) {
	png := "\x89PNG\x0D\x0A\x1A\x0A" + strings.Repeat("x", 600)
	html := etiquette.Take{Types: []string{"text/html", "application/*+json", "application/xml"}, Bytes: 1000}
	html.Types = []string{"text/html", "application/xml", "font/*"}
	for _, x := range []struct {
		name   string
		rule   etiquette.Take
		answer testweb.Answer
		taken  bool
	}{
		{"a type that is named", html, answerOf("text/html", "<p>"), true},
		{"with parameters, in capitals", html, answerOf("Text/HTML; charset=utf-8", "<p>"), true},
		{"a family", html, answerOf("font/woff2", "f"), true},
		{"another type", html, answerOf("image/png", png), false},
		{"a type that only begins alike", html, answerOf("text/html-sandboxed", "<p>"), false},
		{"no type, looks like one that is named", html, testweb.Answer{Header: http.Header{"Content-Type": nil}, Body: "<!DOCTYPE html><title>x</title>"}, true},
		{"no type, looks like another", html, testweb.Answer{Header: http.Header{"Content-Type": nil}, Body: png}, false},
		{"an empty type", html, answerOf("", png), false},
		{"a type that is none", html, answerOf("picture", png), false},
		{"no type and no body", html, testweb.Answer{Header: http.Header{"Content-Type": nil}}, true},
		{"the most bytes", html, answerOf("text/html", strings.Repeat("x", 1000)), true},
		{"one more", html, answerOf("text/html", strings.Repeat("x", 1001)), false},
		{"no types: every type", etiquette.Take{Bytes: 1000}, answerOf("image/png", png), true},
		{"all types: every type", etiquette.Take{Types: []string{"*/*"}}, answerOf("image/png", png), true},
		{"no bytes: every size", etiquette.Take{Types: []string{"image/*"}}, answerOf("image/png", strings.Repeat("x", 100_000)), true},
		{"nothing said: everything", etiquette.Take{}, answerOf("video/mp4", strings.Repeat("x", 100_000)), true},
	} {
		t.Run(x.name, func(t *testing.T) {
			inMemory(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Answer("/a", x.answer)
				var told told
				g := newGuard(t, web, takes(x.rule), func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
				c := guarded(t, g)
				var body string
				c.OnResponse(func(r *colly.Response) { body = string(r.Body) })
				err := c.Visit("http://shop.test/a")
				if x.taken {
					if err != nil || body != x.answer.Body || len(told.all()) != 0 {
						t.Errorf("Visit = %v with a body of %d bytes, %d skips, want the whole body of %d", err, len(body), len(told.all()), len(x.answer.Body))
					}
					return
				}
				var unwanted *etiquette.UnwantedError
				if !errors.As(err, &unwanted) || !errors.Is(err, etiquette.ErrUnwanted) || unwanted.URL != "http://shop.test/a" || body != "" {
					t.Errorf("Visit = %v with a body of %d bytes, want an *UnwantedError", err, len(body))
				}
				if diff := cmp.Diff([]report.Reason{report.Unwanted}, told.reasons()); diff != "" || told.known != 1 {
					t.Errorf("skips (-want +got):\n%s, %d with their request", diff, told.known)
				}
			})
		})
	}
}

func TestOnlyContentIsJudged(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\n").
			Answer("/moved", testweb.Answer{Redirect: "/data", Header: http.Header{"Content-Type": {"text/html"}}, Body: "moved"}).
			Answer("/data", answerOf("application/json", "{}")).
			Answer("/gone", testweb.Answer{Status: 404, Header: http.Header{"Content-Type": {"text/html"}}, Body: "gone"}).
			Answer("/slow", testweb.Answer{Status: 503, Header: http.Header{"Content-Type": {"text/html"}}, Body: "slow down"})
		g := newGuard(t, web, takes(etiquette.Take{Types: []string{"application/json"}}))
		c := guarded(t, g)
		var statuses []int
		c.OnResponse(func(r *colly.Response) { statuses = append(statuses, r.StatusCode) })
		c.OnError(func(r *colly.Response, _ error) { statuses = append(statuses, r.StatusCode) })
		for _, path := range []string{"/moved", "/gone", "/slow"} {
			_ = c.Visit("http://shop.test" + path)
		}
		if diff := cmp.Diff([]int{200, 404, 503}, statuses); diff != "" {
			t.Errorf("statuses that the handlers saw (-want +got):\n%s", diff)
		}
		if err := c.Visit("http://shop.test/private/x"); err != nil { // the rules were read, although they are text/plain: a skip
			t.Errorf("Visit of a disallowed page = %v, want a skip", err)
		}
		if web.Count("GET http://shop.test/private/x") != 0 {
			t.Error("robots.txt was judged as a page and its rules lost")
		}
		if level, ok := g.Throttle.Snapshot("shop.test"); !ok || level.Level == 0 {
			t.Errorf("the throttle did not see the 503: %+v", level)
		}
	})
}

func TestTheTargetOfARedirectIsToldWithItsReferrer(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/go", testweb.Answer{Redirect: "http://cdn.test/film"})
		web.Host("cdn.test").Answer("/film", answerOf("video/mp4", "film")).Answer("/clip", answerOf("video/mp4", "clip"))
		var told told
		g := newGuard(t, web, takes(etiquette.Take{DomainGlob: "cdn.test", Types: []string{"text/html"}}), func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
		c := guarded(t, g)
		_ = c.Visit("http://shop.test/go")
		_ = c.Request("GET", "http://cdn.test/clip", nil, nil, http.Header{"Referer": {"http://shop.test/list"}})
		var got []string
		for _, s := range told.all() {
			got = append(got, s.URL+" from "+s.Referrer)
		}
		if diff := cmp.Diff([]string{"http://cdn.test/film from http://shop.test/go", "http://cdn.test/clip from http://shop.test/list"}, got); diff != "" {
			t.Errorf("skips (-want +got):\n%s", diff)
		}
	})
}

// stream hands out so many bytes without saying how many, and counts those that somebody took.
func stream(contentType string, bytes int64, took *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		piece := make([]byte, 16<<10)
		for sent := int64(0); sent < bytes; sent += int64(len(piece)) {
			if _, err := w.Write(piece); err != nil {
				return
			}
			took.Add(int64(len(piece)))
			if r.Context().Err() != nil {
				return
			}
		}
	}
}

func TestTheTransferOfWhatIsUnwantedIsBrokenOff(t *testing.T) {
	const film = 64 << 20
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		var byType, bySize, byHead atomic.Int64
		web.Host("cdn.test").Handle("/film", stream("video/mp4", film, &byType)).Handle("/page", stream("text/html", film, &bySize)).
			Handle("/plain", stream("video/mp4", film, &byHead)).Page("/next", "x")
		var told told
		g := newGuard(t, web, takes(etiquette.Take{Types: []string{"text/html"}, Bytes: 100_000}), func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
		c := guarded(t, g)
		c.MaxBodySize = 0
		var got []byte
		c.OnResponse(func(r *colly.Response) { got = r.Body })
		for _, path := range []string{"/film", "/page"} {
			if err := c.Visit("http://cdn.test" + path); !errors.Is(err, etiquette.ErrUnwanted) {
				t.Errorf("Visit(%q) = %v with %d bytes, want ErrUnwanted", path, err, len(got))
			}
		}
		resp, err := (&http.Client{Transport: g.Transport(nil)}).Get("http://cdn.test/plain")
		if !errors.Is(err, etiquette.ErrUnwanted) {
			t.Errorf("a plain client's Get = %v, %v, want ErrUnwanted", resp, err)
		}
		visit(t, c, "http://cdn.test/next") // the turn of each has ended
		for name, took := range map[string]*atomic.Int64{"by type": &byType, "by size": &bySize, "plain client": &byHead} {
			if n := took.Load(); n > 2<<20 {
				t.Errorf("%s: %d of %d bytes were taken, want the transfer broken off", name, n, film)
			}
		}
		if got, want := g.Throttle.Stats().InFlight, 0; got != want {
			t.Errorf("%d requests are still under way", got)
		}
		if diff := cmp.Diff([]report.Reason{report.Unwanted, report.Unwanted, report.Unwanted}, told.reasons()); diff != "" || told.known != 2 {
			t.Errorf("skips (-want +got):\n%s%d with their request, want the 2 of the collector", diff, told.known)
		}
		wantGaps(t, web, "cdn.test", time.Second)
		// Asked again, nothing is sent.
		before := len(web.Hits())
		c.AllowURLRevisit = true
		visit(t, c, "http://cdn.test/film", "http://cdn.test/page")
		if n := len(web.Hits()) - before; n != 0 {
			t.Errorf("%d requests for what is known to be unwanted", n)
		}
	})
}

func TestTheTransferIsBrokenOffOnARealConnection(t *testing.T) {
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	const film = 256 << 20
	var took atomic.Int64
	web.Host("cdn.test").Handle("/film", stream("video/mp4", film, &took))
	g := newGuard(t, web, takes(etiquette.Take{Types: []string{"text/html"}}), func(p *etiquette.Policy) {
		p.Pace = []throttle.LimitRule{{Delay: throttle.NoDelay}}
	})
	if err := guarded(t, g).Visit("http://cdn.test/film"); !errors.Is(err, etiquette.ErrUnwanted) {
		t.Errorf("Visit = %v, want ErrUnwanted", err)
	}
	web.Close()                       // waits for the handler
	if n := took.Load(); n > film/4 { // what the sockets hold
		t.Errorf("%d of %d bytes were taken, want the transfer broken off", n, film)
	}
}

func TestABodyIsCutAtTheMostBytesAndNotBefore(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		var took atomic.Int64
		for path, n := range map[string]int64{"/exact": 32 << 10, "/more": 48 << 10} {
			web.Host("cdn.test").Handle(path, stream("text/html", n, &took))
		}
		web.Host("cdn.test").Handle("/gone", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			stream("text/html", 48<<10, &took)(w, r)
		})
		var told told
		g := newGuard(t, web, takes(etiquette.Take{Bytes: 32 << 10}), func(p *etiquette.Policy) { p.OnSkip = told.onSkip })
		client := &http.Client{Transport: g.Transport(nil)}
		for path, wantErr := range map[string]bool{"/exact": false, "/more": true, "/gone": true} {
			resp, err := client.Get("http://cdn.test" + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if len(body) != 32<<10 || (err != nil) != wantErr || wantErr && !errors.Is(err, etiquette.ErrUnwanted) {
				t.Errorf("%s: %d bytes and %v, want 32768 and an error: %v", path, len(body), err, wantErr)
			}
			if _, again := resp.Body.Read(make([]byte, 1)); err != nil && !errors.Is(again, etiquette.ErrUnwanted) {
				t.Errorf("%s: a read after the cut gave %v, want the same error", path, again)
			}
			_ = resp.Body.Close()
		}
		for _, s := range told.all() {
			if soon := strings.HasSuffix(s.URL, "/gone"); soon != !s.RetryAt.IsZero() {
				t.Errorf("%s may be asked again at %v: want a time for the error page alone", s.URL, s.RetryAt)
			}
		}
	})
}

func TestAHeadThatIsUnwantedSavesTheGet(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("cdn.test").Answer("/film", answerOf("video/mp4", strings.Repeat("x", 5000))).Page("/page", "x")
		g := newGuard(t, web, takes(etiquette.Take{Types: []string{"text/html"}}))
		c := guarded(t, g, colly.CheckHead())
		if err := c.Visit("http://cdn.test/film"); !errors.Is(err, etiquette.ErrUnwanted) {
			t.Errorf("Visit = %v, want ErrUnwanted", err)
		}
		visit(t, c, "http://cdn.test/page")
		want := []string{"GET http://cdn.test/robots.txt", "HEAD http://cdn.test/film", "HEAD http://cdn.test/page", "GET http://cdn.test/page"}
		if diff := cmp.Diff(want, web.Log()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

func TestTheFirstTakeThatMatchesAHostCounts(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		hosts := map[string]bool{"img.shop.test": true, "shop.test": false, "shop.test:8080": true, "bücher.test": true, "[::1]": true, "other.test": false}
		for host := range hosts {
			web.Host(strings.Replace(host, "bücher", "xn--bcher-kva", 1)).Answer("/a", answerOf("image/png", "png"))
		}
		images := []string{"image/png"}
		g := newGuard(t, web, takes(
			etiquette.Take{DomainGlob: "*.shop.test", Types: images},
			etiquette.Take{DomainGlob: "shop.test:8080", Types: images},
			etiquette.Take{DomainGlob: "BÜCHER.test.", Types: images},
			etiquette.Take{DomainRegexp: `^\[::1\]:80$`},
			etiquette.Take{Types: []string{"text/html"}},
		), func(p *etiquette.Policy) { p.AllowPrivate = true })
		c := guarded(t, g, colly.AllowURLRevisit())
		for host, taken := range hosts {
			if err := c.Visit("http://" + host + "/a"); (err == nil) != taken {
				t.Errorf("%s: Visit = %v, want taken: %v", host, err, taken)
			}
		}
	})
}

func TestATakeThatMakesNoSenseIsAnError(t *testing.T) {
	for _, x := range []struct {
		rule etiquette.Take
		want string
	}{
		{etiquette.Take{Types: []string{"html"}}, `Policy.Take[0].Types[0]: "html" is no content type`},
		{etiquette.Take{Types: []string{"text/html; charset=utf-8"}}, "is no content type"},
		{etiquette.Take{Types: []string{"*/html"}}, "is no content type"},
		{etiquette.Take{Types: []string{"text/h*"}}, "is no content type"},
		{etiquette.Take{Bytes: -1}, "Policy.Take[0].Bytes: -1 is negative"},
		{etiquette.Take{DomainGlob: "shop.test/img"}, `Policy.Take[0].DomainGlob: "shop.test/img" holds a "/"`},
		{etiquette.Take{DomainRegexp: "["}, `Policy.Take[0].DomainRegexp: "["`},
	} {
		if _, err := etiquette.New(etiquette.Policy{UserAgent: agent, Take: []etiquette.Take{x.rule}}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("New with %+v = %v, want %q", x.rule, err, x.want)
		}
	}
}
