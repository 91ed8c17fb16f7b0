package collyrobots

import (
	"net/http"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestCheckWithoutACollectorLooksAgainAfterAPrivateRedirect(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Address("93.184.216.34").Answer("/robots.txt", testweb.Answer{Redirect: "http://127.0.0.1/robots.txt"})
		r := newRobots(t, web, Options{})
		if d := check(t, r, "http://shop.test/a"); d.Allowed || d.Class != ClassUnreachable {
			t.Errorf("Check = %+v, want unreachable", d)
		}
		web.Host("shop.test").Robots(disallowPrivate)
		after(time.Hour + time.Minute)
		begin := time.Now()
		if d := check(t, r, "http://shop.test/a"); !d.Allowed || time.Since(begin) != 0 {
			t.Errorf("Check after the site was mended = %+v after %v, want allowed; the server saw %q", d, time.Since(begin), web.Log())
		}
	})
}

func TestARobotsTxtThatRedirectsToAURLWithoutAHostIsUnreachable(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://:8080/robots.txt"})
		tr, asked := web.Transport(), 0
		r := newRobots(t, web, Options{AllowPrivate: true, Base: baseFunc(func(q *http.Request) (*http.Response, error) {
			asked++
			return tr.RoundTrip(q)
		})})
		d := check(t, r, "http://shop.test/a")
		if d.Allowed || d.Class != ClassUnreachable {
			t.Errorf("Check = %+v, want unreachable: no host is this machine", d)
		}
		if asked != 1 {
			t.Errorf("%d requests were sent, want the first alone", asked)
		}
	})
}
