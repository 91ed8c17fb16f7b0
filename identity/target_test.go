package identity

import (
	"net/http"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

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
