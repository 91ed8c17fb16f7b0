package collyrobots

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

const disallowPrivate = "User-agent: *\nDisallow: /private\n"

// check asks r and fails the test if it cannot say.
func check(t *testing.T, r *Robots, url string) Decision {
	t.Helper()
	d, err := r.Check(t.Context(), url)
	if err != nil {
		t.Fatalf("Check(%s) = %v", url, err)
	}
	return d
}

func TestEachOutcomeHasItsClass(t *testing.T) {
	a := func(s int) testweb.Answer { return testweb.Answer{Status: s, Body: disallowPrivate} }
	for _, test := range []struct {
		row     string
		answer  testweb.Answer
		class   Class
		open    bool // "/" is allowed
		private bool // "/private" is allowed
		hits    int
	}{
		{"200", a(200), ClassRules, true, false, 1},
		{"203", a(203), ClassRules, true, false, 1},
		{"204", testweb.Answer{Status: 204}, ClassRules, true, true, 1},
		{"empty", testweb.Answer{}, ClassRules, true, true, 1},
		{"lines that cannot be read are passed over", testweb.Answer{Body: "\x00\xff???\n" + disallowPrivate + ": :\n"}, ClassRules, true, false, 1},
		{"no usable Location", testweb.Answer{Status: 302}, ClassUnavailable, true, true, 1},
		{"a Location that leads nowhere", testweb.Answer{Redirect: "ftp://shop.test/robots.txt"}, ClassUnavailable, true, true, 1},
		{"a Location that cannot be parsed", testweb.Answer{Redirect: "http://[::1"}, ClassUnavailable, true, true, 1},
		{"a redirect loop", testweb.Answer{Redirect: "/robots.txt"}, ClassUnreachable, false, false, 1},
		{"400", a(400), ClassUnavailable, true, true, 1},
		{"401", a(401), ClassUnavailable, true, true, 1},
		{"403", a(403), ClassUnavailable, true, true, 1},
		{"404", a(404), ClassUnavailable, true, true, 1},
		{"410", a(410), ClassUnavailable, true, true, 1},
		{"451", a(451), ClassUnavailable, true, true, 1},
		{"499", a(499), ClassUnavailable, true, true, 1},
		{"408", a(408), ClassUnreachable, false, false, 1},
		{"421", a(421), ClassUnreachable, false, false, 1},
		{"425", a(425), ClassUnreachable, false, false, 1},
		{"429", a(429), ClassUnreachable, false, false, 1},
		{"500", a(500), ClassUnreachable, false, false, 1},
		{"503", a(503), ClassUnreachable, false, false, 1},
		{"599", a(599), ClassUnreachable, false, false, 1},
		{"206", a(206), ClassUnreachable, false, false, 1},
		{"an unasked 304", testweb.Answer{Status: 304}, ClassUnreachable, false, false, 1},
		{"the proxy's 407, up to 3 times more", a(407), ClassUnreachable, false, false, 4},
		{"reset, one second try", testweb.Answer{Reset: true}, ClassUnreachable, false, false, 2},
		{"a body cut short", testweb.Answer{Body: disallowPrivate, HalfBody: true}, ClassUnreachable, false, false, 2},
		{"no HTTP", testweb.Answer{Raw: "hello\n"}, ClassUnreachable, false, false, 2},
		{"headers that never come", testweb.Answer{HangHeaders: true}, ClassUnreachable, false, false, 2},
		{"a body that never ends", testweb.Answer{Body: disallowPrivate, HangBody: true}, ClassUnreachable, false, false, 2},
		{"gzip that is none", testweb.Answer{Body: disallowPrivate, Header: header("Content-Encoding", "gzip")}, ClassUnreachable, false, false, 2},
		{"an encoding nobody asked for", testweb.Answer{Body: disallowPrivate, Header: header("Content-Encoding", "br")}, ClassUnreachable, false, false, 1},
	} {
		t.Run(test.row, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Answer("/robots.txt", test.answer).Page("/", "x").Page("/private", "x").Page("/other", "x")
				r := newRobots(t, web, Options{})
				c := newCollector(t, r)
				want := func(allowed bool) error {
					if allowed {
						return nil
					}
					return colly.ErrRobotsTxtBlocked
				}
				visit(t, c, want(test.open), "http://shop.test/")
				_ = c.Visit("http://shop.test/private") // an error, or a skip by now
				if got := web.Count("GET http://shop.test/private"); got != map[bool]int{true: 1}[test.private] {
					t.Errorf("/private was fetched %d times, allowed = %v", got, test.private)
				}
				d := check(t, r, "http://shop.test/other")
				if d.Class != test.class || d.Allowed != test.open {
					t.Errorf("Check = %+v, want class %s, allowed %v", d, test.class, test.open)
				}
				if (d.Err != nil) != (test.class != ClassRules) || d.FetchedAt.IsZero() || d.ExpiresAt.IsZero() {
					t.Errorf("Check = %+v: a cause for all but rules, and times", d)
				}
				if wantReason := test.class == ClassUnreachable; (d.Reason == report.RobotsUnreachable) != wantReason || !d.RetryAt.IsZero() != wantReason {
					t.Errorf("Check = %+v: reason and RetryAt where it is unreachable, and only there", d)
				}
				if got := web.Count("GET http://shop.test/robots.txt"); got != test.hits {
					t.Errorf("robots.txt was asked for %d times, want %d", got, test.hits)
				}
			})
		})
	}
}

