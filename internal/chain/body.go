package chain

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// hopBody lets a hop end with the first of EOF, read error and Close of its response body.
type hopBody struct {
	io.ReadCloser
	hop    *Hop
	start  time.Time    // when the headers came
	readAt atomic.Int64 // when the last Read returned, in nanoseconds since start
	busy   atomic.Int32 // reads that have not returned
	size   atomic.Int64 // octets read so far
}

// wrapBody puts the hop between the response and whoever reads it.
func (h *Hop) wrapBody(resp *http.Response) {
	b := &h.body
	h.mu.Lock()
	h.resp = resp
	b.start = time.Now()
	h.mu.Unlock()
	b.hop, b.ReadCloser = h, resp.Body
	if w, ok := resp.Body.(io.Writer); ok {
		resp.Body = &writableBody{b, w}
		return
	}
	resp.Body = b
}

func (b *hopBody) Read(p []byte) (int, error) {
	b.busy.Add(1)
	n, err := b.ReadCloser.Read(p)
	b.size.Add(int64(n))
	if s := b.hop.trace.sender; s != nil && n > 0 {
		s.Read(n)
	}
	if err == nil {
		b.readAt.Store(int64(time.Since(b.start)))
		b.busy.Add(-1)
		return n, nil
	}
	b.busy.Add(-1) // the hop is over
	if err == io.EOF {
		b.hop.finish(nil)
		return n, err
	}
	err = b.hop.explain(err)
	b.hop.finish(err)
	return n, err
}

func (b *hopBody) Close() error {
	err := b.ReadCloser.Close()
	b.hop.finish(nil)
	return err
}

// writableBody is the body of a 101 answer, which net/http gives a Write method.
type writableBody struct {
	*hopBody
	io.Writer
}

// BodyIdle is for how long nobody has been reading the body of a hop whose headers have come. Zero: no answer yet, or somebody reads.
func (h *Hop) BodyIdle() time.Duration {
	h.mu.Lock()
	start := h.body.start
	h.mu.Unlock()
	if start.IsZero() || h.body.busy.Load() > 0 {
		return 0
	}
	return time.Since(start) - time.Duration(h.body.readAt.Load())
}

// BodyBytes is how many octets of the response's body were read so far, as they came out of the base transport.
func (h *Hop) BodyBytes() int64 { return h.body.size.Load() }

// explain gives a failure its cause, if it was the hop's own end that caused it. Other errors pass unchanged.
func (h *Hop) explain(err error) error {
	if h.ctx.Err() == nil {
		return err
	}
	cause := context.Cause(h.ctx.Context)
	if cause == nil || cause == errOver || cause == context.Canceled {
		return err
	}
	return cause
}
