package throttle

import (
	"errors"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/report"
)

// The limits of a Frontier where its fields say nothing.
const (
	DefaultDrawAhead = 10_000
	DefaultMaxSize   = 1_000_000
)

// Frontier is a queue of requests that is fair to hosts: it hands out a URL when its host may be asked, so that a slow or blocked host never holds the
// threads that others could use. It implements the Storage of Colly's queue:
//
//	f := throttle.NewFrontier(t, nil)
//	q, err := queue.New(8, f)
//	q.AddURL("https://example.com/")
//	err = f.Run(ctx, c, 8) // in place of q.Run(c)
//
// q.Run works too, but while it waits for the next host, Colly's queue neither takes in what its threads finished nor lets a handler's q.AddRequest return.
// Run does both, ends with its context, and keeps what it did not hand out.
//
// A hand-out is no claim: the next URL of a host follows when the request has reached the host's line in the Throttle or 100 ms have passed, since a
// URL that Colly does not fetch, one already visited say, gives no sign at all.
//
// A host that is parked, or is blocked, shut or out of its budget for longer than Options.MaxBlockWait, is set aside: each of its URLs is told as a skip with the
// hold's reason and RetryAt, and stays queued. Such URLs count neither in QueueSize nor as a reason for Run to go on; a later Run finds them.
//
// With a backing storage, every request is written there first and drawn from it when there is room, DrawAhead at most. A process that crashes
// loses what it had drawn and not finished: up to DrawAhead requests, those under way, and those of hosts set aside. Close and the end of
// Run put back what was not handed out.
//
// The fields must not change once the Frontier is in use. It is safe for concurrent use. It has no goroutine of its own.
type Frontier struct {
	// MaxSize is how many requests are held in memory; one more is refused, told as a skip (queue_full) and an error that matches colly.ErrQueueFull. With a
	// backing storage it is the storage that refuses. Zero means DefaultMaxSize.
	MaxSize int
	// DrawAhead is how many requests, those of hosts set aside not counted, are drawn from the backing storage. Zero means DefaultDrawAhead. A storage
	// that begins with so many requests of one host has no other host's to offer until some are done.
	DrawAhead int
	// Filter says whether a queued URL may still be asked: nil error for yes. It is asked when a URL is added, when it would be handed out, and for all
	// by Refilter. A URL that it refuses is set aside and told once, as the Skip of an error that is a report.Refusal, else as stopped. It
	// must not block; it is called without a lock.
	Filter func(u *url.URL) error

	throttle *Throttle
	backing  queue.Storage
	lead     chan struct{} // held by whoever looks for the next request
	bell     chan struct{} // rings when there may be something new to hand out
	closing  chan struct{} // closed by Close
	mayDraw  atomic.Bool   // the backing storage may have something
	polled   atomic.Int64  // when it was last asked
	first    sync.Mutex    // guards ready
	ready    bool          // Init was called
	looking  sync.Mutex    // one looks at backlogs at a time; taken before mu

	mu       sync.Mutex // never held while a host's lock is asked for
	backlogs map[string]*backlog
	due      dueHeap[*domain]  // those that have hosts to hand out
	apart    dueHeap[*backlog] // hosts set aside, and those whose hand-out has not reached the line
	changed  []*backlog        // something happened to these hosts
	domains  map[string]*domain
	open     int // requests of hosts that are not set aside
	total    int // all in memory
	moving   int // taken out for a moment by Refilter
	handOuts uint64
	active   int // handed out by Run and not done
	aside    []item
	closed   bool
}

var _ queue.Storage = (*Frontier)(nil)

// errEmpty is what GetRequest says when nothing is left that can be handed out.
var errEmpty = errors.New("throttle: the frontier is empty")

