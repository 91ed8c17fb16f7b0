package testweb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test on a memory web on a fake clock.
func bubble(t *testing.T, test func(t *testing.T, web *Web)) {
	synctest.Test(t, func(t *testing.T) {
		web := NewMemory()
		defer web.Close()
		test(t, web)
	})
}

func TestAnswerIsSentAsWritten(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").
			Answer("/limit", Answer{Status: 429, Header: http.Header{"Retry-After": {"120"}, "X-Two": {"a", "b"}}, Body: "slow down"}).
			Answer("/empty", Answer{Status: 204}).
			Answer("/same", Answer{Status: 304, Header: http.Header{"Etag": {`"1"`}}}).
			Answer("/go", Answer{Redirect: "//other.test/%7e"}).
			Answer("/moved", Answer{Status: 301, Redirect: "/limit"})
		c := web.Client()
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for _, test := range []struct {
			path, method string
			status       int
			length       int64
			header       string
			values       []string
			body         string
		}{
			{"/limit", "GET", 429, 9, "Retry-After", []string{"120"}, "slow down"},
			{"/limit", "GET", 429, 9, "X-Two", []string{"a", "b"}, "slow down"},
			{"/limit", "HEAD", 429, 9, "Retry-After", []string{"120"}, ""},
			{"/empty", "GET", 204, 0, "Content-Length", nil, ""},
			{"/same", "GET", 304, 0, "Etag", []string{`"1"`}, ""},
			{"/go", "GET", 302, 0, "Location", []string{"//other.test/%7e"}, ""},
			{"/moved", "POST", 301, 0, "Location", []string{"/limit"}, ""},
		} {
			req, err := http.NewRequest(test.method, "http://shop.test"+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.Do(req)
			if err != nil {
				t.Errorf("%s %s: %v", test.method, test.path, err)
				continue
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || string(body) != test.body || resp.StatusCode != test.status || resp.ContentLength != test.length {
				t.Errorf("%s %s = %d, %d bytes declared, %q, %v, want %d, %d, %q", test.method, test.path, resp.StatusCode, resp.ContentLength, body, err, test.status, test.length, test.body)
			}
			if got, want := fmt.Sprint(resp.Header.Values(test.header)), fmt.Sprint(test.values); got != want {
				t.Errorf("%s %s: %s = %s, want %s", test.method, test.path, test.header, got, want)
			}
		}
	})
}

func TestDelayPassesInFakeTime(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		bubble(t, func(t *testing.T, web *Web) {
			web.Host("shop.test").Answer("/", Answer{Delay: 30 * time.Second, Body: "late"})
			start := time.Now()
			if _, body, err := get(t, web.Client(), scheme+"://shop.test/"); err != nil || body != "late" {
				t.Errorf("GET %s = %q, %v, want \"late\"", scheme, body, err)
			}
			if got, want := time.Since(start), 30*time.Second; got != want {
				t.Errorf("GET %s took %v, want %v", scheme, got, want)
			}
			if got := web.Hits()[0].Time; !got.Equal(start) {
				t.Errorf("hit has time %v, want that of its arrival, %v", got, start)
			}
		})
	}
}

func TestClientTimeoutEndsWhatHangs(t *testing.T) {
	for name, a := range map[string]Answer{
		"delay":   {Delay: time.Hour},
		"headers": {HangHeaders: true},
		"body":    {HangBody: true, Body: "half"},
		"drip":    {Drip: Drip{Every: time.Minute}, Body: "drop by drop"},
	} {
		bubble(t, func(t *testing.T, web *Web) {
			web.Host("shop.test").Answer("/", a)
			c := web.Client()
			c.Timeout = 10 * time.Second
			start := time.Now()
			if _, _, err := get(t, c, "http://shop.test/"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: GET fails with %v, want %v", name, err, context.DeadlineExceeded)
			}
			if got, want := time.Since(start), c.Timeout; got != want {
				t.Errorf("%s: GET took %v, want %v", name, got, want)
			}
		})
	}
}