func TestNetworkErrorsAreUnreachable(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		tls  bool
	}{
		{"refused", syscall.ECONNREFUSED, false},
		{"no such host", errors.New("lookup shop.test: no such host"), false},
		{"TLS", nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").DialError(test.err).FailTLS(test.tls)
				c := newCollector(t, newRobots(t, web, Options{}))
				visit(t, c, ErrUnreachable, "https://shop.test/")
				for range 99 {
					_ = c.Visit("https://shop.test/a")
				}
				if got := len(web.Dials()); got != 2 {
					t.Errorf("%d attempts to connect, want 2", got)
				}
				wantLog(t, web)
			})
		})
	}
}

func TestASecondTryThatSucceedsCounts(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Reset: true}, testweb.Answer{Body: disallowPrivate}).Page("/", "x")
		c := newCollector(t, newRobots(t, web, Options{}))
		visit(t, c, nil, "http://shop.test/", "http://shop.test/private")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/robots.txt", "GET http://shop.test/")
	})
}

func TestAHundredVisitsToAFailingRobotsTxtCauseAtMostTwo(t *testing.T) {
	for _, a := range []testweb.Answer{{Status: 503}, {Reset: true}, {HangHeaders: true}} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Answer("/robots.txt", a)
			c := newCollector(t, newRobots(t, web, Options{}), colly.Async(true))
			for i := range 100 {
				if err := c.Visit(fmt.Sprintf("http://shop.test/%d", i)); err != nil {
					t.Fatal(err)
				}
			}
			c.Wait()
			if got := web.Count("GET http://shop.test/robots.txt"); got > 2 || got != len(web.Hits()) {
				t.Errorf("%+v: the server saw %v, want robots.txt at most twice and nothing else", a, web.Log())
			}
		})
	}
}

func TestForbiddenDisallows(t *testing.T) {
	for _, status := range []int{401, 403, 404} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Status: status}).Page("/", "x")
			r := newRobots(t, web, Options{ForbiddenDisallows: true})
			c := newCollector(t, r)
			want := ErrDisallowed
			if status == 404 {
				want = nil
			}
			visit(t, c, want, "http://shop.test/")
			d := check(t, r, "http://shop.test/")
			if d.Class != ClassUnavailable || d.Status != status || d.Allowed != (want == nil) {
				t.Errorf("Check = %+v", d)
			}
			if want != nil && (d.Reason != report.RobotsDisallowed || d.RetryAt.IsZero()) {
				t.Errorf("Check = %+v, want disallowed, for a time", d)
			}
		})
	}
}

func TestFiveRedirectsAreFollowedAndASixthIsNot(t *testing.T) {
	for hops, want := range map[int]Class{1: ClassRules, 5: ClassRules, 6: ClassUnavailable, 9: ClassUnavailable} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			for i := range hops {
				web.Host(fmt.Sprintf("h%d.test", i)).Answer(map[bool]string{true: "/robots.txt", false: "/file"}[i == 0],
					testweb.Answer{Status: 301, Redirect: fmt.Sprintf("http://h%d.test/file", i+1)})
			}
			web.Host(fmt.Sprintf("h%d.test", hops)).Answer("/file", testweb.Answer{Body: disallowPrivate})
			r := newRobots(t, web, Options{})
			if d := check(t, r, "http://h0.test/private"); d.Class != want || d.Allowed != (want == ClassUnavailable) {
				t.Errorf("%d redirects: %+v, want class %s", hops, d, want)
			}
			if got := len(web.Hits()); got != min(hops, 5)+1 {
				t.Errorf("%d redirects: %d requests: %v", hops, got, web.Log())
			}
		})
	}
}

