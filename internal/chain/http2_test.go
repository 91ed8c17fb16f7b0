package chain

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
)

// frames is an HTTP/2 server that answers each request with 200, but refuses those that are named, the first being 1 (RFC 9113, 8.7: such a
// request was not processed and may be sent again, which net/http does by itself).
type frames struct {
	addr   string
	refuse []int

	mu      sync.Mutex
	streams int
	octets  int64 // of bodies
}

func newFrames(t *testing.T, refuse ...int) *frames {
	t.Helper()
	cert := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(cert.Close)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: cert.TLS.Certificates, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	f := &frames{addr: ln.Addr().String(), refuse: refuse}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go f.serve(conn)
		}
	}()
	return f
}

func (f *frames) seen() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.streams
}

func (f *frames) read() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int(f.octets)
}

func (f *frames) serve(conn io.ReadWriteCloser) {
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	const data, headers, rstStream, settings, endStream, ack, refused = 0, 1, 3, 4, 1, 1, 7
	write := func(kind, flags byte, stream uint32, payload ...byte) {
		frame := append([]byte{0, 0, byte(len(payload)), kind, flags, 0, 0, 0, 0}, payload...)
		binary.BigEndian.PutUint32(frame[5:], stream)
		_, _ = conn.Write(frame)
	}
	answer := func(stream uint32) {
		if slices.Contains(f.refuse, f.seen()) {
			write(rstStream, 0, stream, 0, 0, 0, refused)
		} else {
			write(headers, 5, stream, 0x88) // END_STREAM, END_HEADERS, ":status 200"
		}
	}
	write(settings, 0, 0)
	for {
		var head [9]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return
		}
		length := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err := io.CopyN(io.Discard, conn, length); err != nil {
			return
		}
		stream := binary.BigEndian.Uint32(head[5:])
		switch {
		case head[3] == settings && head[4]&ack == 0:
			write(settings, ack, 0)
		case head[3] == data:
			f.mu.Lock()
			f.octets += length
			f.mu.Unlock()
			answer(stream)
		case head[3] == headers:
			f.mu.Lock()
			f.streams++
			f.mu.Unlock()
			if head[4]&endStream != 0 {
				answer(stream)
			}
		}
	}
}

// net/http asks for a connection for a second attempt while it holds the lock of all its HTTP/2 connections. Whoever waits there holds all hosts up.
func TestWhatHTTP2SendsAgainWaitsWithoutHoldingOtherHostsUp(t *testing.T) {
	slow, other := newFrames(t, 2, 3), newFrames(t)
	otherDone := make(chan struct{})
	wait := func(*Hop) error {
		select {
		case <-otherDone:
		case <-time.After(20 * time.Second):
			t.Error("the other host's request did not come back while this one waits")
		}
		return nil
	}
	waiting := make(chan struct{}, 10)
	visits := 0
	l := &resendLayer{testLayer: testLayer{kind: Throttle}}
	l.resend = func(h *Hop) error {
		waiting <- struct{}{}
		return wait(h)
	}
	l.handle = func(h *Hop, next Handler) (*http.Response, error) {
		if h.URL().Path == "/again" {
			if visits++; visits > 1 {
				waiting <- struct{}{}
				_ = wait(h)
			}
		}
		return next(h)
	}
	c := colly.NewCollector()
	mustAttach(t, c, Config{Base: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}, l)
	for _, addr := range []string{slow.addr, other.addr} {
		if err := c.Visit("https://" + addr + "/warm"); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error)
	go func() { done <- c.Visit("https://" + slow.addr + "/again") }()
	<-waiting
	if err := c.Visit("https://" + other.addr + "/meanwhile"); err != nil {
		t.Error(err)
	}
	close(otherDone)
	if err := <-done; err != nil {
		t.Errorf("Visit of what was refused twice = %v, want nil", err)
	}
	if slow.seen() != 4 || other.seen() != 2 {
		t.Errorf("the servers saw %d and %d requests, want 4 and 2", slow.seen(), other.seen())
	}
}

func TestAPOSTThatHTTP2SendsAgainHasItsWholeBody(t *testing.T) {
	for name, body := range map[string]io.Reader{"can be read again": strings.NewReader("a=b"), "cannot": io.MultiReader(strings.NewReader("a=b"))} {
		t.Run(name, func(t *testing.T) {
			f := newFrames(t, 2)
			c := colly.NewCollector()
			mustAttach(t, c, Config{Base: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}, &testLayer{kind: Throttle})
			if err := c.Visit("https://" + f.addr + "/warm"); err != nil {
				t.Fatal(err)
			}
			err := c.Request(http.MethodPost, "https://"+f.addr+"/form", body, nil, nil)
			if _, again := body.(*strings.Reader); again {
				if got, want := f.read(), len("a=b")*2; err != nil || f.seen() != 3 || got != want {
					t.Errorf("POST = %v with %d requests and %d octets of bodies seen, want nil, 3 and %d", err, f.seen(), got, want)
				}
			} else if err == nil || f.seen() != 2 {
				t.Errorf("POST = %v with %d requests seen, want an error and 2", err, f.seen())
			}
		})
	}
}

// A server that refuses for ever is not asked for ever.
func TestWhatAServerRefusesAgainAndAgainHasAnEnd(t *testing.T) {
	var all []int
	for i := range 100 {
		all = append(all, i+1)
	}
	f := newFrames(t, all...)
	c := colly.NewCollector()
	mustAttach(t, c, Config{Base: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}, &testLayer{kind: Throttle})
	if err := c.Visit("https://" + f.addr + "/"); err == nil {
		t.Error("Visit = nil, want an error")
	}
	if got := f.seen(); got > 8 {
		t.Errorf("the server saw %d requests, want at most 8", got)
	}
}
