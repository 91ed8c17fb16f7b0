package collyrobots

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// fetchedAfter is when robots.txt of a host was asked for, since begin.
func fetchedAfter(web *testweb.Web, host string, begin time.Time) []time.Duration {
	out := []time.Duration{}
	for _, h := range web.HitsOf(host) {
		if h.URI == "/robots.txt" {
			out = append(out, h.Time.Sub(begin))
		}
	}
	return out
}

// visitEvery visits a page each step until end.
func visitEvery(c *colly.Collector, url string, step, end time.Duration) {
	for begin := time.Now(); time.Since(begin) < end; after(step) {
		_ = c.Visit(url)
		synctest.Wait()
	}
}

func TestFromEightyPercentOfItsLifeTheNextRequestStartsARefresh(t *testing.T) {
	for _, test := range []struct {
		cacheControl string
		want         []time.Duration // in minutes
	}{
		{"", []time.Duration{0, 1152, 2304}}, // 80 % of 24 h
		{"max-age=36000", []time.Duration{0, 480, 960, 1440, 1920, 2400, 2880}},
		{"max-age=604800", []time.Duration{0, 1152, 2304}},
		{"no-store, max-age=0", []time.Duration{0, 1152, 2304}},
	} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{Body: disallowPrivate, Header: header("Cache-Control", test.cacheControl)})
			c := newCollector(t, newRobots(t, web, Options{}))
			begin := time.Now()
			visitEvery(c, "http://shop.test/", 4*time.Minute, 48*time.Hour+time.Minute)
			var want []time.Duration
			for _, m := range test.want {
				want = append(want, m*time.Minute)
			}
			if diff := cmp.Diff(fetchedAfter(web, "shop.test", begin), want); diff != "" {
				t.Errorf("%q: robots.txt was fetched at (-got +want):\n%s", test.cacheControl, diff)
			}
		})
	}
}

func TestARefreshDoesNotHoldRequestsUp(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/a", "x").Page("/b", "x").
			Answer("/robots.txt", testweb.Answer{}, testweb.Answer{Body: "User-agent: *\nDisallow: /b", Delay: 5 * time.Second})
		c := newCollector(t, newRobots(t, web, Options{}))
		visit(t, c, nil, "http://shop.test/a")
		after(20 * time.Hour)
		begin := time.Now()
		visit(t, c, nil, "http://shop.test/a", "http://shop.test/b")
		if took := time.Since(begin); took != 0 {
			t.Errorf("the visits took %v, want none to wait for the refresh", took)
		}
		after(6 * time.Second)
		visit(t, c, nil, "http://shop.test/b") // known to be disallowed by now: a skip
		if a, b, robots := web.Count("GET http://shop.test/a"), web.Count("GET http://shop.test/b"), web.Count("GET http://shop.test/robots.txt"); a != 2 || b != 1 || robots != 2 {
			t.Errorf("the server saw %v", web.Log())
		}
	})
}

func TestARefreshThatFailsLeavesTheCopyInForceUntilItsLifeEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{Body: disallowPrivate}, testweb.Answer{Status: 503})
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		begin := time.Now()
		visit(t, c, nil, "http://shop.test/")
		after(20 * time.Hour)
		visit(t, c, nil, "http://shop.test/") // starts a refresh, which fails
		synctest.Wait()
		visit(t, c, nil, "http://shop.test/") // no further one at once
		synctest.Wait()
		if got := fetchedAfter(web, "shop.test", begin); len(got) != 2 {
			t.Fatalf("robots.txt was fetched at %v, want twice", got)
		}
		after(2 * time.Minute)
		visit(t, c, nil, "http://shop.test/")
		synctest.Wait()
		after(3*time.Hour + 57*time.Minute)
		visit(t, c, nil, "http://shop.test/") // 23 h 59
		synctest.Wait()
		after(time.Hour + time.Minute)
		// Its life is over: everything is disallowed, although an older copy exists.
		visit(t, c, ErrUnreachable, "http://shop.test/")
		if d := check(t, r, "http://shop.test/"); d.Class != ClassUnreachable || d.Allowed {
			t.Errorf("Check = %+v", d)
		}
	})
}

func TestAWaitThatARefreshWasToldIsKeptBeyondTheCopysLife(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{}, testweb.Answer{Status: 503, Header: header("Retry-After", "36000")}, testweb.Answer{})
		c := newCollector(t, newRobots(t, web, Options{}))
		begin := time.Now()
		visit(t, c, nil, "http://shop.test/")
		after(20 * time.Hour)
		visitEvery(c, "http://shop.test/", time.Minute, 12*time.Hour)
		if diff := cmp.Diff(fetchedAfter(web, "shop.test", begin), []time.Duration{0, 20 * time.Hour, 30 * time.Hour}); diff != "" {
			t.Errorf("robots.txt was fetched at (-got +want):\n%s", diff)
		}
		// Between 24 h and 30 h nothing was fetched.
		for _, h := range web.Hits() {
			if at := h.Time.Sub(begin); h.URI == "/" && at >= 24*time.Hour && at < 30*time.Hour {
				t.Fatalf("a page was fetched after %v", at)
			}
		}
	})
}

