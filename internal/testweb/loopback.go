package testweb

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// NewLoopback makes a web that listens on a free port of 127.0.0.1. Clients reach it through [Web.Transport] or [Web.Dial].
// The error is that of listening.
func NewLoopback() (*Web, error) { return newWeb(loopback{}) }

// Start makes a web as [NewLoopback] does and puts it into [http.DefaultTransport] until it is closed: names under .test and
// those given to [Web.Host] are dialled there without a proxy and their certificates are trusted; all else goes where it went
// before. A clone of http.DefaultTransport made in that time finds the web as well.
//
// It changes http.DefaultTransport, which must not be in use at that moment: call it first thing in main. Only one web can be
// started at a time; a second one is an error.
func Start() (*Web, error) {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, fmt.Errorf("testweb: http.DefaultTransport is a %T, want a *http.Transport", http.DefaultTransport)
	}
	if !started.CompareAndSwap(false, true) {
		return nil, errors.New("testweb: another web is started: close it first")
	}
	w, err := NewLoopback()
	if err != nil {
		started.Store(false)
		return nil, err
	}
	remove := w.putInto(t)
	w.restore = sync.OnceFunc(func() {
		remove()
		started.Store(false)
	})
	return w, nil
}

var started atomic.Bool

// putInto changes how t dials, which proxy it takes and whom it trusts, and returns what undoes that. Connections of clones
// outlive the undoing, so what is put in asks each time whether the web is still there.
func (w *Web) putInto(t *http.Transport) (remove func()) {
	var gone atomic.Bool
	ours := func(addr string) bool { return !gone.Load() && w.knows(addr) }

	dial, proxy := t.DialContext, t.Proxy
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		switch {
		case ours(addr):
			return w.Dial(ctx, network, addr)
		case dial == nil:
			return new(net.Dialer).DialContext(ctx, network, addr)
		}
		return dial(ctx, network, addr)
	}
	if proxy != nil {
		t.Proxy = func(r *http.Request) (*url.URL, error) {
			if key, port, err := splitHost(r.URL.Host); err == nil && ours(net.JoinHostPort(key, portOf(port, r.URL.Scheme == "https"))) {
				return nil, nil
			}
			return proxy(r)
		}
	}

	var roots *x509.CertPool
	hadConfig := t.TLSClientConfig != nil
	if hadConfig {
		roots = t.TLSClientConfig.RootCAs
	}
	t.TLSClientConfig = trusting(t.TLSClientConfig, alsoTrusting(roots))

	return func() {
		gone.Store(true)
		t.DialContext, t.Proxy = dial, proxy
		// Not the old config itself: net/http has written the HTTP/2 protocol into the new one if t was used meanwhile.
		t.TLSClientConfig = trusting(t.TLSClientConfig, roots)
		if !hadConfig && len(t.TLSClientConfig.NextProtos) == 0 {
			t.TLSClientConfig = nil
		}
	}
}

// knows reports whether an address is one of this web.
func (w *Web) knows(addr string) bool {
	if w.proxyAt(addr) != nil || w.hostOf(addr, false) != nil {
		return true
	}
	key, _, err := splitHost(addr)
	return err == nil && strings.HasSuffix("."+key, ".test")
}

func trusting(c *tls.Config, roots *x509.CertPool) *tls.Config {
	if c == nil {
		c = &tls.Config{}
	}
	c = c.Clone()
	c.RootCAs = roots
	return c
}

// loopback is a connector over TCP.
type loopback struct{}

func (loopback) listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

func (loopback) dialer(l net.Listener) dialer {
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	}
}
