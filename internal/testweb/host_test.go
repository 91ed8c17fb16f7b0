package testweb

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"
)

func TestPathOfAScriptIsTheTargetAsSent(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").
			Page("/a", "a").
			Page("/a?x=1", "a with x").
			Page("/%61", "escaped a").
			Page("//b", "two slashes").
			Page("/c/*", "below c").
			Page("/c/d*", "below c, d first")
		c := web.Client()
		for _, test := range []struct{ uri, want string }{
			{"/a", "a"},
			{"/a?x=2", "a"},
			{"/a?x=1", "a with x"},
			{"/%61", "escaped a"},
			{"//b", "two slashes"},
			{"/c/", "below c"},
			{"/c/x?q", "below c"},
			{"/c/dd", "below c, d first"},
			{"/b", "404 page not found\n"},
			{"/A", "404 page not found\n"},
			{"/c", "404 page not found\n"},
		} {
			if _, body, err := get(t, c, "http://shop.test"+test.uri); err != nil || body != test.want {
				t.Errorf("GET %s = %q, %v, want %q", test.uri, body, err, test.want)
			}
		}
	})
}

func TestAnswersFollowOneAnotherAndTheLastStays(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		shop := web.Host("shop.test")
		shop.Answer("/", Answer{Status: 503}, Answer{Status: 429}, Answer{Body: "well"})
		c := web.Client()
		for i, want := range []int{503, 429, 200, 200} {
			if got, _, err := get(t, c, "http://shop.test/"); err != nil || got != want {
				t.Errorf("answer %d = %d, %v, want %d", i+1, got, err, want)
			}
		}
		shop.Answer("/", Answer{Status: 410})
		if got, _, err := get(t, c, "http://shop.test/"); err != nil || got != 410 {
			t.Errorf("answer of a path that was set up anew = %d, %v, want 410", got, err)
		}
	})
}

func TestRobotsAndPagesHaveTheirTypes(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Robots("User-agent: *\n").Page("/", Links("/a", "/b"))
		c := web.Client()
		for uri, want := range map[string]string{"/robots.txt": "text/plain", "/": "text/html"} {
			resp, err := c.Get("http://shop.test" + uri)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, want) {
				t.Errorf("Content-Type of %s = %q, want %q", uri, got, want)
			}
		}
		if _, body, err := get(t, c, "http://shop.test/"); err != nil || strings.Count(body, "<a href=") != 2 {
			t.Errorf("Links of two = %q, %v, want two links", body, err)
		}
	})
}

func TestHandlerSeesItsRequestInTheLog(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Handle("/", func(w http.ResponseWriter, _ *http.Request) {
			if got, want := web.Count("PUT http://shop.test/?q"), 1; got != want {
				t.Errorf("in the log %d times while it is handled, want %d", got, want)
			}
		})
		req, err := http.NewRequest("PUT", "http://shop.test/?q", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := web.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	})
}

func TestDialErrorIsWhatTheClientSeesAndIsCounted(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		shop := web.Host("shop.test").Page("/", "ok")
		c := web.Client()

		shop.DialError(syscall.ECONNREFUSED)
		if _, _, err := get(t, c, "http://shop.test/"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("GET of a host that refuses fails with %v, want %v", err, syscall.ECONNREFUSED)
		}
		shop.DialError(&net.DNSError{Err: "no such host", Name: "shop.test", IsNotFound: true})
		var dns *net.DNSError
		if _, _, err := get(t, c, "http://shop.test/"); !errors.As(err, &dns) || !dns.IsNotFound {
			t.Errorf("GET of a name that is not found fails with %v, want a *net.DNSError", err)
		}
		if got, want := web.Conns(), 0; got != want {
			t.Errorf("Conns() = %d, want %d", got, want)
		}
		shop.DialError(nil)
		if _, body, err := get(t, c, "http://shop.test/"); err != nil || body != "ok" {
			t.Errorf("GET of a host that is back = %q, %v, want \"ok\"", body, err)
		}

		dials := web.Dials()
		if got, want := len(dials), 3; got != want {
			t.Fatalf("%d dials, want %d", got, want)
		}
		if got, want := dials[0].Addr, "shop.test:80"; got != want {
			t.Errorf("address dialled = %q, want %q", got, want)
		}
		if got, want := dials[0].Err, error(syscall.ECONNREFUSED); got != want {
			t.Errorf("error of the first dial = %v, want %v", got, want)
		}
		if got := dials[2].Err; got != nil {
			t.Errorf("error of the last dial = %v, want none", got)
		}
	})
}

func TestHostIsFoundAtItsAddress(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Page("/", "ok")
		web.Host("inside.test").Page("/", "ok").Address("10.1.2.3")
		for url, want := range map[string]string{"http://shop.test/": "127.0.0.1", "http://inside.test/": "10.1.2.3", "https://inside.test/": "10.1.2.3"} {
			var got string
			trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { got = i.Conn.RemoteAddr().String() }}
			req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "GET", url, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := web.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if host, _, err := net.SplitHostPort(got); err != nil || host != want {
				t.Errorf("GET %s was connected to %s, want %s", url, got, want)
			}
		}
	})
}

func TestHandshakeFailsOnlyWhereAsked(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("bad.test:8443").Page("/", "ok").FailTLS(true)
		web.Host("good.test").Page("/", "ok")
		c := web.Client()
		if _, _, err := get(t, c, "https://bad.test:8443/"); err == nil || !strings.Contains(err.Error(), "tls:") {
			t.Errorf("GET of a host that fails handshakes fails with %v, want an error of TLS", err)
		}
		if _, body, err := get(t, c, "http://bad.test:8443/"); err != nil || body != "ok" {
			t.Errorf("GET of the same host without TLS = %q, %v, want \"ok\"", body, err)
		}
		if _, body, err := get(t, c, "https://good.test/"); err != nil || body != "ok" {
			t.Errorf("GET of another host = %q, %v, want \"ok\"", body, err)
		}
		web.Host("bad.test:8443").FailTLS(false)
		if _, body, err := get(t, c, "https://bad.test:8443/"); err != nil || body != "ok" {
			t.Errorf("GET after the repair = %q, %v, want \"ok\"", body, err)
		}
	})
}
