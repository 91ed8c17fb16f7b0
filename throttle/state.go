package throttle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

const (
	keepFrom     = time.Second // a shorter gap has passed before another process can have started
	compactAt    = 1 << 20     // bytes of a file before it is written anew
	abandonAfter = time.Hour   // how long a file in which nothing is owed stays
)

// note is one line of a file in the StateDir: what a host is owed. Times are Unix milliseconds, rounded up; zero is nothing.
type note struct {
	Host   string        `json:"host"`
	At     int64         `json:"at"` // when it was written
	Next   int64         `json:"next,omitempty"`
	Block  int64         `json:"block,omitempty"`
	Level  uint8         `json:"level,omitempty"`
	Parked int64         `json:"parked,omitempty"`
	Reason report.Reason `json:"reason,omitempty"`
	Lifted bool          `json:"lifted,omitempty"` // a person lifted what was held
}

// state keeps what is owed across restarts. Each process appends to a file of its own, so that no lock is needed; all read the files of the others, and of
// two ends the later counts.
type state struct {
	throttle *Throttle
	dir      string // empty: nothing is kept
	own      string // the name of this process's file

	mu     sync.Mutex
	size   int64
	limit  int64 // size at which the file is written anew
	others map[string]readUpTo
	failed time.Time // when a write last failed and was told
}

type readUpTo struct {
	file   os.FileInfo
	offset int64
}

func (s *state) open(t *Throttle, dir string) error {
	if dir == "" {
		return nil
	}
	s.throttle, s.dir, s.limit, s.others = t, dir, compactAt, make(map[string]readUpTo)
	s.own = fmt.Sprintf("throttle-%d-%08x.log", os.Getpid(), rand.Uint32())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("throttle: Options.StateDir: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, s.own), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("throttle: Options.StateDir: %w", err)
	}
	_ = f.Close()
	if err := s.read(true); err != nil {
		return fmt.Errorf("throttle: Options.StateDir: %w", err)
	}
	return nil
}

// shared reports whether another process may know more of a host.
func (s *state) shared() bool { return s.dir != "" }

// refresh reads what other processes wrote since the last look.
func (s *state) refresh() {
	if err := s.read(false); err != nil {
		s.tell(err)
	}
}

// read takes in the files of others. With clean, those that nobody needs any more are removed.
func (s *state) read(clean bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	names, err := filepath.Glob(filepath.Join(s.dir, "throttle-*.log"))
	if err != nil {
		return err
	}
	now := time.Now()
	var notes []note
	for _, name := range names {
		if filepath.Base(name) == s.own {
			continue
		}
		fresh, info, err := s.readFile(name)
		if err != nil {
			return err
		}
		notes = append(notes, fresh...)
		owes := slices.ContainsFunc(fresh, func(n note) bool { return max(n.Next, n.Block, n.Parked) > now.UnixMilli() })
		if clean && !owes && info != nil && now.Sub(info.ModTime()) > abandonAfter {
			_ = os.Remove(name)
			delete(s.others, name)
		}
	}
	slices.SortStableFunc(notes, func(a, b note) int { return int(a.At - b.At) })
	for _, n := range notes {
		s.throttle.recall(n)
	}
	return nil
}

// readFile reads whole lines past what was read before; a file that was written anew is read from its beginning.
func (s *state) readFile(name string) ([]note, os.FileInfo, error) {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil, nil, nil // removed meanwhile
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	was := s.others[name]
	if was.file == nil || !os.SameFile(was.file, info) || info.Size() < was.offset {
		was.offset = 0
	}
	if info.Size() == was.offset {
		s.others[name] = readUpTo{info, was.offset}
		return nil, info, nil
	}
	if _, err := f.Seek(was.offset, io.SeekStart); err != nil {
		return nil, nil, err
	}
	var notes []note
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break // the rest is being written
		}
		was.offset += int64(len(line))
		var n note
		if json.Unmarshal(line, &n) == nil && n.Host != "" {
			notes = append(notes, n)
		}
	}
	s.others[name] = readUpTo{info, was.offset}
	return notes, info, nil
}

// write appends a note. It must be called without a host's lock.
func (s *state) write(n note) {
	if s.dir == "" || n.Host == "" {
		return
	}
	n.At = time.Now().UnixMilli()
	line, err := json.Marshal(n)
	if err != nil {
		s.tell(err)
		return
	}
	s.mu.Lock()
	full := false
	// Opened each time: a file that was removed as abandoned is made again.
	f, err := os.OpenFile(filepath.Join(s.dir, s.own), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		var n int
		n, err = f.Write(append(line, '\n'))
		s.size += int64(n)
		full = s.size >= s.limit
		if closed := f.Close(); err == nil {
			err = closed
		}
	}
	s.mu.Unlock()
	if err == nil && full {
		err = s.compact()
	}
	if err != nil {
		s.tell(err)
	}
}

// compact writes the file anew with what is still owed.
func (s *state) compact() error {
	var b bytes.Buffer
	for _, n := range s.throttle.owed() {
		line, err := json.Marshal(n)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := filepath.Join(s.dir, s.own)
	if err := os.WriteFile(name+"~", b.Bytes(), 0o600); err != nil {
		return err
	}
	s.size = int64(b.Len())
	s.limit = max(compactAt, 2*s.size)
	return os.Rename(name+"~", name)
}

func (s *state) close() error {
	if s.dir == "" {
		return nil
	}
	if err := s.compact(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size == 0 {
		return os.Remove(filepath.Join(s.dir, s.own))
	}
	return nil
}

// tell warns of a failure, once a minute.
func (s *state) tell(err error) {
	s.mu.Lock()
	again := time.Since(s.failed) >= time.Minute
	if again {
		s.failed = time.Now()
	}
	s.mu.Unlock()
	if again {
		s.throttle.teller.Log().Warn("throttle: what hosts are owed is not kept across a restart", "err", err)
	}
}
