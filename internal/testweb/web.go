package testweb

import (
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// Web is a set of hosts behind one listener, with one log. Make it with [NewMemory], [NewLoopback] or [Start], and Close it.
type Web struct {
	// HitLog holds every request that arrived, also those for hosts and paths that nobody has set up.
	HitLog

	server  *server
	connect connector
	restore func() // takes the web out of http.DefaultTransport again

	mu         sync.Mutex
	hosts      map[string]*Host // by name, or by name:port
	proxies    []*Proxy
	dials      []Dial
	transports []*http.Transport
}

// connector makes listeners, and connections to them.
type connector interface {
	listen() (net.Listener, error)
	dialer(l net.Listener) dialer
}

func newWeb(c connector) (*Web, error) {
	l, err := c.listen()
	if err != nil {
		return nil, err
	}
	w := &Web{connect: c, restore: func() {}, hosts: make(map[string]*Host)}
	w.server = serve(l, c.dialer(l), http.HandlerFunc(w.answer), w.certificate)
	return w, nil
}

// Host returns the host of that name, and makes it at first use. With a port ("shop.test:8080") it answers on that port only,
// without one on every port that has no host of its own. The name may be an address; it need not end in .test.
func (w *Web) Host(name string) *Host {
	key, port, err := splitHost(name)
	if err != nil {
		panic("testweb: " + err.Error())
	}
	if port != "" {
		key = net.JoinHostPort(key, port)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.hosts[key]
	if h == nil {
		h = &Host{paths: make(map[string]*script)}
		w.hosts[key] = h
	}
	return h
}

// Conns is the number of connections that were accepted so far.
func (w *Web) Conns() int { return w.server.accepted() }

// Close ends all connections, also in the middle of an answer, and waits until nothing of the web is running any more. A
// handler given to [Host.Handle] must end when its request's context does. Further calls do nothing.
func (w *Web) Close() {
	w.restore()
	w.mu.Lock()
	proxies, transports := w.proxies, w.transports
	w.mu.Unlock()
	for _, p := range proxies {
		p.Close()
	}
	w.server.close()
	for _, t := range transports {
		t.CloseIdleConnections()
	}
}

// answer logs first: a client that has its answer finds its request in the log.
func (w *Web) answer(rw http.ResponseWriter, r *http.Request) {
	w.record(r)
	h := w.hostOf(r.Host, r.TLS != nil)
	if h == nil {
		http.Error(rw, "no such host", http.StatusNotFound)
		return
	}
	h.ServeHTTP(rw, r)
}

// hostOf finds the host for a Host header: the one for its port first. It is nil if there is none.
func (w *Web) hostOf(header string, secure bool) *Host {
	key, port, err := splitHost(header)
	if err != nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if h := w.hosts[net.JoinHostPort(key, portOf(port, secure))]; h != nil {
		return h
	}
	return w.hosts[key]
}

func (w *Web) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if w.failsTLS(hello.ServerName) {
		return nil, errNoTLS
	}
	return certificateFor(hello.ServerName)
}

func (w *Web) failsTLS(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for host, h := range w.hosts {
		if key, _, err := splitHost(host); err == nil && key == name && h.tlsFails() {
			return true
		}
	}
	return false
}

// splitHost gives the host key and the port of a Host header or a dialled address; the port is empty if there is none.
func splitHost(host string) (key, port string, err error) {
	key, err = origin.HostKeyOf(host)
	if err != nil {
		return "", "", err
	}
	if _, p, err := net.SplitHostPort(host); err == nil {
		port = strings.TrimLeft(p, "0")
	}
	return key, port, nil
}
