package testweb

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Hit is one request as it arrived.
type Hit struct {
	// Seq counts the hits of one log from 1.
	Seq int
	// Time is the moment at which the request's header had arrived.
	Time time.Time
	// Method, Host and URI are what the request said: Host the Host header, URI the target on its first line.
	Method, Host, URI string
	// Header is the rest of the header, a copy.
	Header http.Header
	// TLS is true for https.
	TLS bool
	// Proto is "HTTP/1.1" or "HTTP/2.0".
	Proto string
	// RemoteAddr is the client's end of the connection, Conn the number of the connection, counted from 1.
	RemoteAddr string
	Conn       int
}

// URL is what was asked for, such as "http://shop.test/a?b". Nothing in it is changed from what was sent.
func (h Hit) URL() string {
	if !strings.HasPrefix(h.URI, "/") {
		return h.URI // what proxies are sent
	}
	if h.TLS {
		return "https://" + h.Host + h.URI
	}
	return "http://" + h.Host + h.URI
}

// String is the line of the hit in [HitLog.Log]: "GET http://shop.test/a".
func (h Hit) String() string { return h.Method + " " + h.URL() }

// Gaps are the times from each hit to the next.
func Gaps(hits []Hit) []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(hits); i++ {
		gaps = append(gaps, hits[i].Time.Sub(hits[i-1].Time))
	}
	return gaps
}

// HitLog is the list of requests that arrived, in order of arrival. A request is in it before it is answered; only what is no
// HTTP, and what net/http itself answers with 400, such as a Host header with a space, is not. The zero value
// is ready, and it is safe for concurrent use.
type HitLog struct {
	mu   sync.Mutex
	hits []Hit
}

// Hits are all hits. The slice is the caller's.
func (l *HitLog) Hits() []Hit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.hits)
}

// HitsOf are the hits of one host, on every port ("shop.test") or on one ("shop.test:8080").
func (l *HitLog) HitsOf(host string) []Hit {
	key, port, err := splitHost(host)
	if err != nil {
		panic("testweb: " + err.Error())
	}
	var of []Hit
	for _, h := range l.Hits() {
		if k, p, err := splitHost(h.Host); err == nil && k == key && (port == "" || port == portOf(p, h.TLS)) {
			of = append(of, h)
		}
	}
	return of
}

// Log is the log as lines, "GET http://shop.test/a", to be compared as a whole. It is never nil.
func (l *HitLog) Log() []string { return lines(l.Hits()) }

// LogOf is the log of one host, as [HitLog.HitsOf] picks it.
func (l *HitLog) LogOf(host string) []string { return lines(l.HitsOf(host)) }

// Count is how often a line stands in the log: Count("GET http://shop.test/robots.txt").
func (l *HitLog) Count(line string) int {
	n := 0
	for _, h := range l.Hits() {
		if h.String() == line {
			n++
		}
	}
	return n
}

// Reset empties the log. What the hosts answer stays as it is, and so does the place that each sequence of answers has reached.
func (l *HitLog) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hits = nil
}

func (l *HitLog) record(r *http.Request) {
	h := Hit{
		Method:     r.Method,
		Host:       r.Host,
		URI:        r.RequestURI,
		Header:     r.Header.Clone(),
		TLS:        r.TLS != nil,
		Proto:      r.Proto,
		RemoteAddr: r.RemoteAddr,
		Conn:       connNumber(r.Context()),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	h.Time = time.Now() // within the lock, so that times never run against the order
	h.Seq = len(l.hits) + 1
	l.hits = append(l.hits, h)
}

func lines(hits []Hit) []string {
	log := make([]string, len(hits))
	for i, h := range hits {
		log[i] = h.String()
	}
	return log
}

func portOf(port string, secure bool) string {
	switch {
	case port != "":
		return port
	case secure:
		return "443"
	}
	return "80"
}
