package chain

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
)

// hopTrace watches where net/http sends a hop. net/http repeats a request by itself when a kept-alive connection breaks; without the hook
// the server would be hit a second time without a turn.
type hopTrace struct {
	conns   int      // how often a connection was asked for
	conn    net.Conn // the last that there was
	public  bool
	entered atomic.Bool // the base was
	sender  Sender      // nil: nobody asks when the hop is sent
	wire    wireContext
}

// wireContext is the context of the copy that is sent: the hop's, with the hooks of the trace, but without the allocations of WithClientTrace.
type wireContext struct {
	*hopContext
	hooks httptrace.ClientTrace
}

func (c *wireContext) Value(key any) any {
	if key == traceKey {
		return &c.hooks
	}
	return c.hopContext.Value(key)
}

// traceKey is the key under which net/http looks for a trace in a context. It is nil should net/http look elsewhere.
var traceKey = func() any {
	var p keyProbe
	httptrace.ContextClientTrace(&p)
	return p.key
}()

// keyProbe is a context that remembers what it was asked for.
type keyProbe struct {
	context.Context
	key any
}

func (p *keyProbe) Value(key any) any {
	p.key = key
	return nil
}

// OnSend lets s know when the hop is sent. One can know: the throttle.
func (h *Hop) OnSend(s Sender) { h.trace.sender = s }

// roundTrip hands the hop to the base.
func (h *Hop) roundTrip(base http.RoundTripper) (*http.Response, error) {
	if h.trace.sender != nil {
		_, traced := base.(*http.Transport)
		h.trace.sender.Sending(traced)
	}
	resp, err := base.RoundTrip(&h.out)
	h.entered(false)
	return resp, err
}

func (h *Hop) entered(inside bool) {
	if h.trace.sender != nil && h.trace.entered.CompareAndSwap(false, true) {
		h.trace.sender.Entered(inside)
	}
}

// withTrace makes the context of the copy that is sent.
func (h *Hop) withTrace(judgeDialled bool) context.Context {
	w := &h.trace.wire
	w.hopContext = &h.ctx
	w.hooks.GetConn = h.getConn
	if judgeDialled {
		w.hooks.GotConn = h.gotConn
	} else {
		w.hooks.GotConn = h.closeIfEnded
	}
	if traceKey == nil || httptrace.ContextClientTrace(&h.ctx) != nil { // the user's own trace is told too
		return httptrace.WithClientTrace(&h.ctx, &w.hooks)
	}
	return w
}

func (h *Hop) getConn(string) {
	if h.trace.conns++; h.trace.conns == 1 {
		h.entered(true)
		return
	}
	if h.trace.http2() {
		h.cancel(errAnew)
		return
	}
	h.chain.deadlines.remove(h)
	for _, l := range h.chain.stack().layers {
		r, ok := l.(Resender)
		if !ok {
			continue
		}
		if err := r.Resend(h); err != nil {
			h.End(l, err)
			return
		}
	}
	switch stale, err := h.Recheck(); {
	case err != nil:
		h.End(h.refusedBy, err)
	case stale:
		h.cancel(errAnew)
	default:
		h.starting()
	}
}

// gotConn judges the address that is really dialled. A request that must not be sent on the connection is ended, and an HTTP/1 connection closed,
// since net/http writes without another look at the context.
func (h *Hop) gotConn(info httptrace.GotConnInfo) {
	if info.Conn != nil {
		if ip, ok := remoteIP(info.Conn.RemoteAddr()); ok {
			h.trace.public = !origin.IsPrivateAddr(ip)
			if !h.trace.public && h.trail.public && !h.chain.allowPrivate.Load() {
				h.End(itself, newPrivate(h, ip.String()))
			}
		}
	}
	h.closeIfEnded(info)
}

func (h *Hop) closeIfEnded(info httptrace.GotConnInfo) {
	h.trace.conn = info.Conn
	if h.ctx.Err() == nil || info.Conn == nil {
		return
	}
	if h.trace.http2() {
		return // it carries other requests too, and HTTP/2 looks at the context itself before it writes
	}
	_ = info.Conn.Close()
}

// http2 reports whether the last connection was one of HTTP/2.
func (t *hopTrace) http2() bool {
	conn, ok := t.conn.(*tls.Conn)
	return ok && conn.ConnectionState().NegotiatedProtocol == "h2"
}

func remoteIP(a net.Addr) (netip.Addr, bool) {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}, false
	}
	ip, ok := netip.AddrFromSlice(tcp.IP)
	return ip.Unmap(), ok
}

// PrivateError refuses a redirect from a public address to a private, loopback or link-local one.
type PrivateError struct {
	URL, Method, Host, Address, Referrer string
}

func newPrivate(h *Hop, address string) *PrivateError {
	e := &PrivateError{URL: h.sent.Redacted(), Method: h.Method(), Host: hostKey(h.sent), Address: address}
	if prev := h.given.Response; prev != nil && prev.Request != nil {
		e.Referrer = prev.Request.URL.Redacted()
	}
	return e
}

func (e *PrivateError) Error() string {
	return "etiquette: " + e.URL + " not sent: a redirect from a public address leads to the private address " + e.Address +
		": set Options.AllowPrivate if that is meant"
}

// Skip implements report.Refusal.
func (e *PrivateError) Skip() report.Skip {
	return report.Skip{Time: time.Now(), URL: e.URL, Method: e.Method, Host: e.Host, Reason: report.PrivateAddress,
		Detail: "a redirect from a public address leads to " + e.Address, Referrer: e.Referrer}
}

// checkPrivate judges what can be judged without dialling: literals and localhost.
func (h *Hop) checkPrivate() error {
	if h.given.Response == nil || !h.trail.public || h.chain.allowPrivate.Load() {
		return nil
	}
	name := h.given.URL.Hostname()
	if name == "" { // which is dialled as this machine
		return newPrivate(h, "localhost")
	}
	if origin.IsPrivateLiteral(name) {
		return newPrivate(h, name)
	}
	return nil
}

// ProxyError is the proxy's own failure: it could not be dialled, or it refused a CONNECT. It is nobody's fault but the proxy's.
type ProxyError struct{ Err error }

func (e *ProxyError) Error() string { return "etiquette: the proxy failed: " + e.Err.Error() }
func (e *ProxyError) Unwrap() error { return e.Err }

// IsProxy reports whether err is the proxy's failure and not the site's.
func IsProxy(err error) bool {
	var own *ProxyError
	if errors.As(err, &own) {
		return true
	}
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "proxyconnect" || op.Op == "socks connect")
}
