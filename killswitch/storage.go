package killswitch

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/report"
)

// errNothing is what a queue is told that asks although QueueSize is 0.
var errNothing = errors.New("killswitch: nothing in the queue may be sent")

// Filter is the error of a request for u, an *[Error], or nil if it would be sent. It is made for throttle.Frontier.Filter; with Options.OnChange calling the
// frontier's Refilter, a stop takes URLs out of the frontier and a lift brings them back. It counts nothing: the frontier asks more often than
// requests would be sent.
func (s *Switch) Filter(u *url.URL) error {
	s.use()
	if e := s.index.find(u); e.stops() {
		return newError(e, u, http.MethodGet)
	}
	return nil
}

// FilterStorage puts the switch in front of a queue's storage: what is stopped is refused by AddRequest with an *Error, taken out of the
// queue when the stop comes, and not counted by QueueSize, so that queue.Run comes to its end. What was taken out is kept in memory, 100,000
// requests at most, and is back in the queue once its rule is lifted. backing nil means memory without a bound.
//
// Taking out goes once through the whole backing, each request being taken and added again, so that a backing that is a line keeps its order.
func (s *Switch) FilterStorage(backing queue.Storage) queue.Storage {
	if backing == nil {
		backing = &queue.InMemoryQueueStorage{}
	}
	return &filter{s: s, backing: backing}
}

// maxParked bounds what is kept of stopped requests.
const maxParked = 100_000

type filter struct {
	s       *Switch
	backing queue.Storage

	mu      sync.Mutex // one use at a time: sifting must not overtake a GetRequest
	version uint64     // of the index, when the backing was last sifted
	sifted  bool
	parked  [][]byte
}

func (f *filter) Init() error { return f.backing.Init() }

func (f *filter) AddRequest(item []byte) error {
	f.s.use()
	if e, q := f.stopped(item); e != nil {
		err := newError(e, q.asked(), q.Method)
		e.refused.Add(1)
		f.s.layer.Skipped(nil, err.Skip())
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.backing.AddRequest(item)
}

func (f *filter) GetRequest() ([]byte, error) {
	f.s.use()
	skips, item, err := f.next()
	f.tell(skips)
	return item, err
}

func (f *filter) next() (skips []report.Skip, item []byte, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	skips, err = f.sift()
	for err == nil {
		var n int
		if n, err = f.backing.QueueSize(); err != nil || n == 0 {
			break
		}
		if item, err = f.backing.GetRequest(); err != nil {
			break
		}
		e, q := f.stopped(item)
		if e == nil {
			return skips, item, nil
		}
		skips = append(skips, f.park(item, e, q))
	}
	if err == nil {
		err = errNothing
	}
	return skips, nil, err
}

func (f *filter) QueueSize() (int, error) {
	f.s.use()
	f.mu.Lock()
	skips, err := f.sift()
	n := 0
	if err == nil {
		n, err = f.backing.QueueSize()
	}
	f.mu.Unlock()
	f.tell(skips)
	return n, err
}

func (f *filter) tell(skips []report.Skip) {
	for _, s := range skips {
		f.s.layer.Skipped(nil, s)
	}
}

// sift brings the backing in line with the rules, if they have changed. The caller holds mu.
func (f *filter) sift() (skips []report.Skip, err error) {
	version := f.s.rulesVersion()
	if f.sifted && version == f.version {
		return nil, nil
	}
	n, err := f.backing.QueueSize()
	for ; err == nil && n > 0; n-- {
		var item []byte
		if item, err = f.backing.GetRequest(); err != nil {
			break
		}
		if item == nil {
			continue
		}
		if e, q := f.stopped(item); e != nil {
			skips = append(skips, f.park(item, e, q))
		} else {
			err = f.backing.AddRequest(item)
		}
	}
	if err != nil {
		return skips, err
	}
	parked := f.parked
	f.parked = nil
	for i, item := range parked {
		if e, _ := f.stopped(item); e != nil {
			f.parked = append(f.parked, item)
		} else if err := f.backing.AddRequest(item); err != nil {
			f.parked = append(f.parked, parked[i:]...)
			return skips, err
		}
	}
	f.sifted, f.version = true, version
	return skips, nil
}

// park keeps a stopped request. The caller holds mu.
func (f *filter) park(item []byte, e *entry, q *queued) report.Skip {
	e.purged.Add(1)
	if len(f.parked) < maxParked {
		f.parked = append(f.parked, append([]byte(nil), item...)) // a backing may use the memory again
	} else {
		f.s.log().Warn("killswitch: no room to keep a stopped request of the queue", "url", report.RedactURL(q.URL))
	}
	return newError(e, q.asked(), q.Method).Skip()
}

// queued is what a queue's item says about where it goes: a serialised colly.Request.
type queued struct {
	URL     string
	Method  string
	Headers http.Header
	u       *url.URL
}

// asked is the URL with the Host that will be sent: Colly takes it from the headers.
func (q *queued) asked() *url.URL {
	host := q.Headers.Get("Host")
	if host == "" || host == q.u.Host {
		return q.u
	}
	u := *q.u
	u.Host = host
	return &u
}

// stopped is the rule that stops an item, or nil. What cannot be read is left to Colly, which will not send it.
func (f *filter) stopped(item []byte) (*entry, *queued) {
	var q queued
	if f.s.index.size.Load() == 0 || json.Unmarshal(item, &q) != nil {
		return nil, nil
	}
	u, err := url.Parse(q.URL)
	if err != nil || !layered(u) {
		return nil, nil
	}
	q.u = u
	if e := f.s.index.findBoth(q.asked(), u); e.stops() {
		return e, &q
	}
	return nil, nil
}
