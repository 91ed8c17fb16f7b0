package throttle

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

const (
	keepFrom     = time.Second // a shorter gap has passed before another process can have started
	compactAt    = 1 << 20     // bytes of a file before it is written anew
	abandonAfter = time.Hour   // how long a file in which nothing is owed stays
)

// The names of the files, and of one that is being written anew.
const (
	filePrefix = "throttle-"
	fileSuffix = ".log"
	anewSuffix = "~"
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
	torn   bool  // a write failed, perhaps in the middle of a line
	others map[string]readUpTo
	failed time.Time // when a failure was last told
}

// readUpTo is how far the file of another process was read. A file that was written anew is another one, which neither its size nor what the system
// takes for its identity need say: its first lines do.
type readUpTo struct {
	info   os.FileInfo
	head   string
	offset int64
}

func (s *state) open(t *Throttle, dir string) error {
	if dir == "" {
		return nil
	}
	dir, err := filepath.Abs(dir) // the process may go elsewhere
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("throttle: Options.StateDir: %w", err)
	}
	s.throttle, s.dir, s.limit, s.others = t, dir, compactAt, make(map[string]readUpTo)
	s.own = fmt.Sprintf("%s%d-%08x%s", filePrefix, os.Getpid(), rand.Uint32(), fileSuffix)
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

// read takes in the files of others; one that cannot be read keeps none of the rest from being read. With clean, those that nobody needs any more are
// removed.
func (s *state) read(clean bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var notes []note
	var errs []error
	for _, e := range entries {
		name := e.Name()
		if clean && strings.HasPrefix(name, filePrefix) && strings.HasSuffix(name, fileSuffix+anewSuffix) {
			s.removeAbandoned(e)
		}
		if name == s.own || !strings.HasPrefix(name, filePrefix) || !strings.HasSuffix(name, fileSuffix) {
			continue
		}
		fresh, err := s.readFile(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		notes = append(notes, fresh...)
		if clean && !slices.ContainsFunc(fresh, note.owes) && s.removeAbandoned(e) {
			delete(s.others, name)
		}
	}
	slices.SortStableFunc(notes, func(a, b note) int { return cmp.Compare(a.At, b.At) })
	for _, n := range notes {
		s.throttle.recall(n)
	}
	return errors.Join(errs...)
}

// owes reports whether the note says anything that is still to be kept.
func (n note) owes() bool { return max(n.Next, n.Block, n.Parked) > time.Now().UnixMilli() }

// removeAbandoned removes a file to which nobody has written for long.
func (s *state) removeAbandoned(e os.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > abandonAfter && os.Remove(filepath.Join(s.dir, e.Name())) == nil
}

// longestLine is more than any note needs. What is longer is none.
const longestLine = 64 << 10

// readFile reads whole lines past what was read before; a file that was written anew is read from its beginning.
func (s *state) readFile(name string) ([]note, error) {
	f, err := os.Open(filepath.Join(s.dir, name))
	if os.IsNotExist(err) {
		delete(s.others, name) // removed meanwhile
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	was := s.others[name]
	if was.info != nil && os.SameFile(was.info, info) && info.Size() == was.offset && info.ModTime().Equal(was.info.ModTime()) {
		return nil, nil
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if head = head[:n]; !strings.HasPrefix(string(head), was.head) {
		was.offset = 0
	}
	if _, err := f.Seek(was.offset, io.SeekStart); err != nil {
		return nil, err
	}
	var notes []note
	for r, whole := bufio.NewReaderSize(f, longestLine), true; ; {
		line, err := r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			break // the rest is being written
		}
		was.offset += int64(len(line))
		var n note
		if whole && err == nil && json.Unmarshal(line, &n) == nil && n.Host != "" {
			notes = append(notes, n)
		}
		whole = err == nil
	}
	was.info, was.head = info, string(head[:min(int64(len(head)), was.offset)])
	s.others[name] = was
	return notes, nil
}

// write appends a note. It must be called without a host's lock.
func (s *state) write(n note) {
	if s.dir == "" || n.Host == "" {
		return
	}
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
		line = append(line, '\n')
		if s.torn {
			line = append([]byte{'\n'}, line...) // what was torn spoils no other line
		}
		var n int
		n, err = f.Write(line)
		s.torn = err != nil
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
	s.mu.Lock() // before what is owed is looked at: what arises meanwhile is appended to the new file
	defer s.mu.Unlock()
	var b bytes.Buffer
	for _, n := range s.throttle.owed() {
		line, err := json.Marshal(n)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	name := filepath.Join(s.dir, s.own)
	if err := os.WriteFile(name+anewSuffix, b.Bytes(), 0o600); err != nil {
		return err
	}
	s.size = int64(b.Len())
	s.limit = max(compactAt, 2*s.size)
	return os.Rename(name+anewSuffix, name)
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
