package testweb

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLogReadsAsWhatWasAsked(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Robots("").Answer("/go", Answer{Redirect: "http://other.test:8080/b?q=%7e"})
		c := web.Client()
		get(t, c, "http://shop.test/robots.txt")
		get(t, c, "http://shop.test/go")
		get(t, c, "https://shop.test/robots.txt")
		if resp, err := c.Head("http://shop.test:80/robots.txt"); err == nil {
			resp.Body.Close()
		}
		want := []string{
			"GET http://shop.test/robots.txt",
			"GET http://shop.test/go",
			"GET http://other.test:8080/b?q=%7e",
			"GET https://shop.test/robots.txt",
			"HEAD http://shop.test:80/robots.txt",
		}
		if diff := cmp.Diff(want, web.Log()); diff != "" {
			t.Errorf("Log() (-want +got):\n%s", diff)
		}
		for host, want := range map[string]int{"shop.test": 4, "SHOP.test.": 4, "shop.test:80": 3, "shop.test:443": 1, "other.test": 1, "other.test:8080": 1, "other.test:80": 0, "none.test": 0} {
			if got := len(web.HitsOf(host)); got != want {
				t.Errorf("HitsOf(%q) are %d, want %d", host, got, want)
			}
		}
		if diff := cmp.Diff(want[2:3], web.LogOf("other.test")); diff != "" {
			t.Errorf("LogOf(other.test) (-want +got):\n%s", diff)
		}
		if got, want := web.Count("GET http://shop.test/robots.txt"), 1; got != want {
			t.Errorf("Count = %d, want %d", got, want)
		}
		web.Reset()
		if diff := cmp.Diff([]string{}, web.Log()); diff != "" {
			t.Errorf("Log() after Reset (-want +got):\n%s", diff)
		}
		get(t, c, "http://shop.test/robots.txt")
		if got, want := web.Hits()[0].Seq, 1; got != want {
			t.Errorf("Seq after Reset = %d, want %d", got, want)
		}
	})
}

func TestHitHoldsTheRequestAsItArrived(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("other.test").Answer("/", Answer{})
		req, err := http.NewRequest("POST", "https://shop.test/?q", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "Other.test:444"
		req.Header = http.Header{"User-Agent": {"bot/1.0"}, "X-Two": {"a", "b"}, "Accept-Encoding": {"identity"}}
		resp, err := web.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		got := web.Hits()[0]
		want := Hit{
			Seq: 1, Time: got.Time, Method: "POST", Host: "Other.test:444", URI: "/?q", TLS: true, Proto: "HTTP/1.1", RemoteAddr: got.RemoteAddr, Conn: 1,
			Header: http.Header{"User-Agent": {"bot/1.0"}, "X-Two": {"a", "b"}, "Accept-Encoding": {"identity"}, "Content-Length": {"0"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("hit (-want +got):\n%s", diff)
		}
		if got.Time.IsZero() || got.RemoteAddr == "" {
			t.Errorf("hit lacks time or address: %+v", got)
		}
	})
}

func TestEveryTargetReachesTheLog(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		conn, err := web.Dial(t.Context(), "tcp", "shop.test:80")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "OPTIONS * HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n")
		io.ReadAll(conn)
		if diff := cmp.Diff([]string{"OPTIONS *"}, web.Log()); diff != "" {
			t.Errorf("Log() (-want +got):\n%s", diff)
		}
	})
}

func TestGapsAreTimesBetweenArrivals(t *testing.T) {
	bubble(t, func(t *testing.T, web *Web) {
		c := web.Client()
		get(t, c, "http://shop.test/")
		time.Sleep(time.Second)
		get(t, c, "http://shop.test/")
		time.Sleep(2500 * time.Millisecond)
		get(t, c, "http://shop.test/")
		if diff := cmp.Diff([]time.Duration{time.Second, 2500 * time.Millisecond}, Gaps(web.Hits())); diff != "" {
			t.Errorf("Gaps (-want +got):\n%s", diff)
		}
		if got, want := len(Gaps(web.Hits()[:1])), 0; got != want {
			t.Errorf("one hit has %d gaps, want %d", got, want)
		}
	})
}
