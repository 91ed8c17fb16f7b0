package testweb

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStartedWebIsFoundByTheDefaultClient(t *testing.T) {
	web, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Page("/", "shop")
	web.Host("www.example.com").Page("/", "registered")
	for _, u := range []string{"http://shop.test/", "http://shop.test:8080/", "https://shop.test/", "http://www.example.com/", "https://www.example.com/", "http://unknown.test/"} {
		resp, err := http.Get(u)
		if err != nil {
			t.Errorf("GET %s: %v", u, err)
			continue
		}
		resp.Body.Close()
		if got, want := web.Count("GET "+u), 1; got != want {
			t.Errorf("GET %s is in the log %d times, want %d", u, got, want)
		}
	}
}

func TestOtherNamesGoWhereTheyWent(t *testing.T) {
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	web, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	resp, err := http.Get(elsewhere.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if diff := cmp.Diff([]string{}, web.Log()); diff != "" {
		t.Errorf("Log() (-want +got):\n%s", diff)
	}
}

func TestCloseTakesTheWebOutOfTheDefaultTransport(t *testing.T) {
	tr := http.DefaultTransport.(*http.Transport)
	roots := func() any {
		if tr.TLSClientConfig == nil || tr.TLSClientConfig.RootCAs == nil {
			return nil
		}
		return tr.TLSClientConfig.RootCAs
	}
	if got := roots(); got != nil {
		t.Fatalf("roots before Start = %v, want none", got)
	}
	web, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	if roots() == nil {
		t.Error("Start leaves the roots alone, want ours in them")
	}
	clone := tr.Clone()
	web.Close()
	web.Close()
	if got := roots(); got != nil {
		t.Errorf("roots after Close = %v, want none", got)
	}
	for name, tr := range map[string]*http.Transport{"default": tr, "clone": clone} {
		// An ended context sends net.Dialer home without a look-up; the web would say so in its own way, without an OpError.
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := tr.DialContext(ctx, "tcp", "shop.test:80")
		if op := (*net.OpError)(nil); !errors.As(err, &op) {
			t.Errorf("%s transport still dials the web: %v", name, err)
		}
	}
	if got, want := len(web.Dials()), 0; got != want {
		t.Errorf("%d dials after Close, want %d", got, want)
	}
}

func TestOneWebIsStartedAtATime(t *testing.T) {
	web, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Start(); err == nil {
		second.Close()
		t.Error("second Start succeeds, want an error")
	}
	web.Close()
	again, err := Start()
	if err != nil {
		t.Fatalf("Start after Close: %v", err)
	}
	again.Close()
}

func TestNamesOfTheWebPassTheUsersProxy(t *testing.T) {
	web, err := NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("www.example.com:443")
	proxy := &url.URL{Scheme: "http", Host: "proxy.example:3128"}
	tr := &http.Transport{Proxy: http.ProxyURL(proxy)}
	remove := web.putInto(tr)
	for target, want := range map[string]*url.URL{
		"http://shop.test/":        nil,
		"https://a.shop.test:81/":  nil,
		"https://www.example.com/": nil,
		"http://www.example.com/":  proxy,
		"http://other.example/":    proxy,
	} {
		req, err := http.NewRequest("GET", target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tr.Proxy(req); err != nil || got != want {
			t.Errorf("proxy for %s = %v, %v, want %v", target, got, err, want)
		}
	}
	remove()
	req, _ := http.NewRequest("GET", "http://shop.test/", nil)
	if got, err := tr.Proxy(req); err != nil || got != proxy {
		t.Errorf("proxy for the web after removal = %v, %v, want %v", got, err, proxy)
	}
	if tr.TLSClientConfig != nil || tr.DialContext != nil {
		t.Error("removal leaves a TLS config or a dialler where there was none")
	}
}

func TestDefaultTransportThatIsNoneIsAnError(t *testing.T) {
	old := http.DefaultTransport
	defer func() { http.DefaultTransport = old }()
	http.DefaultTransport = http.NewFileTransport(http.Dir("."))
	if web, err := Start(); err == nil {
		web.Close()
		t.Error("Start with a foreign http.DefaultTransport succeeds, want an error")
	}
}