func TestWithoutARefreshACopyIsUsedForADayAndNoLonger(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{}, testweb.Answer{Body: "User-agent: *\nDisallow: /"})
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		visit(t, c, nil, "http://shop.test/")
		if err := r.Close(); err != nil { // ends refreshes
			t.Fatal(err)
		}
		after(24*time.Hour - time.Second)
		visit(t, c, nil, "http://shop.test/")
		after(time.Second)
		visit(t, c, ErrDisallowed, "http://shop.test/")
		if got := web.Count("GET http://shop.test/robots.txt"); got != 2 {
			t.Errorf("robots.txt was fetched %d times, want 2", got)
		}
	})
}

func TestA304RenewsTheCopy(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		var asked []http.Header
		web.Host("shop.test").Page("/", "x").Handle("/robots.txt", func(w http.ResponseWriter, q *http.Request) {
			asked = append(asked, q.Header.Clone())
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT")
			if q.Header.Get("If-None-Match") == `"v1"` {
				w.WriteHeader(304)
				return
			}
			fmt.Fprint(w, disallowPrivate)
		})
		r := newRobots(t, web, Options{})
		c := newCollector(t, r)
		for range 3 {
			visit(t, c, nil, "http://shop.test/")
			d := check(t, r, "http://shop.test/private")
			if d.Allowed || d.Line != 2 || d.Class != ClassRules || time.Since(d.FetchedAt) > time.Second || time.Until(d.ExpiresAt) < 23*time.Hour {
				t.Errorf("Check = %+v, want the same rules and a new life", d)
			}
			after(25 * time.Hour)
		}
		if len(asked) != 3 || asked[0].Get("If-None-Match") != "" || asked[2].Get("If-None-Match") != `"v1"` || asked[1].Get("If-Modified-Since") != "Sat, 01 Jan 2000 00:00:00 GMT" {
			t.Errorf("asked with %v", asked)
		}
	})
}

func TestValidatorsGoToThePlaceThatGaveThem(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{Redirect: "http://cdn.test/r.txt"})
		web.Host("cdn.test").Answer("/r.txt", testweb.Answer{Body: disallowPrivate, Header: header("ETag", `"c"`)}, testweb.Answer{Status: 304})
		r := newRobots(t, web, Options{})
		check(t, r, "http://shop.test/")
		after(25 * time.Hour)
		if d := check(t, r, "http://shop.test/private"); d.Class != ClassRules || d.Allowed {
			t.Errorf("Check = %+v", d)
		}
		for _, h := range web.Hits() {
			if got, want := h.Header.Get("If-None-Match"), map[int]string{4: `"c"`}[h.Seq]; got != want {
				t.Errorf("hit %d, %s: If-None-Match %q, want %q", h.Seq, h, got, want)
			}
		}
	})
}

func TestUnreachableIsLookedAtAgainAfterAMinuteDoublingToAnHour(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		c := newCollector(t, newRobots(t, web, Options{}))
		begin := time.Now()
		visitEvery(c, "http://shop.test/", time.Minute, 5*time.Hour)
		var want []time.Duration
		for _, m := range []int{0, 1, 3, 7, 15, 31, 63, 123, 183, 243} {
			want = append(want, time.Duration(m)*time.Minute)
		}
		if diff := cmp.Diff(fetchedAfter(web, "shop.test", begin), want); diff != "" {
			t.Errorf("robots.txt was fetched at (-got +want):\n%s", diff)
		}
		if got := len(web.Hits()); got != len(want) {
			t.Errorf("%d requests, %d of them for robots.txt", got, len(want))
		}
	})
}

func TestUnavailableIsLookedAtAgainAfterAnHourDoublingToADay(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x") // no robots.txt: 404
		c := newCollector(t, newRobots(t, web, Options{}))
		begin := time.Now()
		visitEvery(c, "http://shop.test/", time.Hour, 100*time.Hour)
		var want []time.Duration
		for _, h := range []int{0, 1, 3, 7, 15, 31, 55, 79} {
			want = append(want, time.Duration(h)*time.Hour)
		}
		if diff := cmp.Diff(fetchedAfter(web, "shop.test", begin), want); diff != "" {
			t.Errorf("robots.txt was fetched at (-got +want):\n%s", diff)
		}
	})
}