func TestRulesCountForTheFirstOriginAndARobotsTxtOnTheWayForItsOwnToo(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://www.test/robots.txt"}).Page("/", "x")
		web.Host("www.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://cdn.test/files/robots.txt"}).Page("/", "x")
		web.Host("cdn.test").Answer("/files/robots.txt", testweb.Answer{Body: disallowPrivate}).Robots("User-agent: *\nDisallow: /\n")
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		visit(t, c, nil, "http://shop.test/", "http://www.test/")
		for _, u := range []string{"http://shop.test/private", "http://www.test/private"} {
			if d := check(t, r, u); d.Allowed || d.Line != 2 {
				t.Errorf("Check(%s) = %+v, want disallowed by line 2", u, d)
			}
		}
		// cdn.test served a file, but not its own robots.txt.
		visit(t, c, ErrDisallowed, "http://cdn.test/x")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://www.test/robots.txt", "GET http://cdn.test/files/robots.txt",
			"GET http://shop.test/", "GET http://www.test/", "GET http://cdn.test/robots.txt")
	})
}

func TestARedirectToARobotsTxtThatIsKnownCostsNoRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("www.test").Robots(disallowPrivate).Page("/", "x")
		for i := range 3 {
			web.Host(fmt.Sprintf("h%d.test", i)).Answer("/robots.txt", testweb.Answer{Redirect: "http://www.test/robots.txt"})
		}
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		web.Host("h3.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://down.test/robots.txt"})
		r := newRobots(t, web, Options{})
		check(t, r, "http://www.test/")
		check(t, r, "http://down.test/")
		for i := range 3 {
			if d := check(t, r, fmt.Sprintf("http://h%d.test/private", i)); d.Allowed {
				t.Errorf("Check = %+v", d)
			}
		}
		if d := check(t, r, "http://h3.test/"); d.Class != ClassUnreachable {
			t.Errorf("Check = %+v", d)
		}
		if got := web.Count("GET http://www.test/robots.txt") + web.Count("GET http://down.test/robots.txt"); got != 2 {
			t.Errorf("the targets were asked %d times: %v", got, web.Log())
		}
	})
}

func TestARedirectHopThatIsRefusedIsUnreachable(t *testing.T) {
	t.Run("DisallowedDomains", func(t *testing.T) {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://bad.test/robots.txt"})
			c := newCollector(t, newRobots(t, web, Options{}), colly.DisallowedDomains("bad.test"))
			visit(t, c, ErrUnreachable, "http://shop.test/")
			wantLog(t, web, "GET http://shop.test/robots.txt")
		})
	})
	t.Run("AllowedDomains and filters do not apply", func(t *testing.T) {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://cdn.test/r.txt"}).Page("/", "x")
			web.Host("cdn.test").Answer("/r.txt", testweb.Answer{Body: disallowPrivate})
			c := newCollector(t, newRobots(t, web, Options{}), colly.AllowedDomains("shop.test"))
			visit(t, c, nil, "http://shop.test/")
			wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://cdn.test/r.txt", "GET http://shop.test/")
		})
	})
	t.Run("a private address", func(t *testing.T) {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://127.0.0.1/robots.txt"})
			web.Host("127.0.0.1").Robots("")
			told := &skips{}
			c := newCollector(t, newRobots(t, web, Options{OnSkip: told.add}))
			visit(t, c, ErrUnreachable, "http://shop.test/")
			wantLog(t, web, "GET http://shop.test/robots.txt")
			if got := told.lines(); len(got) != 2 || !strings.HasSuffix(got[0], "private_address") || !strings.HasSuffix(got[1], "robots_unreachable") {
				t.Errorf("OnSkip was told %v, want the redirect's target and the page", got)
			}
		})
	})
	t.Run("a longer circle", func(t *testing.T) {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://www.test/robots.txt"})
			web.Host("www.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://shop.test/robots.txt#again"})
			d := check(t, newRobots(t, web, Options{}), "http://shop.test/")
			if d.Class != ClassUnreachable || !strings.Contains(fmt.Sprint(d.Err), "circle") {
				t.Errorf("Check = %+v", d)
			}
			if len(web.Hits()) != 2 {
				t.Errorf("the server saw %v", web.Log())
			}
		})
	})
}

