package killswitch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// crawlers runs goroutines that ask a.test and b.test over real connections until the test ends.
func crawlers(t *testing.T, web *testweb.Web, s *Switch, goroutines int) {
	base := web.Transport()
	base.MaxConnsPerHost = 16 // the others wait for a connection, as in a crawl
	base.MaxIdleConnsPerHost = 16
	client := &http.Client{Transport: s.Transport(base)}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range goroutines {
		host := []string{"a.test", "b.test"}[i%2]
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				r, _ := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("http://%s/?%d-%d", host, i, n), nil)
				resp, err := client.Do(r)
				if err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				} else if errors.Is(err, ErrStopped) {
					<-time.After(200 * time.Millisecond) // a crawler that goes on asking
				}
			}
		})
	}
	t.Cleanup(func() { cancel(); wg.Wait() })
}

// lastStart waits until b.test has been served well after the moment, and returns when the last request to a.test began after it; never before it: 0.
func lastStart(t *testing.T, web *testweb.Web, moment time.Time, watch time.Duration) time.Duration {
	t.Helper()
	<-time.After(time.Until(moment.Add(watch)))
	var last time.Duration
	alive := false
	for _, h := range web.Hits() {
		late := h.Time.Sub(moment)
		if h.Host == "b.test" && late > watch/2 {
			alive = true
		}
		if h.Host == "a.test" && late > last {
			last = late
		}
	}
	if !alive {
		t.Error("the other host was not crawled any more: the test says nothing")
	}
	return last
}

func promiseWeb(t *testing.T) *testweb.Web {
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	for _, h := range []string{"a.test", "b.test"} {
		// A server that thinks a little: a crawl waits for servers, not for its own processor.
		web.Host(h).Answer("/", testweb.Answer{Body: strings.Repeat("x", 500), Delay: 50 * time.Millisecond})
	}
	return web
}

// lateness measures how late the machine itself is: what a timer of 5 ms is late at most from now until the returned function is called. A test under the
// race detector on a busy machine would otherwise measure its neighbours.
func lateness() func() time.Duration {
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		var most time.Duration
		for {
			began := time.Now()
			select {
			case <-stop:
				worst <- most
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, time.Since(began)-5*time.Millisecond)
			}
		}
	}()
	return func() time.Duration { close(stop); return <-worst }
}

func waitForHits(t *testing.T, web *testweb.Web, n int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); len(web.HitsOf("a.test")) < n; {
		if time.Now().After(deadline) {
			t.Fatalf("%d hits, want %d", len(web.HitsOf("a.test")), n)
		}
		<-time.After(5 * time.Millisecond)
	}
}

const crowd = 1000

func TestPromiseFromTheRenameToTheLastRequestUnder1100ms(t *testing.T) {
	web := promiseWeb(t)
	path := stopFilePath(t, emptyFile)
	s := newSwitch(t, Options{File: path})
	crawlers(t, web, s, crowd)
	waitForHits(t, web, 200)
	late := lateness()
	moment := time.Now()
	rename(t, path, fileOf(1, "a.test"))
	last := lastStart(t, web, moment, 2*time.Second)
	lag := late()
	t.Logf("last request start %s after the rename; timers were up to %s late", last, lag)
	if last >= 1100*time.Millisecond+lag {
		t.Errorf("last request start %s after the rename, want under 1.1s", last)
	}
}

func TestPromiseFromTheCallOfTheEndpointToTheLastRequestUnder100ms(t *testing.T) {
	web := promiseWeb(t)
	s := newSwitch(t, Options{Token: testToken, StateDir: t.TempDir()})
	admin := httptest.NewServer(s.Handler())
	defer admin.Close()
	crawlers(t, web, s, crowd)
	waitForHits(t, web, 200)
	late := lateness()
	moment := time.Now()
	r, _ := http.NewRequest("POST", admin.URL+"/v1/rules", bytes.NewReader([]byte(`{"id": "x", "host": "a.test", "reason": "asked"}`)))
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	answered := time.Since(moment)
	last := lastStart(t, web, moment, time.Second)
	lag := late()
	t.Logf("last request start %s after the call, which was answered with %d after %s; timers were up to %s late", last, resp.StatusCode, answered, lag)
	// The call itself takes several turns of the scheduler: dial, write, read.
	if resp.StatusCode != http.StatusOK || last >= 100*time.Millisecond+3*lag {
		t.Errorf("status %d, last request start %s after the call, want 200 and under 100ms", resp.StatusCode, last)
	}
}

// The in-memory web and the landing of what is under way make "after Stop returns" exact: whatever the server sees later was sent later.
func TestPromiseNoRequestStartsOnceStopHasReturned(t *testing.T) {
	web := memoryWeb(t)
	for _, h := range []string{"a.test", "b.test"} {
		web.Host(h).Page("/", "x")
	}
	s := newSwitch(t, Options{})
	var returned atomic.Bool
	var late atomic.Int64
	send := sender(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "a.test" && r.Context().Err() == nil && returned.Load() {
			late.Add(1)
		}
		<-time.After(time.Millisecond)
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r, Header: http.Header{}}, nil
	})
	client := &http.Client{Transport: s.Transport(send)}
	var wg sync.WaitGroup
	var done atomic.Bool
	var sent, n atomic.Int64
	for range crowd {
		wg.Go(func() {
			for !done.Load() {
				if resp, err := client.Get(fmt.Sprintf("http://a.test/?%d", n.Add(1))); err == nil {
					resp.Body.Close()
					sent.Add(1)
				} else {
					<-time.After(10 * time.Millisecond)
				}
			}
		})
	}
	for round := range 20 {
		for before := sent.Load(); sent.Load() < before+200; {
			<-time.After(time.Millisecond)
		}
		id := mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
		returned.Store(true)
		<-time.After(5 * time.Millisecond)
		if n := late.Load(); n > 0 {
			t.Fatalf("round %d: %d requests started after Stop had returned", round, n)
		}
		returned.Store(false)
		if err := s.Lift(id, "next round"); err != nil {
			t.Fatal(err)
		}
	}
	done.Store(true)
	wg.Wait()
}

type sender func(*http.Request) (*http.Response, error)

func (f sender) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestPromiseARunningBodyEndsWithin100ms(t *testing.T) {
	web := promiseWeb(t)
	ended := make(chan time.Time, 1)
	web.Host("a.test").Handle("/big", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				break
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(time.Millisecond):
			}
		}
		ended <- time.Now()
	})
	s := newSwitch(t, Options{})
	crawlers(t, web, s, crowd)
	resp, err := (&http.Client{Transport: s.Transport(web.Transport())}).Get("http://a.test/big")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, resp.Body)
		read <- err
	}()
	waitForHits(t, web, 200)
	late := lateness()
	moment := time.Now()
	mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
	wantErrStopped(t, "reading the body", <-read)
	client, server := time.Since(moment), (<-ended).Sub(moment)
	lag := late()
	t.Logf("the reader saw the end after %s, the server after %s; timers were up to %s late", client, server, lag)
	if most := 100*time.Millisecond + 3*lag; client > most || server > most {
		t.Errorf("ended after %s for the reader and %s for the server, want at most 100ms", client, server)
	}
}
