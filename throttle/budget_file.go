package throttle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
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

// begin turns to another day. The caller holds mu.
func (s *spendings) begin(day int32) {
	if s.filed != nil && day == s.day {
		return
	}
	s.day, s.offset, s.filed = day, 0, make(map[string]tally)
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return // whoever reads the file of the day says so
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), spentPrefix)
		date, err := time.Parse(time.DateOnly+fileSuffix, name)
		if ok && err == nil && endOf(day).Sub(date) > 3*aDay { // the clocks of others may lag
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}

func (s *spendings) name() string {
	return filepath.Join(s.dir, spentPrefix+endOf(s.day-1).UTC().Format(time.DateOnly)+fileSuffix)
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
	s.begin(day)
	host := g.host.name
	if !sameDay {
		s.file(host, unfiled)
		return false
	}
	before, err := s.exchange(s.lines(host, unfiled, tally{requests: 1}), host)
	if err != nil {
		s.throttle.state.tell(err) // our own count holds
	} else if !before.reaches(most) {
		return true
	} else {
		s.file(host, tally{requests: -1})
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
	s.begin(day)
	s.file(g.host.name, unfiled)
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
	s.begin(day)
	for host, n := range unfiled {
		s.file(host, n)
	}
}

// file appends one line, if it says anything. The caller holds mu.
func (s *spendings) file(host string, n tally) {
	if n == (tally{}) {
		return
	}
	if _, err := s.exchange(s.lines(host, n), ""); err != nil {
		s.throttle.state.tell(err)
	}
}

// lines are what is to be appended. They begin with an end of line: what another process wrote before, and did not finish, spoils nothing.
func (s *spendings) lines(host string, all ...tally) []byte {
	var b bytes.Buffer
	for _, n := range all {
		if n != (tally{}) {
			fmt.Fprintf(&b, "\n%s %s %d %d", host, s.who, n.requests, n.bytes)
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// exchange appends to the file of the day, if there is anything to append, and takes in what others appended since the last look. With a host, before is what
// the file says of it ahead of our own last line. The caller holds mu.
func (s *spendings) exchange(text []byte, host string) (before tally, err error) {
	flag := os.O_RDONLY
	if text != nil {
		flag = os.O_RDWR | os.O_APPEND | os.O_CREATE
	}
	f, err := os.OpenFile(s.name(), flag, 0o600)
	if err != nil {
		if text == nil && os.IsNotExist(err) {
			return tally{}, nil
		}
		return tally{}, err
	}
	if text != nil {
		_, err = f.Write(text)
	}
	others := make(map[string]tally)
	before, scanned := s.scan(f, host, others)
	for name, n := range others {
		s.throttle.spentElsewhere(name, n, s.day)
	}
	return before, errors.Join(err, scanned, f.Close())
}

// scan reads whole lines past what was read before.
func (s *spendings) scan(f io.ReaderAt, host string, others map[string]tally) (before tally, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(f, s.offset, 1<<62), longestLine)
	for whole := true; ; {
		line, err := r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			if err == io.EOF { // the rest is being written
				err = nil
			}
			return before, err
		}
		s.offset += int64(len(line))
		if whole && err == nil {
			if key, who, n, ok := parseSpent(string(line)); ok {
				sum := s.filed[key]
				if key == host && who == s.who && n.requests > 0 {
					before = sum
				}
				sum.add(n)
				s.filed[key] = sum
				if who != s.who {
					sum := others[key]
					sum.add(n)
					others[key] = sum
				}
			}
		}
		whole = err == nil
	}
}

// parseSpent reads one line.
func parseSpent(line string) (host, who string, n tally, ok bool) {
	f := strings.Fields(line)
	if len(f) != 4 {
		return "", "", tally{}, false
	}
	requests, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || requests < -mostTold || requests > mostTold {
		return "", "", tally{}, false
	}
	octets, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil || octets < 0 || octets > mostTold {
		return "", "", tally{}, false
	}
	return f[0], f[1], tally{requests, octets}, true
}

// spentElsewhere takes in what other processes asked of a host.
func (t *Throttle) spentElsewhere(name string, n tally, day int32) {
	key, err := origin.HostKeyOf(name)
	if err != nil || n == (tally{}) {
		return
	}
	now := t.now()
	s, h := t.hosts.find(key)
	defer s.mu.Unlock()
	if h == nil {
		h = s.insert(key, now) // a debt always has room
	}
	a := h.counts()
	if a.day != day {
		return
	}
	a.used.add(n)
	if h.gate != nil {
		h.gate.advance(now)
	}
}
