package testweb

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

// Host is one host of a [Web]: what it answers on which path. A path that is not set up is a 404, /robots.txt included. Its
// methods may be called while requests come in; those that set something up return the host, so that calls can be chained.
type Host struct {
	mu      sync.Mutex
	paths   map[string]*script
	dialErr error
	address netip.Addr
	noTLS   bool // handshakes fail
}

// script is what happens at one path: the steps one after the other, the last one again and again.
type script struct {
	steps []http.Handler
	next  int
}

func (s *script) step() http.Handler {
	step := s.steps[s.next]
	if s.next < len(s.steps)-1 {
		s.next++
	}
	return step
}

// Page answers path with an HTML page. The path may carry a query ("/list?page=2"), which then must be the same; without one
// it stands for every query. A path that ends in "*" stands for all paths that begin so; the longest one counts.
func (h *Host) Page(path, html string) *Host {
	return h.Answer(path, Answer{Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: html})
}

// Robots answers /robots.txt with 200 and the given rules.
func (h *Host) Robots(rules string) *Host {
	return h.Answer("/robots.txt", Answer{Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: rules})
}

// Answer answers path with the given answers one after the other, whatever the method; the last one stays. It takes the place
// of what the path answered before.
func (h *Host) Answer(path string, answers ...Answer) *Host {
	steps := make([]http.Handler, len(answers))
	for i, a := range answers {
		steps[i] = a
	}
	return h.script(path, steps)
}

// Handle leaves path to f. The request is in the log before f sees it.
func (h *Host) Handle(path string, f http.HandlerFunc) *Host {
	return h.script(path, []http.Handler{f})
}

// DialError lets every later attempt to connect to this host fail with err, such as syscall.ECONNREFUSED or a [net.DNSError];
// nil lets them succeed again. Connections that stand stay. It holds for clients that dial through the [Web].
func (h *Host) DialError(err error) *Host {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dialErr = err
	return h
}

// Address is the IP address that clients find this host at, for those that look at their connection's RemoteAddr. Without a
// call it is 127.0.0.1, where the web really is. It holds for clients that dial through the [Web].
func (h *Host) Address(ip string) *Host {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		panic("testweb: " + err.Error())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.address = addr
	return h
}

// FailTLS says whether every later TLS handshake for the name of this host fails, on all ports: a handshake names no port.
func (h *Host) FailTLS(fails bool) *Host {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.noTLS = fails
	return h
}

// ServeHTTP answers as the path's script says.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	step := h.step(r.RequestURI)
	if step == nil {
		http.NotFound(w, r)
		return
	}
	step.ServeHTTP(w, r)
}

func (h *Host) script(path string, steps []http.Handler) *Host {
	if !strings.HasPrefix(path, "/") && path != "*" {
		panic("testweb: path " + path + " does not begin with a slash")
	}
	if len(steps) == 0 {
		panic("testweb: no answer for " + path)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paths[path] = &script{steps: steps}
	return h
}

func (h *Host) step(uri string) http.Handler {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.find(uri)
	if s == nil {
		return nil
	}
	return s.step()
}

// find looks for the target as it stands, then without its query, then for the longest prefix. Targets are compared byte by
// byte as they came over the wire: a test must be able to tell /%61 from /a.
func (h *Host) find(uri string) *script {
	if s := h.paths[uri]; s != nil {
		return s
	}
	path, _, _ := strings.Cut(uri, "?")
	if s := h.paths[path]; s != nil {
		return s
	}
	var found *script
	longest := -1
	for p, s := range h.paths {
		if prefix, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(uri, prefix) && len(prefix) > longest {
			found, longest = s, len(prefix)
		}
	}
	return found
}

func (h *Host) dialed() (at netip.Addr, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.address, h.dialErr
}

func (h *Host) tlsFails() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.noTLS
}

// Links is an HTML page that links to each of the given URLs.
func Links(urls ...string) string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>links</title>\n")
	for _, u := range urls {
		b.WriteString(`<a href="` + u + `">` + u + "</a>\n")
	}
	return b.String()
}
