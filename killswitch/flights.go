package killswitch

import (
	"hash/maphash"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
)

const (
	flightShards = 64
	// hostsPerShard bounds what is remembered of hosts that are not asked at the moment: about 65,000 of them.
	hostsPerShard = 1024
)

// flights holds the hops under way, so that a stop can end them, and when each host was last asked, so that its owner can be told.
//
// A hop is entered first and then compared with the rules; a stop publishes its rule first and then looks for hops. Whatever the order of the
// two, one of them sees the other: no request slips between.
type flights struct {
	seed   maphash.Seed
	shards [flightShards]flightShard
}

type flightShard struct {
	mu    sync.Mutex // guards what follows, and its flights but for hop and shard
	first *flight    // of a list, in no order
	hosts map[string]*hostTimes
}

// flight is a hop under way. It is the layer's note on the hop.
type flight struct {
	hop        *chain.Hop
	shard      *flightShard
	host       *hostTimes
	prev, next *flight
	start      time.Time // when it was handed to the base; zero: it waits for its turn, be it for a second attempt
	answered   bool      // its headers have come
	ended      bool      // a stop has seen to it
	landing    *landing
}

// hostTimes dies when its shard is full and it was asked longer ago than others.
type hostTimes struct {
	key                   string
	lastRequest, lastByte time.Time
	flying                int
}

func newFlights() *flights { return &flights{seed: maphash.MakeSeed()} }

// shardOf finds the shard of a hop, by the host that is asked for.
func (f *flights) shardOf(h *chain.Hop) (*flightShard, string) {
	key, err := h.HostKey()
	if err != nil {
		key = ""
	}
	return f.shard(key), key
}

func (f *flights) shard(key string) *flightShard {
	return &f.shards[maphash.String(f.seed, key)%flightShards]
}

// enter makes a hop known.
func (f *flights) enter(h *chain.Hop) *flight {
	s, key := f.shardOf(h)
	fl := &flight{hop: h, shard: s}
	h.Note(chain.KillSwitch, fl)
	s.mu.Lock()
	defer s.mu.Unlock()
	fl.host = s.host(key)
	fl.host.flying++
	if fl.next = s.first; fl.next != nil {
		fl.next.prev = fl
	}
	s.first = fl
	return fl
}

// flightOf is the flight of a hop that was entered, or nil.
func flightOf(h *chain.Hop) *flight {
	fl, _ := h.Noted(chain.KillSwitch).(*flight)
	return fl
}

// host is what is known of a host. The caller holds mu.
func (s *flightShard) host(key string) *hostTimes {
	t := s.hosts[key]
	if t == nil {
		if s.hosts == nil {
			s.hosts = make(map[string]*hostTimes)
		}
		s.makeRoom()
		t = &hostTimes{key: strings.Clone(key)} // it shares the memory of a whole URL
		s.hosts[t.key] = t
	}
	return t
}

// makeRoom drops the longest unasked of a few hosts. The caller holds mu.
func (s *flightShard) makeRoom() {
	if len(s.hosts) < hostsPerShard {
		return
	}
	const looks = 8
	var oldest *hostTimes
	n := 0
	for _, t := range s.hosts { // in an order that differs each time
		if t.flying > 0 {
			continue
		}
		if oldest == nil || t.lastRequest.Before(oldest.lastRequest) {
			oldest = t
		}
		if n++; n == looks {
			break
		}
	}
	if oldest != nil {
		delete(s.hosts, oldest.key)
	}
}

// started notes that the hop goes out now.
func (fl *flight) started() {
	now := time.Now()
	fl.shard.mu.Lock()
	fl.start = now
	fl.shard.mu.Unlock()
}

// brokeOff notes that an attempt broke off, which may have arrived all the same, and that the hop is not handed over again yet.
func (fl *flight) brokeOff() {
	now := time.Now()
	fl.shard.mu.Lock()
	fl.over(now)
	fl.start = time.Time{}
	fl.shard.mu.Unlock()
}

// over notes that an attempt was on the wire and is no longer. The caller holds mu.
func (fl *flight) over(now time.Time) {
	t := fl.host
	t.lastByte = now
	if fl.start.After(t.lastRequest) {
		t.lastRequest = fl.start
	}
}

// hasAnswer notes that the hop's headers have come: nothing more is sent for it.
func (fl *flight) hasAnswer() {
	fl.shard.mu.Lock()
	l := fl.landing
	fl.answered, fl.landing = true, nil
	fl.shard.mu.Unlock()
	l.done()
}

// Ended forgets a hop that is over.
func (fl *flight) Ended(resp *http.Response, err error) {
	sent := wasSent(resp, err)
	now := time.Now()
	s := fl.shard
	s.mu.Lock()
	if fl.prev == nil {
		s.first = fl.next
	} else {
		fl.prev.next = fl.next
	}
	if fl.next != nil {
		fl.next.prev = fl.prev
	}
	t := fl.host
	t.flying--
	if sent && !fl.start.IsZero() {
		fl.over(now)
	}
	if t.lastRequest.IsZero() && t.flying == 0 {
		delete(s.hosts, t.key) // never asked: nothing to tell
	}
	l := fl.landing
	fl.landing = nil
	s.mu.Unlock()
	l.done()
}

// any reports whether any hop is under way.
func (f *flights) any() bool {
	for i := range f.shards {
		s := &f.shards[i]
		s.mu.Lock()
		flying := s.first != nil
		s.mu.Unlock()
		if flying {
			return true
		}
	}
	return false
}
