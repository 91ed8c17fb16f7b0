package killswitch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The files of a StateDir.
const (
	stopsFile = "stops.jsonl" // records, appended, and now and then put together anew
	sizeFile  = "stops.size"  // which stops.jsonl is the newest and how long it is at least, so that one cut short or brought back is noticed
	auditFile = "audit.jsonl"
	lockFile  = "lock"
)

// errDamaged is the error of a stops.jsonl that cannot be read whole: a stop may be lost.
var errDamaged = errors.New("it is damaged")

// errReplaced is the error of a stops.jsonl that is no longer the one that was read. Nothing more is written then, since a restart must not take what is
// there for all there was.
var errReplaced = errors.New("it was removed, replaced or cut while it was in use")

// state is the saved state of a Switch.
type state struct {
	dir string

	mu     sync.Mutex // one use of the files at a time, of this process; lock keeps others out. Taken before Switch.mu
	lock   *os.File
	stops  *os.File
	audits *os.File
	tail   auditTail
	held   []event   // could not be written yet
	busy   time.Time // when somebody else was first found to hold the lock; zero: it was free
	closed bool

	generation int64 // of stops: how often it was put together anew
	begun      bool  // stops was read before
	offset     int64 // up to here it has been read
	records    int   // in it
	damage     error // a line of it that could not be read
	foldAt     int   // at how many records it is worth a look whether they can be fewer
	slack      int   // how many records more than needed are left alone
}

// openState opens the files of a directory. Nothing is read yet.
func openState(dir string) (*state, error) {
	dir, err := filepath.Abs(dir) // the program may change its directory later
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	st := &state{dir: dir, slack: foldSlack, foldAt: foldSlack}
	for _, f := range []struct {
		name string
		to   **os.File
	}{{lockFile, &st.lock}, {stopsFile, &st.stops}, {auditFile, &st.audits}} {
		if *f.to, err = st.open(f.name); err != nil {
			_ = st.close()
			return nil, err
		}
	}
	syncDir(dir)
	return st, nil
}

func (st *state) path(name string) string { return filepath.Join(st.dir, name) }

func (st *state) open(name string) (*os.File, error) {
	return os.OpenFile(st.path(name), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
}

// isNamed reports whether an open file is still the one of its name.
func (st *state) isNamed(f *os.File, name string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(st.path(name))
	return err == nil && os.SameFile(open, named)
}

func (st *state) close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return nil
	}
	st.closed = true
	var errs []error
	for _, f := range []*os.File{st.lock, st.stops, st.audits} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// grew reports whether there may be something to read.
func (st *state) grew() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return false
	}
	info, err := st.stops.Stat()
	return err != nil || info.Size() != st.offset || !st.isNamed(st.stops, stopsFile)
}

// read returns the records that were written since the last read. whole is set where another process put the file together anew: the records are then
// all that is in force, and what is not among them was lifted. A line that cannot be read is an error, and what can be read is returned all the same.
func (st *state) read() (recs []record, whole bool, err error) {
	whole, err = st.follow()
	if err != nil {
		return nil, false, err
	}
	info, err := st.stops.Stat()
	if err != nil {
		return nil, false, err
	}
	if info.Size() < st.offset {
		return nil, false, fmt.Errorf("%w: it shrank from %d to %d bytes", errReplaced, st.offset, info.Size())
	}
	text := make([]byte, info.Size()-st.offset)
	if _, err := io.ReadFull(io.NewSectionReader(st.stops, st.offset, int64(len(text))), text); err != nil {
		return nil, false, err
	}
	var sum journal
	if st.offset == 0 {
		sum.readHead(text)
		st.generation = sum.head.Generation
	}
	sum.readLines(text)
	st.begun, st.offset = true, info.Size()
	st.records += len(sum.recs)
	if err := sum.err(); err != nil {
		st.damage = err
	}
	return sum.recs, whole, errors.Join(st.damage, st.checkSize())
}

// follow goes over to the stops.jsonl that another process has put in the place of ours, and reports whether it did.
func (st *state) follow() (moved bool, err error) {
	if st.isNamed(st.stops, stopsFile) {
		return false, nil
	}
	if _, err := os.Stat(st.path(stopsFile)); err != nil {
		return false, fmt.Errorf("%w: %w", errReplaced, err)
	}
	f, err := st.open(stopsFile)
	if err != nil {
		return false, err
	}
	begun := st.begun
	if begun {
		head, err := readHead(f)
		if err == nil && head.Generation <= st.generation {
			err = fmt.Errorf("%w: generation %d stands in the place of %d", errReplaced, head.Generation, st.generation)
		}
		if err != nil {
			_ = f.Close()
			return false, err
		}
	}
	_ = st.stops.Close()
	st.stops, st.offset, st.records, st.damage = f, 0, 0, nil
	return begun, nil
}

// leastSize is what sizeFile holds.
type leastSize struct {
	Generation int64 `json:"generation"`
	Bytes      int64 `json:"bytes"`
}

// checkSize compares stops.jsonl, which was read to its end, with what was noted of it. A note that is older than the file was left by a process that died between
// the two.
func (st *state) checkSize() error {
	text, err := os.ReadFile(st.path(sizeFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var least leastSize
	if err == nil {
		err = json.Unmarshal(text, &least)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w", sizeFile, err)
	case least.Generation > st.generation:
		return fmt.Errorf("%w: it is of generation %d, and there was one of %d", errReplaced, st.generation, least.Generation)
	case least.Generation == st.generation && st.offset < least.Bytes:
		return fmt.Errorf("%w: it has %d bytes and once had %d", errReplaced, st.offset, least.Bytes)
	}
	return nil
}

// noteSize notes the size. Where that fails, the note before it still holds, so what was written counts all the same.
func (st *state) noteSize() {
	text, _ := json.Marshal(leastSize{st.generation, st.offset}) // two numbers
	_ = replaceFile(st.path(sizeFile), append(text, '\n'))
}

// append writes records whole and through to the disk, or not at all.
func (st *state) append(recs []record) error {
	if len(recs) == 0 {
		return nil
	}
	var b bytes.Buffer
	if st.offset > 0 {
		last := make([]byte, 1)
		if _, err := st.stops.ReadAt(last, st.offset-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			b.WriteByte('\n')
		}
	}
	enc := json.NewEncoder(&b)
	for _, r := range recs {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	if err := appendWhole(st.stops, b.Bytes(), st.offset); err != nil {
		return err
	}
	st.offset += int64(b.Len())
	st.records += len(recs)
	st.noteSize()
	return nil
}