func TestRetryAfterIsKept(t *testing.T) {
	for value, want := range map[string]time.Duration{"600": 10 * time.Minute, "5": time.Minute, "864000": 24 * time.Hour, "0": time.Minute} {
		for _, status := range []int{429, 503} {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{Status: status, Header: header("Retry-After", value)}, testweb.Answer{})
				c := newCollector(t, newRobots(t, web, Options{}))
				visit(t, c, ErrUnreachable, "http://shop.test/")
				for _, step := range []time.Duration{want / 2, want/2 - time.Second} {
					after(step)
					visit(t, c, nil, "http://shop.test/") // a skip
				}
				wantLog(t, web, "GET http://shop.test/robots.txt")
				after(time.Second)
				visit(t, c, nil, "http://shop.test/")
				wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/robots.txt", "GET http://shop.test/")
			})
		}
	}
}

func TestAfterThirtyDaysUnreachable(t *testing.T) {
	for _, test := range []struct {
		name          string
		o             AfterThirtyDays
		copy          bool // there was one
		open, private bool // what may be fetched after 30 days
	}{
		{"StayDisallowed", StayDisallowed, true, false, false},
		{"Unavailable", Unavailable, true, true, true},
		{"LastCopy", LastCopy, true, true, false},
		{"LastCopy, but there is none", LastCopy, false, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				answers := []testweb.Answer{{Body: disallowPrivate}, {Status: 500}}
				if !test.copy {
					answers = answers[1:]
				}
				web.Host("shop.test").Answer("/robots.txt", answers...)
				r := newRobots(t, web, Options{AfterThirtyDays: test.o})
				begin := time.Now()
				check(t, r, "http://shop.test/")
				if test.copy {
					after(25 * time.Hour)
					begin = time.Now()
				}
				for time.Since(begin) < 29*24*time.Hour+23*time.Hour {
					if d := check(t, r, "http://shop.test/"); d.Allowed || d.Class != ClassUnreachable {
						t.Fatalf("after %v: %+v, want everything disallowed", time.Since(begin), d)
					}
					after(time.Hour)
				}
				after(2 * time.Hour)
				for path, want := range map[string]bool{"/": test.open, "/private": test.private} {
					if d := check(t, r, "http://shop.test"+path); d.Allowed != want || d.Class != ClassUnreachable {
						t.Errorf("Check(%s) = %+v, want allowed %v", path, d, want)
					}
				}
				if len(r.Unruled()) != map[bool]int{true: 1}[test.o == Unavailable] {
					t.Errorf("Unruled = %v", r.Unruled())
				}
			})
		})
	}
}

func TestStaleIfUnreachableGoesOnWithTheLastCopyForSoLong(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Body: disallowPrivate + "Crawl-delay: 7\n"}, testweb.Answer{Status: 500})
		r := newRobots(t, web, Options{StaleIfUnreachable: 48 * time.Hour})
		check(t, r, "http://shop.test/")
		after(25 * time.Hour)
		d := check(t, r, "http://shop.test/")
		if !d.Allowed || d.Class != ClassUnreachable || d.Status != 500 || d.CrawlDelay != 7*time.Second {
			t.Errorf("Check = %+v, want allowed by the old copy, and that it is known to be unreachable", d)
		}
		if d := check(t, r, "http://shop.test/private"); d.Allowed || d.Line != 2 {
			t.Errorf("Check = %+v, want disallowed by the old copy", d)
		}
		after(46 * time.Hour)
		if d := check(t, r, "http://shop.test/"); !d.Allowed {
			t.Errorf("after 71 h: %+v", d)
		}
		after(2 * time.Hour)
		if d := check(t, r, "http://shop.test/"); d.Allowed {
			t.Errorf("after 73 h: %+v, want disallowed", d)
		}
	})
}

func TestPatienceHoldsARequestInsteadOfRefusingIt(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{Status: 503}, testweb.Answer{Status: 503}, testweb.Answer{})
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		r := newRobots(t, web, Options{Patience: 10 * time.Minute})
		c := newCollector(t, r)
		begin := time.Now()
		visit(t, c, nil, "http://shop.test/")
		if took := time.Since(begin); took != 3*time.Minute {
			t.Errorf("the visit took %v, want 3m", took)
		}
		begin = time.Now()
		visit(t, c, ErrUnreachable, "http://down.test/")
		if took := time.Since(begin); took > 10*time.Minute || took < 3*time.Minute {
			t.Errorf("the visit took %v, want at most its patience", took)
		}
		// Admission must not refuse what the wire would hold.
		after(5 * time.Minute)
		web.Host("down.test").Robots("").Page("/", "x")
		visit(t, c, nil, "http://down.test/")
		if !slices.Contains(web.Log(), "GET http://down.test/") {
			t.Errorf("the server saw %v", web.Log())
		}
	})
}

func TestPatienceEndsWithTheRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Status: 503})
		r := newRobots(t, web, Options{Patience: time.Hour})
		client := &http.Client{Transport: r.Transport(nil), Timeout: 30 * time.Second}
		begin := time.Now()
		if _, err := client.Get("http://shop.test/"); err == nil || time.Since(begin) > 31*time.Second {
			t.Errorf("Get = %v after %v, want its timeout", err, time.Since(begin))
		}
	})
}
