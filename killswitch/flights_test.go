package killswitch

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// An answer that leads to an automatic stop may be read to its end; but a person's stop ends it like any other.
func TestAPersonsStopEndsTheAnswerThatAnAutomaticOneSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memoryWeb(t)
		web.Host("a.test").Answer("/law", testweb.Answer{Status: 451, Body: string(make([]byte, 60_000)), Drip: testweb.Drip{Bytes: 1000, Every: time.Second}})
		s := newSwitch(t, Options{Base: web.Transport()})
		resp, err := (&http.Client{Transport: s.Transport(nil)}).Get("http://a.test/law")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		mustStop(t, s, Rule{Host: "b.test", Reason: "another site"})
		if n, err := io.ReadFull(resp.Body, make([]byte, 5000)); err != nil {
			t.Errorf("after the stop of another host, read %d bytes, %v, want 5000, nil", n, err)
		}
		id := mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
		_, err = io.Copy(io.Discard, resp.Body)
		wantErrStopped(t, "reading on after the stop", err)
		if rep, _ := s.Report(id); rep.Cancelled != 1 {
			t.Errorf("Report(%s).Cancelled = %d, want 1", id, rep.Cancelled)
		}
	})
}

func TestWhatIsToldOfAHostCountsForEachRuleThatCoversItsName(t *testing.T) {
	web := memoryWeb(t)
	s := newSwitch(t, Options{Base: web.Transport()})
	client := &http.Client{Transport: s.Transport(nil)}
	for _, host := range []string{"shop.test", "www.shop.test", "192.0.2.1"} {
		web.Host(host).Page("/", "x")
		resp, err := client.Get("http://" + host + "/")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	for _, x := range []struct {
		rule Rule
		want bool
	}{
		{Rule{Host: "shop.test"}, true},
		{Rule{Host: "www.shop.test", Path: "/other"}, true}, // they are of the whole host
		{Rule{Domain: "shop.test"}, true},
		{Rule{Domain: "test"}, true},
		{Rule{All: true, Action: Observe}, true},
		{Rule{Host: "192.0.2.1"}, true},
		{Rule{Host: "test"}, false},
		{Rule{Domain: "op.test"}, false},
		{Rule{Host: "other.test"}, false},
	} {
		e := newEntry(x.rule, FromCode, time.Now())
		p := s.flights.times(e)[e]
		if got := !p.LastRequest.IsZero() && !p.LastByte.IsZero(); got != x.want {
			t.Errorf("times of %s = %+v, want some: %v", x.rule.Scope(), p, x.want)
		}
	}
}

// A connection that was upgraded is none of net/http's any more: it has to be closed.
func TestAStopEndsAnUpgradedConnection(t *testing.T) {
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("a.test").Handle("/socket", func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_ = rw.Flush()
		_, _ = io.Copy(conn, rw)
	})
	s := newSwitch(t, Options{})
	client := &http.Client{Transport: s.Transport(web.Transport())}
	r, _ := http.NewRequest("GET", "http://a.test/socket", nil)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "echo")
	resp, err := client.Do(r)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("Do = %v, %v, want 101", resp, err)
	}
	defer resp.Body.Close()
	socket := resp.Body.(io.ReadWriter)
	if _, err := socket.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(socket, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := socket.Read(make([]byte, 1))
		read <- err
	}()
	mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
	select {
	case err := <-read:
		wantErrStopped(t, "reading on", err)
	case <-time.After(20 * time.Second):
		t.Error("the connection is still open 20s after the stop")
	}
	if _, err := socket.Write([]byte("x")); err == nil {
		t.Error("writing on = nil, want an error")
	}
}