func TestFiveHundredKiBAreReadAndCutAtAWholeLine(t *testing.T) {
	rule := func(i int) string { return fmt.Sprintf("Disallow: /%07d\n", i) }
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	n := 0
	for ; b.Len()+len(rule(0)) <= 512_000; n++ {
		b.WriteString(rule(n))
	}
	b.WriteString("Disallow: /cut-in-two-by-the-limit-and-so-no-rule\n")
	b.WriteString(rule(9_999_999))
	plain := b.String()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write([]byte(plain))
	_ = w.Close()
	for name, a := range map[string]testweb.Answer{
		"plain":         {Body: plain},
		"gzip":          {Body: z.String(), Header: header("Content-Encoding", "gzip")},
		"slow and more": {Body: plain + strings.Repeat("# x\n", 1<<20), Drip: testweb.Drip{Bytes: 1 << 20, Every: time.Second}},
	} {
		for _, more := range []bool{false, true} {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Answer("/robots.txt", a)
				o := Options{}
				if more {
					o.MaxBody = 600_000
				}
				r := newRobots(t, web, o)
				for _, test := range []struct {
					path string
					want bool
				}{{"/0000000", false}, {fmt.Sprintf("/%07d", n-1), false}, {"/cut-in-two-by-the-limit-and-so-no-rule", !more}, {"/cut-in", true}, {"/9999999", !more}} {
					if d := check(t, r, "http://shop.test"+test.path); d.Allowed != test.want {
						t.Errorf("%s, more=%v: %s allowed = %v, want %v", name, more, test.path, d.Allowed, test.want)
					}
				}
				if got := web.Count("GET http://shop.test/robots.txt"); got != 1 {
					t.Errorf("%s: %d requests", name, got)
				}
			})
		}
	}
}

func TestTheFetchTakesThirtySecondsOnTheWireAtMost(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{HangHeaders: true})
		r := newRobots(t, web, Options{}) // no collector, so no timeout of a client
		begin := time.Now()
		d := check(t, r, "http://shop.test/")
		if took := time.Since(begin); took != wireTime || d.Class != ClassUnreachable {
			t.Errorf("Check took %v: %+v, want %v and unreachable", took, d, wireTime)
		}
		if got := len(web.Hits()); got != 1 {
			t.Errorf("%d requests, want no second try when the time is used up", got)
		}
	})
}

func TestTheFetchTakesTwoMinutesInAllAtMost(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		// A base that holds each request back, as a throttle with a long line does.
		waits := roundTripper(func(q *http.Request) (*http.Response, error) {
			<-q.Context().Done()
			return nil, context.Cause(q.Context())
		})
		r := newRobots(t, web, Options{Base: waits})
		begin := time.Now()
		d := check(t, r, "http://shop.test/")
		if took := time.Since(begin); took != fullTime || d.Class != ClassUnreachable {
			t.Errorf("Check took %v: %+v, want %v and unreachable", took, d, fullTime)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheRequestSaysWhoWeAreAndNothingElse(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		shop := web.Host("shop.test").Answer("/", testweb.Answer{Body: "x", Header: header("Set-Cookie", "session=1")}, testweb.Answer{Body: "y"})
		shop.Answer("/robots.txt", testweb.Answer{Header: header("Set-Cookie", "robots=1", "Cache-Control", "max-age=3600")})
		c := newCollector(t, newRobots(t, web, Options{}), colly.Headers(map[string]string{"X-Api-Key": "secret", "Authorization": "Bearer x"}))
		c.OnRequest(func(r *colly.Request) { r.Headers.Set("From", "bot@foo.example") })
		visit(t, c, nil, "http://shop.test/")
		after(2 * time.Hour)
		visit(t, c, nil, "http://shop.test/")
		n := 0
		for _, h := range web.Hits() {
			if h.URI != "/robots.txt" {
				if strings.Contains(h.Header.Get("Cookie"), "robots") {
					t.Errorf("a cookie of robots.txt was sent: %v", h.Header)
				}
				continue
			}
			n++
			want := header("User-Agent", testAgent, "From", "bot@foo.example", "Accept", "text/plain, */*;q=0.5", "Accept-Encoding", "gzip")
			for k := range h.Header {
				if h.Header.Get(k) != want.Get(k) {
					t.Errorf("%s: %q, want %q", k, h.Header.Get(k), want.Get(k))
				}
			}
			if len(h.Header) != len(want) {
				t.Errorf("headers %v, want %v", h.Header, want)
			}
		}
		if n != 2 {
			t.Errorf("robots.txt was asked for %d times, want 2", n)
		}
	})
}
