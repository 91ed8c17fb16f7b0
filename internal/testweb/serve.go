package testweb

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
)

// dialer makes a connection to one listener.
type dialer func(ctx context.Context) (net.Conn, error)

// server is an http.Server for http and https on one listener: the first byte of a connection tells them apart. It is itself
// the listener of that http.Server, giving it connections whose first byte is known.
type server struct {
	dial    dialer
	inner   net.Listener
	handler http.Handler
	http    *http.Server
	tls     *tls.Config
	ready   chan net.Conn
	ctx     context.Context // ends at close
	cancel  context.CancelFunc
	running sync.WaitGroup // everything that close waits for

	mu     sync.Mutex
	conns  int
	closed bool
}

type certificates func(*tls.ClientHelloInfo) (*tls.Certificate, error)

func serve(l net.Listener, d dialer, h http.Handler, c certificates) *server {
	s := &server{dial: d, inner: l, handler: h, ready: make(chan net.Conn), tls: &tls.Config{GetCertificate: c, NextProtos: []string{"h2", "http/1.1"}}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:     http.HandlerFunc(s.handle),
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ConnContext: withConnNumber,
		ConnState:   s.follow,
		TLSConfig:   s.tls,
		ErrorLog:    log.New(quiet{os.Stderr}, "", log.LstdFlags),

		DisableGeneralOptionsHandler: true, // it would answer OPTIONS * past the log
	}
	s.running.Go(s.acceptAll)
	s.running.Go(func() { s.http.Serve(s) })
	return s
}

// close ends all connections and waits for the goroutines behind them.
func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.inner.Close()
	s.http.Close()
	s.running.Wait()
}

func (s *server) accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

func (s *server) acceptAll() {
	for {
		conn, err := s.inner.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns++
		p := &peeked{Conn: conn, number: s.conns}
		s.mu.Unlock()
		p.forget = context.AfterFunc(s.ctx, func() { conn.Close() })
		s.running.Go(func() { s.sniff(p) })
	}
}

// sniff waits for the first byte of a connection and hands it on as TLS or plain.
func (s *server) sniff(p *peeked) {
	if err := p.peek(); err != nil {
		p.Close()
		return
	}
	var conn net.Conn = p
	if p.isTLS() {
		conn = tls.Server(p, s.tls)
	}
	select {
	case s.ready <- conn:
	case <-s.ctx.Done():
		p.Close()
	}
}

func (s *server) Accept() (net.Conn, error) {
	select {
	case c := <-s.ready:
		return c, nil
	case <-s.ctx.Done():
		return nil, net.ErrClosed
	}
}

func (s *server) Close() error   { return nil }
func (s *server) Addr() net.Addr { return s.inner.Addr() }

// follow keeps count of the connections that http.Server has a goroutine for.
func (s *server) follow(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.running.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.running.Done()
	}
}

// handle keeps count of the handlers: they outlive their connection if it is hijacked or HTTP/2.
func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		abort()
	}
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	s.handler.ServeHTTP(w, r)
	if s.ctx.Err() != nil {
		abort() // a handler that gives up because of close must not look like one that answered
	}
}

// peeked is a connection whose first byte was read ahead. It is closed when its server is, whoever holds it by then.
type peeked struct {
	net.Conn
	number int
	forget func() bool // that the server's end closes it
	first  [1]byte
	unread int // of first
}

func (p *peeked) peek() error {
	n, err := io.ReadFull(p.Conn, p.first[:])
	p.unread = n
	return err
}

// isTLS: a TLS record of type handshake begins with 22 (RFC 8446, 5.1), a request line with a letter.
func (p *peeked) isTLS() bool { return p.first[0] == 22 }

func (p *peeked) Read(b []byte) (int, error) {
	if p.unread > 0 && len(b) > 0 {
		p.unread = 0
		b[0] = p.first[0]
		return 1, nil
	}
	return p.Conn.Read(b)
}

func (p *peeked) Close() error {
	p.forget()
	return p.Conn.Close()
}

type connNumberKey struct{}

func withConnNumber(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, connNumberKey{}, c.(*peeked).number)
}

func connNumber(ctx context.Context) int {
	n, _ := ctx.Value(connNumberKey{}).(int)
	return n
}

// quiet leaves failed handshakes out of the server's log: tests cause them on purpose. A panic of a handler is still shown.
type quiet struct{ io.Writer }

func (q quiet) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("TLS handshake error")) {
		return len(line), nil
	}
	return q.Writer.Write(line)
}
