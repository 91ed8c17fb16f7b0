package testweb

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// through returns a client that goes through a new proxy of web.
func through(t *testing.T, web *Web) (*http.Client, *Proxy) {
	t.Helper()
	p, err := web.Proxy()
	if err != nil {
		t.Fatal(err)
	}
	tr := web.Transport()
	tr.Proxy = http.ProxyURL(p.URL())
	return &http.Client{Transport: tr}, p
}

func TestRequestsPassTheProxy(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Page("/a", "a").Answer("/go", Answer{Redirect: "https://shop.test/a"})
		c, p := through(t, web)
		for _, u := range []string{"http://shop.test/a", "https://shop.test/a", "http://shop.test/go"} {
			if status, body, err := get(t, c, u); err != nil || status != 200 || body != "a" {
				t.Errorf("GET %s = %d %q, %v, want 200 \"a\"", u, status, body, err)
			}
		}
		if diff := cmp.Diff([]string{"GET http://shop.test/a", "CONNECT shop.test:443", "GET http://shop.test/go"}, p.Log()); diff != "" {
			t.Errorf("log of the proxy (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"GET http://shop.test/a", "GET https://shop.test/a", "GET http://shop.test/go", "GET https://shop.test/a"}, web.Log()); diff != "" {
			t.Errorf("log of the web (-want +got):\n%s", diff)
		}
		if got, want := web.Hits()[0].Header.Get("Via"), "1.1 testweb"; got != want {
			t.Errorf("Via of what was passed on = %q, want %q", got, want)
		}
		if got, want := p.Conns(), 2; got != want {
			t.Errorf("proxy has %d connections, want %d", got, want)
		}
	})
}

func TestProxyPassesRequestsOnUnchanged(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		var got string
		web.Host("shop.test").Handle("/*", func(_ http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			got = string(b)
		})
		c, _ := through(t, web)
		req, err := http.NewRequest("PUT", "http://shop.test//a%2fb?x=%7e", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"User-Agent": {"bot/1.0"}, "Accept-Encoding": {"identity"}}
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got, want := got, "body"; got != want {
			t.Errorf("body that arrived = %q, want %q", got, want)
		}
		hit := web.Hits()[0]
		if got, want := hit.String(), "PUT http://shop.test//a%2fb?x=%7e"; got != want {
			t.Errorf("request that arrived = %q, want %q", got, want)
		}
		want := http.Header{"User-Agent": {"bot/1.0"}, "Accept-Encoding": {"identity"}, "Via": {"1.1 testweb"}, "Content-Length": {"4"}}
		if diff := cmp.Diff(want, hit.Header); diff != "" {
			t.Errorf("header that arrived (-want +got):\n%s", diff)
		}
	})
}

func TestProxyFailsAsScripted(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Page("/", "ok")
		c, p := through(t, web)

		p.Answer(Answer{Status: 407, Header: http.Header{"Proxy-Authenticate": {"Basic"}}}, Answer{Status: 502}, Answer{})
		if status, _, err := get(t, c, "http://shop.test/"); err != nil || status != 407 {
			t.Errorf("GET through a proxy that asks for a password = %d, %v, want 407", status, err)
		}
		if _, _, err := get(t, c, "https://shop.test/"); err == nil || !strings.Contains(err.Error(), "Bad Gateway") {
			t.Errorf("CONNECT that is answered 502 fails with %v, want it to say Bad Gateway", err)
		}
		if diff := cmp.Diff([]string{}, web.Log()); diff != "" {
			t.Errorf("log of the web so far (-want +got):\n%s", diff)
		}
		for _, u := range []string{"http://shop.test/", "https://shop.test/"} {
			if _, body, err := get(t, c, u); err != nil || body != "ok" {
				t.Errorf("GET %s after the failures = %q, %v, want \"ok\"", u, body, err)
			}
		}
		p.Answer(Answer{Reset: true})
		if _, _, err := get(t, c, "http://shop.test/"); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("GET through a proxy that resets fails with %v, want %v", err, syscall.ECONNRESET)
		}
	})
}

func TestProxyThatCannotBeReached(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Page("/", "ok")
		c, p := through(t, web)
		p.DialError(syscall.ECONNREFUSED)
		if _, _, err := get(t, c, "http://shop.test/"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("GET through a proxy that refuses fails with %v, want %v", err, syscall.ECONNREFUSED)
		}
		p.DialError(nil)
		if _, body, err := get(t, c, "http://shop.test/"); err != nil || body != "ok" {
			t.Errorf("GET through a proxy that is back = %q, %v, want \"ok\"", body, err)
		}
		p.Close()
		if _, _, err := get(t, c, "http://shop.test/"); err == nil {
			t.Error("GET through a closed proxy succeeds, want an error")
		}
	})
}

func TestProxySaysWhenTheHostCannotBeReached(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("gone.test").DialError(syscall.ECONNREFUSED)
		c, _ := through(t, web)
		if status, _, err := get(t, c, "http://gone.test/"); err != nil || status != 502 {
			t.Errorf("GET through the proxy = %d, %v, want 502", status, err)
		}
		if _, _, err := get(t, c, "https://gone.test/"); err == nil || !strings.Contains(err.Error(), "Bad Gateway") {
			t.Errorf("CONNECT fails with %v, want it to say Bad Gateway", err)
		}
	})
}

func TestProxyRefusesWhatIsNotMeantForIt(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		_, p := through(t, web)
		if status, _, err := get(t, web.Client(), p.URL().String()+"/a"); err != nil || status != 400 {
			t.Errorf("GET of the proxy itself = %d, %v, want 400", status, err)
		}
	})
}
