package testweb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// get sends one GET and returns the status and the body that arrived, with the error that ended it.
func get(t *testing.T, c *http.Client, url string) (status int, body string, err error) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// each runs a test on a memory web inside a bubble and on a loopback web.
func each(t *testing.T, test func(t *testing.T, web *Web)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			web := NewMemory()
			defer web.Close()
			test(t, web)
		})
	})
	t.Run("loopback", func(t *testing.T) {
		web, err := NewLoopback()
		if err != nil {
			t.Fatal(err)
		}
		defer web.Close()
		test(t, web)
	})
}

func TestManyHostsAndPortsBehindOneListener(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Page("/", "shop")
		web.Host("shop.test:8080").Page("/", "shop on 8080")
		web.Host("Bücher.test.").Page("/", "books")
		web.Host("www.example.com").Page("/", "any name")
		web.Host("[2001:db8::1]").Page("/", "an address")
		c := web.Client()
		for _, test := range []struct {
			url    string
			status int
			body   string
		}{
			{"http://shop.test/", 200, "shop"},
			{"http://SHOP.test./", 200, "shop"},
			{"https://shop.test/", 200, "shop"},
			{"http://shop.test:81/", 200, "shop"},
			{"http://shop.test:8080/", 200, "shop on 8080"},
			{"https://shop.test:8080/", 200, "shop on 8080"},
			{"http://bücher.test/", 200, "books"},
			{"http://www.example.com/", 200, "any name"},
			{"http://[2001:db8::1]:8080/", 200, "an address"},
			{"http://shop.test/none", 404, "404 page not found\n"},
			{"http://shop.test/robots.txt", 404, "404 page not found\n"},
			{"http://unknown.test/", 404, "no such host\n"},
		} {
			status, body, err := get(t, c, test.url)
			if err != nil || status != test.status || body != test.body {
				t.Errorf("GET %s = %d %q, %v, want %d %q", test.url, status, body, err, test.status, test.body)
			}
		}
		if got, want := web.Count("GET http://unknown.test/"), 1; got != want {
			t.Errorf("an unknown host is in the log %d times, want %d", got, want)
		}
	})
}

func TestAThousandRequestsAtOnceAreAllInTheLog(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		const n = 1000
		web.Host("shop.test").Page("/*", "ok")
		c := web.Client()
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				url := fmt.Sprintf("http://shop.test/%d", i)
				if status, body, err := get(t, c, url); err != nil || status != 200 || body != "ok" {
					t.Errorf("GET %s = %d %q, %v", url, status, body, err)
				}
			})
		}
		wg.Wait()
		hits := web.Hits()
		if got := len(hits); got != n {
			t.Fatalf("log has %d hits, want %d", got, n)
		}
		seen := make(map[string]bool)
		for i, h := range hits {
			seen[h.URI] = true
			if h.Seq != i+1 {
				t.Errorf("hit %d has Seq %d, want %d", i, h.Seq, i+1)
			}
			if i > 0 && h.Time.Before(hits[i-1].Time) {
				t.Errorf("hit %d arrived before the one it follows", i)
			}
			if h.Conn < 1 || h.Conn > web.Conns() {
				t.Errorf("hit %d came on connection %d of %d", i, h.Conn, web.Conns())
			}
		}
		if got := len(seen); got != n {
			t.Errorf("log has %d different targets, want %d", got, n)
		}
	})
}

func TestConnectionsAreCounted(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Page("/", "ok")
		tr := web.Transport()
		c := &http.Client{Transport: tr}
		get(t, c, "http://shop.test/")
		get(t, c, "http://shop.test/")
		if got, want := web.Conns(), 1; got != want {
			t.Errorf("Conns() after two requests on one connection = %d, want %d", got, want)
		}
		tr.CloseIdleConnections()
		get(t, c, "https://shop.test/")
		if got, want := web.Conns(), 2; got != want {
			t.Errorf("Conns() after a third on another = %d, want %d", got, want)
		}
		var got []int
		for _, h := range web.Hits() {
			got = append(got, h.Conn)
		}
		if diff := cmp.Diff([]int{1, 1, 2}, got); diff != "" {
			t.Errorf("connections of the hits (-want +got):\n%s", diff)
		}
	})
}

