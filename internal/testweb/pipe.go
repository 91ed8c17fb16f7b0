package testweb

import (
	"bytes"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// newPipe returns the two ends of a connection in memory. It is not [net.Pipe] because that has no buffer: a server could not
// send an answer and close before the client reads, as TCP lets it. All waiting is on a [sync.Cond] and all deadlines are
// timers, so that inside a synctest bubble a waiting reader is durably blocked and fake time passes.
func newPipe(client, server net.Addr) (*pipe, *pipe) {
	up, down := newStream(), newStream()
	return &pipe{in: down, out: up, local: client, remote: server}, &pipe{in: up, out: down, local: server, remote: client}
}

// pipe is one end of a connection.
type pipe struct {
	in, out       *stream
	local, remote net.Addr
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.in.read(b)
	return n, p.wrap("read", err)
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.out.write(b)
	return n, p.wrap("write", err)
}

// Close lets the other end read what was sent before it sees the end.
func (p *pipe) Close() error {
	p.out.end(io.EOF, net.ErrClosed)
	p.in.cut(net.ErrClosed, syscall.EPIPE)
	return nil
}

// reset throws away what was sent and not read.
func (p *pipe) reset() {
	p.out.cut(syscall.ECONNRESET, net.ErrClosed)
	p.in.cut(net.ErrClosed, syscall.ECONNRESET)
}

func (p *pipe) LocalAddr() net.Addr  { return p.local }
func (p *pipe) RemoteAddr() net.Addr { return p.remote }

func (p *pipe) SetDeadline(t time.Time) error {
	p.SetReadDeadline(t)
	p.SetWriteDeadline(t)
	return nil
}

func (p *pipe) SetReadDeadline(t time.Time) error {
	p.in.setDeadline(&p.in.readBy, t)
	return nil
}

func (p *pipe) SetWriteDeadline(t time.Time) error {
	p.out.setDeadline(&p.out.writeBy, t)
	return nil
}

// wrap gives errors the shape they have over TCP; an end of file is none.
func (p *pipe) wrap(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: p.local, Addr: p.remote, Err: err}
}

// streamSize is how much may be sent that the other end has not read: beyond it the writer waits, as it would over TCP.
const streamSize = 64 << 10

// stream is one direction of a connection.
type stream struct {
	mu       sync.Mutex
	changed  sync.Cond
	data     bytes.Buffer
	readErr  error // what the reader gets once data is read
	writeErr error // what the writer gets
	readBy   deadline
	writeBy  deadline
}

func newStream() *stream {
	s := &stream{}
	s.changed.L = &s.mu
	return s
}

func (s *stream) read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.readBy.passed():
			return 0, os.ErrDeadlineExceeded
		case len(b) == 0:
			return 0, nil
		case s.data.Len() > 0:
			n, _ := s.data.Read(b)
			s.changed.Broadcast()
			return n, nil
		case s.readErr != nil:
			return 0, s.readErr
		}
		s.changed.Wait()
	}
}

func (s *stream) write(b []byte) (written int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.writeErr != nil:
			return written, s.writeErr
		case s.writeBy.passed():
			return written, os.ErrDeadlineExceeded
		}
		n := min(streamSize-s.data.Len(), len(b)-written)
		s.data.Write(b[written : written+n])
		written += n
		s.changed.Broadcast()
		if written == len(b) {
			return written, nil
		}
		s.changed.Wait()
	}
}

// end sets what each side gets from now on, the reader after the data that is left. What was set first stays.
func (s *stream) end(readErr, writeErr error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish(readErr, writeErr)
}

// cut is end without the data that is left.
func (s *stream) cut(readErr, writeErr error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data.Reset()
	s.finish(readErr, writeErr)
}

func (s *stream) finish(readErr, writeErr error) {
	if s.readErr == nil || readErr == net.ErrClosed {
		s.readErr = readErr
	}
	if s.writeErr == nil || writeErr == net.ErrClosed {
		s.writeErr = writeErr
	}
	s.changed.Broadcast()
}

func (s *stream) setDeadline(d *deadline, t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.wake != nil {
		d.wake.Stop()
	}
	*d = deadline{at: t}
	if left := time.Until(t); !t.IsZero() && left > 0 {
		d.wake = time.AfterFunc(left, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.changed.Broadcast()
		})
	}
	s.changed.Broadcast()
}

// deadline is a moment after which an operation fails. The zero value never comes.
type deadline struct {
	at   time.Time
	wake *time.Timer
}

func (d deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }
