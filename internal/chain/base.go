package chain

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
)

// originalDefault is net/http's default transport as the process began. If a program replaces it, by a mock for example, that one is used.
var originalDefault = http.DefaultTransport

// sharedBase is the base of every chain that was given none: one pool of connections for all collectors of the process. Its proxy is the one that
// the hop's front chose. It is made anew if the program gives http.DefaultTransport another TLS configuration.
var sharedBase struct {
	sync.Mutex
	transport *http.Transport
	tls       *tls.Config // of http.DefaultTransport when it was made
}

func shared() *http.Transport {
	d, _ := originalDefault.(*http.Transport)
	if d == nil {
		d = &http.Transport{}
	}
	s := &sharedBase
	s.Lock()
	defer s.Unlock()
	if s.transport != nil && s.tls == d.TLSClientConfig {
		return s.transport
	}
	if s.transport != nil {
		s.transport.CloseIdleConnections()
	}
	s.transport = d.Clone() // which also lets net/http finish with d's own TLS configuration
	s.tls = d.TLSClientConfig
	s.transport.Proxy = proxyOfHop
	s.transport.DialContext = dialDefault
	s.transport.OnProxyConnectResponse = refusedConnect
	return s.transport
}

// proxyOfDefault is the proxy that http.DefaultTransport would use at this moment: that of the environment, if the program did not change it.
func proxyOfDefault(r *http.Request) (*url.URL, error) {
	if d, ok := originalDefault.(*http.Transport); ok && d.Proxy != nil {
		return d.Proxy(r)
	}
	return nil, nil
}

// dialDefault dials as http.DefaultTransport does at this moment, so that what a test or a program set there holds for the chain too.
func dialDefault(ctx context.Context, network, addr string) (net.Conn, error) {
	if d, ok := originalDefault.(*http.Transport); ok && d.DialContext != nil {
		return d.DialContext(ctx, network, addr)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, addr)
}

func proxyOfHop(r *http.Request) (*url.URL, error) {
	if h, ok := r.Context().Value(hopKey{}).(*Hop); ok {
		return h.proxy, nil
	}
	return nil, nil
}

func refusedConnect(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &ProxyError{Err: fmt.Errorf("CONNECT was answered with %s", resp.Status)}
}

// proxyNeedsTransport refuses rather than send past a proxy that the user set.
const proxyNeedsTransport = "SetProxyFunc was called, but the base is not an *http.Transport and cannot use a proxy: let the base do the " +
	"proxying, or leave " + baseField + " empty"

// base chooses the transport of a hop, and its proxy. own reports that it is the shared one, whose dialled addresses can be judged.
func (c *Chain) base(h *Hop) (rt http.RoundTripper, own bool, err error) {
	base := c.foreignBase()
	front := c.front
	if front == nil { // a plain client's chain
		if base == nil {
			h.proxy, err = proxyOfDefault(h.given)
			return shared(), true, err
		}
		return base, false, nil
	}
	proxySet := front.DisableKeepAlives // SetProxyFunc always sets it, and the front starts without
	if base == nil {
		if front.Proxy != nil {
			// Asked once, with the request that was given: Colly's proxy switchers note their choice on it.
			h.proxy, err = front.Proxy(h.given)
		}
		return shared(), true, err
	}
	if !proxySet {
		return base, false, nil
	}
	t, ok := base.(*http.Transport)
	if !ok {
		return nil, false, newBypass(h.sent, h.Method(), proxyNeedsTransport)
	}
	if front.Proxy != nil {
		if h.proxy, err = front.Proxy(h.given); err != nil {
			return nil, false, err
		}
	}
	return c.proxied(t), false, nil
}

// foreignBase is the transport that the user chose, or nil.
func (c *Chain) foreignBase() http.RoundTripper {
	if b := c.config().Base; b != nil {
		return b
	}
	if _, ours := originalDefault.(*http.Transport); !ours || http.DefaultTransport != originalDefault {
		return http.DefaultTransport
	}
	return nil
}

// proxied is the user's transport with the front's proxy in place of its own. The user's is not written to.
func (c *Chain) proxied(t *http.Transport) *http.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proxiedOf != t {
		c.proxiedOf, c.proxiedBase = t, t.Clone()
		c.proxiedBase.Proxy = proxyOfHop
		if c.proxiedBase.OnProxyConnectResponse == nil {
			c.proxiedBase.OnProxyConnectResponse = refusedConnect
		}
	}
	return c.proxiedBase
}

// closeIdle drops the connections that nobody uses at the moment.
func (c *Chain) closeIdle() {
	if b, ok := c.foreignBase().(interface{ CloseIdleConnections() }); ok {
		b.CloseIdleConnections()
	}
	c.mu.Lock()
	proxied := c.proxiedBase
	c.mu.Unlock()
	if proxied != nil {
		proxied.CloseIdleConnections()
	}
	shared().CloseIdleConnections()
}
