package throttle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The names of the files of budgets, one for each day.
const spentPrefix = "spent-"

// spendings is the file in the StateDir in which all processes count what they ask for on one day. Each appends lines, "host who requests octets"; a system
// appends a short write as a whole, so no lock is needed, and the order of the lines decides who had the last place: a process writes that it takes one,
// and then reads whether there was one.
type spendings struct {
	throttle *Throttle
	dir      string // empty: nothing is filed
	who      string // marks the lines of this process

	mu     sync.Mutex // taken before a host's lock
	day    int32
	offset int64            // what was read of the file
	filed  map[string]tally // what it says so far, our own lines included
}

// open reads what was spent today. Files of days that are over for everybody are removed.
func (s *spendings) open(t *Throttle) error {
	if t.state.dir == "" || len(t.budgets) == 0 {
		return nil
	}
	s.throttle, s.dir, s.who = t, t.state.dir, fmt.Sprintf("%016x", rand.Uint64())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(today())
	if _, err := s.exchange(nil, ""); err != nil {
		return fmt.Errorf("throttle: Options.StateDir: %w", err)
	}
	return nil
}

// begin turns to a day, and reports whether it is the one that is read. The day before that is over, and no more than written to: who read it anew would
// count it twice. The caller holds mu.
func (s *spendings) begin(day int32) bool {
	switch {
	case s.filed != nil && day == s.day:
		return true
	case s.filed != nil && day == s.day-1:
		return false
	}
	s.day, s.offset, s.filed = day, 0, make(map[string]tally)
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return true // whoever reads the file of the day says so
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), spentPrefix)
		date, err := time.Parse(time.DateOnly+fileSuffix, name)
		if ok && err == nil && endOf(day).Sub(date) > 3*aDay { // the clocks of others may lag
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
	return true
}

// name is that of the file of a day.
func (s *spendings) name(day int32) string {
	return filepath.Join(s.dir, spentPrefix+endOf(day-1).UTC().Format(time.DateOnly)+fileSuffix)
}

// claim counts the turn's request for the other processes, before it is sent. It is false if one of them took the last place meanwhile, or the day
// is another. It must be called without a host's lock.
func (s *spendings) claim(tn *Turn) bool {
	if s.dir == "" {
		return true
	}
	g := tn.gate
	g.shard.mu.Lock()
	a := tn.account
	if a == nil || tn.state != flying {
		g.shard.mu.Unlock()
		return true
	}
	a.turn()
	day, most, unfiled := a.day, a.most, a.takeUnfiled()
	sameDay := day == tn.day
	tn.claimed = sameDay
	g.shard.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	host := g.host.name
	if !sameDay {
		s.file(day, host, unfiled)
		return false
	}
	if !s.begin(day) { // the clock was set back
		unfiled.requests++
		s.file(day, host, unfiled)
		return true
	}
	before, err := s.exchange(s.lines(host, unfiled, tally{requests: 1}), host)
	if err != nil {
		s.throttle.state.tell(err) // our own count holds
	} else if !before.reaches(most) {
		return true
	} else {
		s.file(day, host, tally{requests: -1})
	}
	g.shard.mu.Lock()
	defer g.shard.mu.Unlock()
	tn.claimed = false
	if err != nil {
		return true
	}
	if a.day == day { // what is counted here and what is filed must not disagree, or the place would be asked for without an end
		a.used.requests = max(a.used.requests, before.requests+1) // with the turn's own, which is taken back now
		a.used.bytes = max(a.used.bytes, before.bytes)
	}
	return false
}

// settle files what a host's account still has to say, unless that can wait for the next claim. It must be called without a host's lock.
func (s *spendings) settle(g *gate) {
	if s.dir == "" {
		return
	}
	g.shard.mu.Lock()
	var day int32
	var unfiled tally
	if m := g.host.more; m != nil && m.account != nil {
		a := m.account
		if a.turn(); a.most.bytes > 0 || a.unfiled.requests != 0 {
			day, unfiled = a.day, a.takeUnfiled()
		}
	}
	g.shard.mu.Unlock()
	if unfiled == (tally{}) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file(day, g.host.name, unfiled)
}

// close files what all accounts still have to say.
func (s *spendings) close() {
	if s.dir == "" {
		return
	}
	unfiled := make(map[string]tally)
	day := today()
	hosts := &s.throttle.hosts
	for i := range hosts.shards {
		sh := &hosts.shards[i]
		sh.mu.Lock()
		sh.table.all(func(h *host) {
			if h.more == nil || h.more.account == nil {
				return
			}
			if a := h.more.account; a.day == day {
				unfiled[h.name] = a.takeUnfiled()
			}
		})
		sh.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for host, n := range unfiled {
		s.file(day, host, n)
	}
}

// file appends one line, if it says anything. The caller holds mu.
func (s *spendings) file(day int32, host string, n tally) {
	if n == (tally{}) {
		return
	}
	text, err := s.lines(host, n), error(nil)
	if s.begin(day) {
		_, err = s.exchange(text, "")
	} else {
		err = s.write(day, text)
	}
	if err != nil {
		s.throttle.state.tell(err)
	}
}
