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
	stopsFile = "stops.jsonl" // records, only ever appended
	sizeFile  = "stops.size"  // how long stops.jsonl is at least, so that one cut short at a line's end is noticed
	auditFile = "audit.jsonl"
	lockFile  = "lock"
)

// lockPatience is how long the lock may be held by somebody else. It is held for the writing of one record.
const lockPatience = 2 * time.Second

// record is one line of stops.jsonl. What is in force is what the records say in their order, whoever wrote them: a stop adds, and only a lift removes.
type record struct {
	Op      string    `json:"op"` // "stop" or "lift"
	ID      string    `json:"id"`
	Time    time.Time `json:"time"` // when the rule was asked for, or lifted
	Applied time.Time `json:"applied,omitzero"`
	Source  Source    `json:"source"`
	Rule    *Rule     `json:"rule,omitempty"`   // of a stop
	Reason  string    `json:"reason,omitempty"` // of a lift
	Proof   proof     `json:"proof,omitzero"`   // of a stop: what was under way
	own     bool
}

// state is the saved state of a Switch.
type state struct {
	dir string

	mu     sync.Mutex // one use of the files at a time, of this process; lock keeps others out. Taken before Switch.mu
	lock   *os.File
	stops  *os.File
	audits *os.File
	offset int64 // up to here stops has been read
	tail   auditTail
	closed bool
}

func openState(dir string) (*state, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	st := &state{dir: dir}
	for _, f := range []struct {
		name string
		to   **os.File
	}{{lockFile, &st.lock}, {stopsFile, &st.stops}, {auditFile, &st.audits}} {
		file, err := os.OpenFile(filepath.Join(dir, f.name), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			st.close()
			return nil, err
		}
		*f.to = file
	}
	syncDir(dir)
	return st, nil
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

// locked runs f while no other user of the directory writes.
func (st *state) locked(f func() error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return errors.New("the switch is closed")
	}
	deadline := time.Now().Add(lockPatience)
	for {
		ok, err := tryLock(st.lock)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s has been locked for %s", st.dir, lockPatience)
		}
		time.Sleep(2 * time.Millisecond)
	}
	defer unlock(st.lock)
	return f()
}

// read returns the records that were written since the last read. A line that cannot be read is an error, and what can be read is returned all
// the same.
func (st *state) read() ([]record, error) {
	size, err := st.intact()
	if err != nil && size == st.offset {
		return nil, err
	}
	text := make([]byte, max(size-st.offset, 0))
	if _, readErr := io.ReadFull(io.NewSectionReader(st.stops, st.offset, int64(len(text))), text); readErr != nil {
		return nil, errors.Join(err, readErr)
	}
	st.offset = size
	var out []record
	var errs []error
	for n := 1; len(text) > 0; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		text = rest
		rec, lineErr := parseRecord(line)
		if lineErr == nil && !whole {
			lineErr = errors.New("it is cut short")
		}
		if lineErr != nil && len(errs) < 3 {
			errs = append(errs, fmt.Errorf("line %d of what was added: %w", n, lineErr))
		}
		if lineErr == nil || rec.Op == "stop" {
			out = append(out, rec)
		}
	}
	return out, errors.Join(append(errs, err)...)
}

// intact compares stops.jsonl with what is known of it, and returns its size.
func (st *state) intact() (int64, error) {
	open, err := st.stops.Stat()
	if err != nil {
		return st.offset, err
	}
	if named, err := os.Stat(st.stops.Name()); err != nil || !os.SameFile(open, named) {
		return open.Size(), errors.New("it was removed or replaced while it was in use")
	}
	if open.Size() < st.offset {
		return open.Size(), fmt.Errorf("it shrank from %d to %d bytes", st.offset, open.Size())
	}
	text, err := os.ReadFile(filepath.Join(st.dir, sizeFile))
	if errors.Is(err, os.ErrNotExist) {
		return open.Size(), nil
	}
	var least int64
	if err == nil {
		err = json.Unmarshal(text, &least)
	}
	if err != nil {
		return open.Size(), fmt.Errorf("%s cannot be read: %w", sizeFile, err)
	}
	if open.Size() < least {
		return open.Size(), fmt.Errorf("it has %d bytes and once had %d", open.Size(), least)
	}
	return open.Size(), nil
}

// parseRecord reads one line.
func parseRecord(line []byte) (record, error) {
	var r record
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return record{}, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return record{}, errors.New("something follows the record")
	}
	switch {
	case r.Op == "lift" && validID(r.ID):
		return r, nil
	case r.Op != "stop" || r.Rule == nil || !validID(r.ID):
		return record{}, errors.New("it is neither a stop nor a lift")
	}
	rule, err := r.Rule.canonical()
	if err != nil {
		return record{}, err
	}
	rule.ID = r.ID
	r.Rule = &rule
	return r, nil
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
	size := fmt.Appendf(nil, "%d\n", st.offset)
	return replaceFile(filepath.Join(st.dir, sizeFile), size)
}
