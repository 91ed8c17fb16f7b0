package testweb

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

// Proxy is a forward proxy into its [Web]: for http it is sent whole URLs, for https a CONNECT. Its log holds what it was
// asked ("GET http://shop.test/a", "CONNECT shop.test:443"); what it passes on is in the log of the web as well, with a Via
// header where it could add one.
type Proxy struct {
	// HitLog holds every request that arrived, also those that were not passed on.
	HitLog

	web     *Web
	server  *server
	forward *httputil.ReverseProxy
	url     *url.URL

	mu      sync.Mutex
	script  script
	dialErr error
}

// Proxy starts a new proxy. It is closed with the web.
func (w *Web) Proxy() (*Proxy, error) {
	l, err := w.connect.listen()
	if err != nil {
		return nil, err
	}
	p := &Proxy{web: w, url: &url.URL{Scheme: "http", Host: l.Addr().String()}}
	p.Answer(Answer{})
	out := w.Transport()
	out.DisableCompression = true // else the transport would add an Accept-Encoding
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Header.Add("Via", "1.1 testweb")
		},
		Transport:     out,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, err error) {
			http.Error(rw, err.Error(), http.StatusBadGateway)
		},
	}
	p.server = serve(l, w.connect.dialer(l), http.HandlerFunc(p.answer), w.certificate)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.proxies = append(w.proxies, p)
	return p, nil
}

// URL is the address of the proxy, on 127.0.0.1: for [http.ProxyURL] or Colly's SetProxy. In memory only the transports of the
// web reach it.
func (p *Proxy) URL() *url.URL {
	u := *p.url
	return &u
}

// Answer answers the next requests, CONNECT or not, one after the other with the given answers; the last one stays. The zero
// Answer passes the request on, so Answer(Answer{Status: 502}, Answer{}) fails once. Without a call all are passed on.
func (p *Proxy) Answer(answers ...Answer) {
	if len(answers) == 0 {
		panic("testweb: no answer for the proxy")
	}
	var s script
	for _, a := range answers {
		if a.isZero() {
			s.steps = append(s.steps, http.HandlerFunc(p.pass))
		} else {
			s.steps = append(s.steps, a)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script = s
}

// DialError lets every later attempt to connect to the proxy fail with err; nil lets them succeed again. It holds for clients
// that dial through the [Web]; for others Close the proxy.
func (p *Proxy) DialError(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialErr = err
}

// Conns is the number of connections that the proxy accepted so far.
func (p *Proxy) Conns() int { return p.server.accepted() }

// Close ends the proxy and its connections and waits for them. Further calls do nothing.
func (p *Proxy) Close() { p.server.close() }

func (p *Proxy) answer(rw http.ResponseWriter, r *http.Request) {
	p.record(r)
	p.mu.Lock()
	step := p.script.step()
	p.mu.Unlock()
	step.ServeHTTP(rw, r)
}

func (p *Proxy) pass(rw http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(rw, r)
	case !r.URL.IsAbs():
		http.Error(rw, fmt.Sprintf("%q is not for a proxy", r.RequestURI), http.StatusBadRequest)
	default:
		p.forward.ServeHTTP(rw, r)
	}
}

// tunnel connects the client with the host it asks for (RFC 9110, 9.3.6) until one of them ends.
func (p *Proxy) tunnel(rw http.ResponseWriter, r *http.Request) {
	host, err := p.web.Dial(r.Context(), "tcp", r.RequestURI)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway)
		return
	}
	defer host.Close()
	client, buffered, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	defer client.Close()

	io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	var up sync.WaitGroup
	up.Go(func() {
		io.Copy(host, buffered) // what the client sent too early is in the buffer
		closeBoth(client, host)
	})
	io.Copy(client, host)
	closeBoth(client, host)
	up.Wait()
}

func closeBoth(a, b net.Conn) {
	a.Close()
	b.Close()
}

func (p *Proxy) dialError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dialErr
}

// proxyAt is the proxy that listens at addr, or nil.
func (w *Web) proxyAt(addr string) *Proxy {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.proxies {
		if p.url.Host == addr {
			return p
		}
	}
	return nil
}