// NewFrontier makes a Frontier for what is paced by t. backing holds the requests, in Redis say; nil means memory. It neither blocks nor touches the
// network before Init, which queue.New and Run call.
func NewFrontier(t *Throttle, backing queue.Storage) *Frontier {
	f := &Frontier{
		throttle: t, backing: backing,
		lead: make(chan struct{}, 1), bell: make(chan struct{}, 1), closing: make(chan struct{}),
		backlogs: make(map[string]*backlog), domains: make(map[string]*domain),
	}
	f.mayDraw.Store(backing != nil)
	t.watch(f)
	return f
}

// Init implements queue.Storage. Calls after the first that succeeded do nothing.
func (f *Frontier) Init() error {
	f.first.Lock()
	defer f.first.Unlock()
	if f.ready || f.backing == nil {
		return nil
	}
	if err := f.backing.Init(); err != nil {
		return err
	}
	f.ready = true
	return nil
}

// AddRequest implements queue.Storage. It never waits for a host. What it refuses is an error and told: one for which there is no room as a skip.
func (f *Frontier) AddRequest(text []byte) error {
	it := item(text)
	head, err := it.head()
	if err != nil {
		return err
	}
	if f.isClosed() {
		return ErrClosed
	}
	if f.backing != nil {
		return f.store(text, head)
	}
	if refusal := f.refuses(head); refusal != nil {
		if f.setAside(it) {
			f.tell(head, refusal)
			return nil
		}
		return f.full(head, nil)
	}
	if !f.add(it, head.host) {
		return f.full(head, nil)
	}
	return nil
}

// add puts a request at the end of its host's backlog, unless there is no room.
func (f *Frontier) add(it item, host string) bool {
	now := f.throttle.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total >= f.maxSize() {
		return false
	}
	f.total++
	b := f.backlog(host, now)
	f.put(b, append(b.items, it), now)
	return true
}

// full tells that there is no room for a request.
func (f *Frontier) full(h head, cause error) error {
	e := &Error{URL: h.url.Redacted(), Method: h.method, Host: h.host, Reason: report.QueueFull}
	f.throttle.teller.Skipped(nil, e.Skip())
	if cause == nil {
		return e
	}
	return errors.Join(e, cause)
}

// Is lets errors.Is find Colly's own error for a queue that is full.
func (e *Error) Is(target error) bool {
	return e.Reason == report.QueueFull && target == colly.ErrQueueFull
}

// QueueSize implements queue.Storage. It counts what can still be handed out: what waits for its host does, what is set aside does not.
func (f *Frontier) QueueSize() (int, error) {
	if f.isClosed() {
		return 0, nil
	}
	f.lookAtApart()
	f.mu.Lock()
	n, room := f.open+f.moving, f.total < f.maxSize()
	f.mu.Unlock()
	if f.backing == nil || !room {
		return n, nil
	}
	stored, err := f.backing.QueueSize()
	return n + stored, err
}

// Close ends every wait for a next request, with ErrClosed, and puts back into the backing storage what was not handed out. It may be called twice. An
// error says what could not be put back.
func (f *Frontier) Close() error {
	f.mu.Lock()
	again := f.closed
	f.closed = true
	f.mu.Unlock()
	if again {
		return nil
	}
	close(f.closing)
	err := f.putBack()
	f.mu.Lock()
	left := f.total
	f.mu.Unlock()
	if left > 0 {
		f.throttle.teller.Log().Warn("throttle: the frontier was closed with requests in it: they are lost", "requests", left)
	}
	return err
}

func (f *Frontier) isClosed() bool {
	if f.throttle.closed.Load() {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

func (f *Frontier) maxSize() int {
	if f.MaxSize > 0 {
		return f.MaxSize
	}
	return DefaultMaxSize
}

func (f *Frontier) drawAhead() int {
	if f.DrawAhead > 0 {
		return f.DrawAhead
	}
	return DefaultDrawAhead
}

func (f *Frontier) ring() {
	select {
	case f.bell <- struct{}{}:
	default: // it rings already
	}
}
