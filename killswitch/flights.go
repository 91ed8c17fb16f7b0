package killswitch

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/origin"
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
	mu     sync.Mutex // guards what follows
	flying map[*chain.Hop]flight
	hosts  map[string]hostTimes // dies when the shard is full and it was asked longer ago than others
}

type flight struct {
	host     string
	start    time.Time // when it may have gone out; zero: it still waits for its turn
	answered bool      // its headers have come
	ended    bool      // a stop has seen to it
	landing  *landing
}

type hostTimes struct {
	lastRequest, lastByte time.Time
	flying                int
}

func newFlights() *flights { return &flights{seed: maphash.MakeSeed()} }

// shardOf finds the shard of a hop, by the host that is asked for.
func (f *flights) shardOf(h *chain.Hop) (*flightShard, string) {
	key, err := origin.HostKey(h.URL())
	if err != nil {
		key = ""
	}
	return f.shard(key), key
}

func (f *flights) shard(key string) *flightShard {
	return &f.shards[maphash.String(f.seed, key)%flightShards]
}

// enter makes a hop known. waits: its start comes with its turn.
func (s *flightShard) enter(h *chain.Hop, key string, waits bool) {
	fl := flight{host: key}
	if !waits {
		fl.start = time.Now()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying == nil {
		s.flying = make(map[*chain.Hop]flight)
		s.hosts = make(map[string]hostTimes)
	}
	t, known := s.hosts[key]
	if !known {
		s.makeRoom()
		key = strings.Clone(key) // it shares the memory of a whole URL
		fl.host = key
	}
	t.flying++
	s.hosts[key] = t
	s.flying[h] = fl
}

// makeRoom drops the longest unasked of a few hosts. The caller holds mu.
func (s *flightShard) makeRoom() {
	if len(s.hosts) < hostsPerShard {
		return
	}
	const looks = 8
	var oldest string
	var at time.Time
	n := 0
	for key, t := range s.hosts { // in an order that differs each time
		if t.flying > 0 {
			continue
		}
		if n == 0 || t.lastRequest.Before(at) {
			oldest, at = key, t.lastRequest
		}
		if n++; n == looks {
			break
		}
	}
	if n > 0 {
		delete(s.hosts, oldest)
	}
}

// started notes that the hop goes out now.
func (s *flightShard) started(h *chain.Hop) {
	now := time.Now()
	s.mu.Lock()
	if fl, ok := s.flying[h]; ok {
		fl.start = now
		s.flying[h] = fl
	}
	s.mu.Unlock()
}

// answered notes that the hop's headers have come: nothing more is sent for it.
func (s *flightShard) answered(h *chain.Hop) {
	s.mu.Lock()
	fl, ok := s.flying[h]
	if !ok {
		s.mu.Unlock()
		return
	}
	l := fl.landing
	fl.answered, fl.landing = true, nil
	s.flying[h] = fl
	s.mu.Unlock()
	l.done()
}

// leave forgets a hop that is over. sent: it was on the wire, or may have been.
func (s *flightShard) leave(h *chain.Hop, sent bool) {
	now := time.Now()
	s.mu.Lock()
	fl, ok := s.flying[h]
	if !ok {
		s.mu.Unlock()
		return
	}
	delete(s.flying, h)
	t := s.hosts[fl.host]
	t.flying--
	if sent && !fl.start.IsZero() {
		t.lastByte = now
		if fl.start.After(t.lastRequest) {
			t.lastRequest = fl.start
		}
	}
	if t.lastRequest.IsZero() && t.flying == 0 {
		delete(s.hosts, fl.host) // never asked: nothing to tell
	} else {
		s.hosts[fl.host] = t
	}
	s.mu.Unlock()
	fl.landing.done()
}

// any reports whether any hop is under way.
func (f *flights) any() bool {
	for i := range f.shards {
		s := &f.shards[i]
		s.mu.Lock()
		n := len(s.flying)
		s.mu.Unlock()
		if n > 0 {
			return true
		}
	}
	return false
}
