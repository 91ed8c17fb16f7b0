package testweb

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Dial is one attempt to connect.
type Dial struct {
	Time time.Time
	Addr string // as it was asked for, "shop.test:80"
	Err  error  // what [Host.DialError] made of it
}

// Dials are the attempts to connect through the web so far, in order: the judge of requests that never became any.
func (w *Web) Dials() []Dial {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dials)
}

// Dial connects to a host or proxy of this web, whatever its name; it is made to be a [http.Transport]'s DialContext. Names
// are never looked up, and nothing outside can be reached.
func (w *Web) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dial, at, err := w.route(addr)
	w.mu.Lock()
	w.dials = append(w.dials, Dial{Time: time.Now(), Addr: addr, Err: err})
	w.mu.Unlock()
	var conn net.Conn
	if err == nil {
		conn, err = dial(ctx)
	}
	var op *net.OpError
	switch {
	case errors.As(err, &op):
		return nil, err
	case err != nil:
		return nil, &net.OpError{Op: "dial", Net: network, Addr: address(addr), Err: err}
	case at.IsValid():
		return placed{conn, net.TCPAddrFromAddrPort(at)}, nil
	}
	return conn, nil
}

// route finds what listens at addr, and the address that it claims to have, if any.
func (w *Web) route(addr string) (d dialer, at netip.AddrPort, err error) {
	if p := w.proxyAt(addr); p != nil {
		return p.server.dial, at, p.dialError()
	}
	h := w.hostOf(addr, false)
	if h == nil {
		return w.server.dial, at, nil
	}
	ip, err := h.dialed()
	if _, digits, err := net.SplitHostPort(addr); err == nil && ip.IsValid() {
		port, _ := strconv.ParseUint(digits, 10, 16) // hostOf has read it
		at = netip.AddrPortFrom(ip, uint16(port))
	}
	return w.server.dial, at, err
}

// placed is a connection to a host that claims an address.
type placed struct {
	net.Conn
	remote net.Addr
}

func (p placed) RemoteAddr() net.Addr { return p.remote }

// Transport returns a new transport that reaches this web and nothing else. It speaks HTTP/1.1; set its ForceAttemptHTTP2 to
// have HTTP/2 over TLS. It belongs to the caller; [Web.Close] closes its idle connections.
func (w *Web) Transport() *http.Transport {
	t := &http.Transport{DialContext: w.Dial, TLSClientConfig: &tls.Config{RootCAs: Roots()}}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.transports = append(w.transports, t)
	return t
}

// Client is a client over a new [Web.Transport]. It follows redirects and has no timeout.
func (w *Web) Client() *http.Client { return &http.Client{Transport: w.Transport()} }

// address is a net.Addr for a name that has no IP address.
type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }
