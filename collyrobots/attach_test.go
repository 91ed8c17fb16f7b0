package collyrobots

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestARuleKeepsAPageFromBeingFetched(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\n").Page("/", "hello").Page("/private/1", "no")
		told := &skips{}
		r := newRobots(t, web, Options{OnSkip: told.add})
		c := newCollector(t, r)
		var bodies []string
		c.OnResponse(func(r *colly.Response) { bodies = append(bodies, string(r.Body)) })
		visit(t, c, nil, "http://shop.test/")
		// Known by now, so the second is a skip and no error.
		visit(t, c, nil, "http://shop.test/private/1")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/")
		if diff := cmp.Diff(bodies, []string{"hello"}); diff != "" {
			t.Errorf("bodies (-got +want):\n%s", diff)
		}
		if len(told.all) != 1 || told.all[0].request == nil || told.all[0].skip.Line != 2 || told.all[0].skip.Rule != "disallow: /private" {
			t.Errorf("OnSkip was told %+v, want once, line 2, rule, request", told.all)
		}
		if got := r.Report().Counts()[report.Count{Reason: report.RobotsDisallowed, Rule: "disallow: /private"}]; got != 1 {
			t.Errorf("Counts = %v, want 1 by reason and rule", r.Report().Counts())
		}
	})
}

func TestTheFirstVisitToADisallowedPageSaysSo(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: foobot\nDisallow: /private\n")
		c := newCollector(t, newRobots(t, web, Options{}))
		err := c.Visit("http://shop.test/private/1")
		wantErr(t, "Visit", err, ErrDisallowed)
		wantErr(t, "Visit", err, colly.ErrRobotsTxtBlocked)
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Decision.Line != 2 || refused.Decision.ProductToken != "FooBot" || refused.Decision.Class != ClassRules {
			t.Errorf("Visit = %#v", err)
		}
		wantLog(t, web, "GET http://shop.test/robots.txt")
	})
}

func TestWhatAttachWiresTwice(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		base := web.Transport()
		c := colly.NewCollector()
		first := newRobots(t, web, Options{Base: base})
		if err := first.Attach(c); err != nil {
			t.Fatal(err)
		}
		if err := first.Attach(c); err != nil {
			t.Errorf("the same again = %v, want nil", err)
		}
		equal := newRobots(t, web, Options{Base: base})
		if got, err := equal.attach(c); err != nil || got != first {
			t.Errorf("equal options = %p, %v, want the first, %p", got, err, first)
		}
		other := newRobots(t, web, Options{Base: base, ProductToken: "Bar"})
		if err := other.Attach(c); err == nil || !strings.Contains(err.Error(), "collyrobots") || !strings.Contains(err.Error(), "first stays") {
			t.Errorf("other options = %v, want an error that names them", err)
		}
		if _, err := Attach(c); err == nil {
			t.Error("Attach with default options after others = nil, want an error")
		}
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /\n")
		visit(t, c, ErrDisallowed, "http://shop.test/")
	})
}

func TestAttachTwiceReturnsTheFirst(t *testing.T) {
	c := colly.NewCollector()
	first, err := Attach(c)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := Attach(c)
	if err != nil || second != first {
		t.Errorf("Attach again = %p, %v, want %p", second, err, first)
	}
	third, err := Attach(c.Clone())
	if err != nil || third != first {
		t.Errorf("Attach of a clone = %p, %v, want %p", third, err, first)
	}
}

func TestANilCollectorIsAnError(t *testing.T) {
	if r, err := Attach(nil); err == nil || r != nil || !strings.HasPrefix(err.Error(), "collyrobots: ") {
		t.Errorf("Attach(nil) = %v, %v", r, err)
	}
}

func TestCloseTwice(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

func TestARedirectIntoADisallowedPageIsNeverFollowed(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\n").Answer("/go", testweb.Answer{Redirect: "/private/1"}).
			Answer("/out", testweb.Answer{Redirect: "http://other.test/secret"})
		web.Host("other.test").Robots("User-agent: *\nDisallow: /secret\n")
		told := &skips{}
		c := newCollector(t, newRobots(t, web, Options{OnSkip: told.add}))
		visit(t, c, ErrDisallowed, "http://shop.test/go", "http://shop.test/out")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/go", "GET http://shop.test/out", "GET http://other.test/robots.txt")
		want := []string{"GET http://shop.test/private/1 robots_disallowed", "GET http://other.test/secret robots_disallowed"}
		if diff := cmp.Diff(told.lines(), want); diff != "" {
			t.Errorf("OnSkip (-got +want):\n%s", diff)
		}
		if told.all[0].skip.Referrer != "http://shop.test/go" {
			t.Errorf("Referrer = %q", told.all[0].skip.Referrer)
		}
	})
}

func TestHEADIsJudgedToo(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\n")
		c := newCollector(t, newRobots(t, web, Options{}))
		wantErr(t, "Head", c.Head("http://shop.test/private"), ErrDisallowed)
		wantErr(t, "Head, known", c.Head("http://shop.test/private"), nil)
		wantLog(t, web, "GET http://shop.test/robots.txt")
	})
}

func TestWithCheckHeadNeitherRequestIsSentAndOneSkipIsTold(t *testing.T) {
	for _, known := range []bool{false, true} {
		t.Run(fmt.Sprintf("known=%v", known), func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\n").Page("/", "x")
				told := &skips{}
				c := newCollector(t, newRobots(t, web, Options{OnSkip: told.add}), colly.CheckHead())
				want := []string{"GET http://shop.test/robots.txt"}
				if known {
					visit(t, c, nil, "http://shop.test/")
					want = append(want, "HEAD http://shop.test/", "GET http://shop.test/")
					visit(t, c, nil, "http://shop.test/private")
				} else {
					visit(t, c, ErrDisallowed, "http://shop.test/private")
				}
				wantLog(t, web, want...)
				if got := told.lines(); len(got) != 1 {
					t.Errorf("OnSkip was told %v, want one", got)
				}
			})
		})
	}
}

func TestAClientOfItsOwnObeysToo(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /private\n").Page("/", "x").Answer("/go", testweb.Answer{Redirect: "/private"})
		r := newRobots(t, web, Options{})
		client := &http.Client{Transport: r.Transport(nil)}
		for _, path := range []string{"/private", "/go"} {
			_, err := client.Get("http://shop.test" + path)
			wantErr(t, "Get("+path+")", err, ErrDisallowed)
		}
		resp, err := client.Get("http://shop.test/")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/go", "GET http://shop.test/")
	})
}
