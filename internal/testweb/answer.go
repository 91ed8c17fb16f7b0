package testweb

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"time"
)

// Answer is what a host sends back, and how it goes wrong. The zero value is a 200 with an empty body. The failures exclude
// one another; where several are set, the first of Reset, Raw and HangHeaders counts, then the first of HalfBody and HangBody.
type Answer struct {
	// Status is the status code. Zero means 200, or 302 with a Redirect.
	Status int
	// Header is sent besides what net/http adds. Without a Content-Type that is guessed from the body.
	Header http.Header
	// Body is sent whole, with its Content-Length.
	Body string
	// Redirect is sent as the Location, as it stands.
	Redirect string

	// Delay is waited before anything is sent.
	Delay time.Duration
	// Drip sends the body in small pieces.
	Drip Drip

	// Reset ends the connection without an answer: RST over TCP, the same error in memory, RST_STREAM in HTTP/2.
	Reset bool
	// Raw is written on the connection as it stands, in place of an answer, and the connection is closed. HTTP/1 only.
	Raw string
	// HangHeaders sends nothing until the client goes away.
	HangHeaders bool
	// HalfBody declares a body of twice the size, sends Body and closes the connection.
	HalfBody bool
	// HangBody declares a body of twice the size, sends Body and then nothing until the client goes away.
	HangBody bool
}

// Drip is a slow body: Bytes of it (zero means 1) are sent, then Every is waited, until the body ends. The zero value sends
// the body at once.
type Drip struct {
	Bytes int
	Every time.Duration
}

func (a Answer) isZero() bool { return reflect.ValueOf(a).IsZero() }

// ServeHTTP reads the whole request and then answers. It gives up when the request's context ends.
func (a Answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body) // with the body read, net/http notices that the client has gone
	wait(r, a.Delay)
	switch {
	case a.Reset:
		resetConnection(w)
	case a.Raw != "":
		writeRaw(w, a.Raw)
	case a.HangHeaders:
		hang(r)
	}
	a.writeHeader(w)
	a.writeBody(w, r)
	switch {
	case a.HalfBody:
		abort()
	case a.HangBody:
		hang(r)
	}
}

func (a Answer) writeHeader(w http.ResponseWriter) {
	status, header := a.Status, w.Header()
	for name, values := range a.Header {
		header[name] = values
	}
	if a.Redirect != "" {
		header.Set("Location", a.Redirect)
		if status == 0 {
			status = http.StatusFound
		}
	}
	if status == 0 {
		status = http.StatusOK
	}
	declared := len(a.Body)
	if a.HalfBody || a.HangBody {
		declared = max(2*declared, 1)
	}
	if bodyAllowed(status) && header.Get("Content-Length") == "" && header.Get("Transfer-Encoding") == "" {
		header.Set("Content-Length", strconv.Itoa(declared))
	}
	w.WriteHeader(status)
}

func (a Answer) writeBody(w http.ResponseWriter, r *http.Request) {
	flush := func() { http.NewResponseController(w).Flush() }
	defer flush()
	if a.Drip == (Drip{}) {
		io.WriteString(w, a.Body)
		return
	}
	piece := max(a.Drip.Bytes, 1)
	for rest := a.Body; rest != ""; {
		n := min(piece, len(rest))
		if _, err := io.WriteString(w, rest[:n]); err != nil {
			return // HEAD, or the client has gone
		}
		rest = rest[n:]
		flush()
		if rest != "" {
			wait(r, a.Drip.Every)
		}
	}
}

// bodyAllowed: RFC 9110, 6.4.1.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// wait aborts the answer if the client goes or the web closes in the meantime.
func wait(r *http.Request, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		abort()
	}
}

func hang(r *http.Request) {
	<-r.Context().Done()
	abort()
}

// abort ends the handler and its connection (in HTTP/2 its stream), without a word in the server's log.
func abort() { panic(http.ErrAbortHandler) }

func resetConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		abort() // HTTP/2: this resets the stream
	}
	reset(conn)
	abort()
}

func writeRaw(w http.ResponseWriter, raw string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		abort()
	}
	io.WriteString(conn, raw)
	conn.Close()
	abort()
}

// reset ends the connection in the way that makes the other side's read fail, instead of seeing an end.
func reset(conn net.Conn) {
	switch c := conn.(type) {
	case *tls.Conn:
		reset(c.NetConn())
	case *peeked:
		reset(c.Conn)
		c.Close()
	case *net.TCPConn:
		c.SetLinger(0)
		c.Close()
	case *pipe:
		c.reset()
	default:
		c.Close()
	}
}