func TestBodyOfAHangingAnswerArrives(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Answer("/", Answer{HangBody: true, Body: "half"})
		resp, err := web.Client().Get("http://shop.test/")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b := make([]byte, 4)
		if _, err := io.ReadFull(resp.Body, b); err != nil || string(b) != "half" {
			t.Errorf("body begins with %q, %v, want \"half\"", b, err)
		}
		if got, want := resp.ContentLength, int64(8); got != want {
			t.Errorf("%d bytes declared, want %d", got, want)
		}
	})
}

func TestDripTakesItsTime(t *testing.T) {
	bubble(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Answer("/", Answer{Body: "12345", Drip: Drip{Bytes: 2, Every: time.Second}})
		start := time.Now()
		resp, err := web.Client().Get("http://shop.test/")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var got []string
		b := make([]byte, 10)
		for {
			n, err := resp.Body.Read(b)
			if n > 0 {
				got = append(got, fmt.Sprintf("%s at %v", b[:n], time.Since(start)))
			}
			if err != nil {
				break
			}
		}
		if got, want := strings.Join(got, ", "), "12 at 0s, 34 at 1s, 5 at 2s"; got != want {
			t.Errorf("arrived: %s, want %s", got, want)
		}
	})
}

func TestHalfABodyIsAnUnexpectedEOF(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Answer("/", Answer{HalfBody: true, Body: "User-agent: *\n"}).Answer("/none", Answer{HalfBody: true})
		c := web.Client()
		for _, scheme := range []string{"http", "https"} {
			status, body, err := get(t, c, scheme+"://shop.test/")
			if status != 200 || body != "User-agent: *\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("GET %s = %d %q, %v, want 200, the body and %v", scheme, status, body, err, io.ErrUnexpectedEOF)
			}
			if _, _, err := get(t, c, scheme+"://shop.test/none"); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("GET %s of a body that is cut before its first byte fails with %v, want %v", scheme, err, io.ErrUnexpectedEOF)
			}
		}
	})
}

func TestResetIsAnErrorAtTheClient(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Answer("/", Answer{Reset: true}, Answer{Body: "well"})
		c := web.Client()
		if _, _, err := get(t, c, "http://shop.test/"); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("GET of a connection that is reset fails with %v, want %v", err, syscall.ECONNRESET)
		}
		if _, body, err := get(t, c, "http://shop.test/"); err != nil || body != "well" {
			t.Errorf("GET after it = %q, %v, want \"well\"", body, err)
		}
		web.Host("shop.test").Answer("/", Answer{Reset: true})
		if _, _, err := get(t, c, "https://shop.test/"); err == nil {
			t.Error("GET of a TLS connection that is reset succeeds, want an error")
		}
		if got, want := len(web.Hits()), 3; got != want {
			t.Errorf("%d hits, want %d: a reset request has arrived", got, want)
		}
	})
}

func TestRawIsWrittenAsItStands(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		const raw = "HTTP/1.1 299 Odd\r\nX: y\r\n\r\nno length"
		web.Host("shop.test").Answer("/", Answer{Raw: raw}).Answer("/broken", Answer{Raw: "nonsense\r\n\r\n"})
		c := web.Client()
		if status, body, err := get(t, c, "http://shop.test/"); err != nil || status != 299 || body != "no length" {
			t.Errorf("GET = %d %q, %v, want 299 \"no length\"", status, body, err)
		}
		if _, _, err := get(t, c, "http://shop.test/broken"); err == nil {
			t.Error("GET of nonsense succeeds, want an error")
		}

		conn, err := web.Dial(t.Context(), "tcp", "shop.test:80")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
		if got, err := io.ReadAll(bufio.NewReader(conn)); err != nil || string(got) != raw {
			t.Errorf("on the wire: %q, %v, want %q", got, err, raw)
		}
	})
}