func TestHTTP2IsSpokenIfAsked(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		web.Host("shop.test").Page("/", "ok").Answer("/reset", Answer{Reset: true})
		tr := web.Transport()
		tr.ForceAttemptHTTP2 = true
		c := &http.Client{Transport: tr}
		if status, body, err := get(t, c, "https://shop.test/"); err != nil || status != 200 || body != "ok" {
			t.Errorf("GET over HTTP/2 = %d %q, %v, want 200 \"ok\"", status, body, err)
		}
		if _, _, err := get(t, c, "https://shop.test/reset"); err == nil {
			t.Error("GET of a stream that is reset succeeds, want an error")
		}
		if got, want := web.Hits()[0].Proto, "HTTP/2.0"; got != want {
			t.Errorf("Proto = %q, want %q", got, want)
		}
		if got, want := web.Hits()[0].String(), "GET https://shop.test/"; got != want {
			t.Errorf("line = %q, want %q", got, want)
		}
	})
}

func TestCloseEndsAnswersThatHang(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		arrived := make(chan bool)
		web.Host("shop.test").
			Answer("/headers", Answer{HangHeaders: true}).
			Answer("/body", Answer{HangBody: true, Body: "half"}).
			Answer("/delay", Answer{Delay: time.Hour}).
			Handle("/handler", func(_ http.ResponseWriter, r *http.Request) {
				arrived <- true
				<-r.Context().Done()
			})
		var wg sync.WaitGroup
		for _, scheme := range []string{"http", "https"} {
			for _, path := range []string{"/headers", "/body", "/delay", "/handler"} {
				wg.Go(func() {
					if _, _, err := get(t, web.Client(), scheme+"://shop.test"+path); err == nil {
						t.Errorf("GET %s://shop.test%s succeeds, want an error", scheme, path)
					}
				})
			}
		}
		<-arrived
		<-arrived
		web.Close()
		wg.Wait()
		web.Close() // a second time
		if _, err := web.Dial(context.Background(), "tcp", "shop.test:80"); err == nil {
			t.Error("Dial after Close succeeds, want an error")
		}
	})
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	// In memory the bubble of each test sees to it; here it is for real connections.
	web, err := NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	web.Host("shop.test").Page("/", "ok")
	c, _ := through(t, web)
	for _, u := range []string{"http://shop.test/", "https://shop.test/"} {
		get(t, c, u)
		get(t, web.Client(), u)
	}
	idle, err := web.Dial(t.Context(), "tcp", "shop.test:80") // says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	web.Close()

	var stacks string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "testweb.(*server)") && !strings.Contains(stacks, "http.(*conn).serve") {
			return // the last instruction of a goroutine may come after what Close waited for
		}
	}
	t.Errorf("goroutines after Close:\n%s", stacks)
}

func TestEndedContextDialsNothing(t *testing.T) {
	each(t, func(t *testing.T, web *Web) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := web.Dial(ctx, "tcp", "shop.test:80"); !errors.Is(err, context.Canceled) {
			t.Errorf("Dial with an ended context fails with %v, want %v", err, context.Canceled)
		}
		if got, want := len(web.Dials()), 0; got != want {
			t.Errorf("%d dials, want %d", got, want)
		}
	})
}

func TestNameThatIsNonePanics(t *testing.T) {
	web := NewMemory()
	defer web.Close()
	for what, f := range map[string]func(){
		"Host with a space":        func() { web.Host("shop test") },
		"Host with a scheme":       func() { web.Host("http://shop.test") },
		"path without a slash":     func() { web.Host("shop.test").Page("a", "") },
		"Answer without an answer": func() { web.Host("shop.test").Answer("/") },
		"Address of a name":        func() { web.Host("shop.test").Address("shop.test") },
		"HitsOf nothing":           func() { web.HitsOf("") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", what)
				}
			}()
			f()
		}()
	}
}
