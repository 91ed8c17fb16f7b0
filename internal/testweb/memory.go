package testweb

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// NewMemory makes a web without a network. Inside a testing/synctest bubble it must be made and closed there: it then runs on
// the bubble's clock, and a delay of an hour takes no time. Clients reach it through [Web.Transport] or [Web.Dial].
func NewMemory() *Web {
	w, _ := newWeb(&memory{}) // memory never fails to listen
	return w
}

// memory is a connector whose connections are pipes.
type memory struct{ listeners atomic.Int32 }

func (m *memory) listen() (net.Listener, error) {
	return &memoryListener{
		addr:   memoryAddr(8000 + int(m.listeners.Add(1))),
		conns:  make(chan net.Conn),
		closed: make(chan struct{}),
	}, nil
}

func (m *memory) dialer(l net.Listener) dialer { return l.(*memoryListener).dial }

type memoryListener struct {
	addr   net.Addr
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	dialed atomic.Int32
}

func (l *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := newPipe(memoryAddr(10000+int(l.dialed.Add(1))%50000), l.addr)
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return l.addr }

// memoryAddr looks like an address of this machine, since callers take addresses apart.
func memoryAddr(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }
