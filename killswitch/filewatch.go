package killswitch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Reload looks at the stop file now, by the same rules as the watcher: what is new stops at once, what is gone is lifted when it has settled. The error
// says why the file could not be read whole.
func (s *Switch) Reload() error {
	s.use()
	s.lookAtFile()
	return s.Status().Err
}

// fileReader reads the stop file and remembers what it needs for the one rule of reading it: a bad file can add stops, never remove them.
type fileReader struct {
	path string // absolute; set by New

	reading sync.Mutex // one look at a time; guards what follows up to mu
	hash    [sha256.Size]byte
	known   bool // hash was read, and all that it says is in force
	pending [sha256.Size]byte
	since   time.Time // when pending was first seen; zero: nothing is pending
	badHash [sha256.Size]byte
	bad     error             // why badHash is not valid
	saved   [sha256.Size]byte // of the copy in StateDir
	seen    bool              // there was a file, or a copy of one
	before  map[Rule]bool     // what the copy said; only while New runs

	mu     sync.Mutex // guards status
	status Status
}

// openFile is the first look, by New.
func (s *Switch) openFile() error {
	if s.opts.File == "" {
		return nil
	}
	path, err := filepath.Abs(s.opts.File) // the program may change its directory later
	if err != nil {
		return fmt.Errorf("killswitch: Options.File: %w", err)
	}
	s.file.path, s.file.status.Path = path, s.opts.File
	text, err := readFile(path, maxFile)
	missing := errors.Is(err, fs.ErrNotExist)
	f := &stopFile{lost: true}
	if text != nil {
		f = parseRead(text, err)
		err = f.err()
	}
	backup, hash, backupErr := s.readCopy()
	if backup != nil {
		s.file.saved, s.file.seen, s.file.status.Generation = hash, true, backup.generation
		s.file.before = make(map[Rule]bool, len(backup.rules))
		for _, r := range backup.rules {
			s.file.before[r] = true
		}
	}
	switch {
	case err == nil && (backup == nil || f.generation >= backup.generation):
	case backupErr != nil && s.opts.StopAllOnCorrupt:
		s.standIn(corruptID, true, backupErr.Error())
		s.alarm(s.opts.StateDir, backupErr)
	case backupErr != nil:
		return fmt.Errorf("killswitch: %w", backupErr)
	case backup != nil:
		s.addRead(backup.rules, time.Now())
	case missing && s.opts.AllowMissing:
	case missing:
		return fmt.Errorf("killswitch: the stop file %s does not exist: create it with the line %s", s.opts.File, emptyFile)
	case f.lost: // a mistake that hides no stop will do; a warning comes with the first look
		return fmt.Errorf("killswitch: the stop file %s cannot be read whole, and a stop may be lost: %w: an empty one is %s", s.opts.File, err, emptyFile)
	}
	s.lookAtFile()
	s.tellGone()
	return nil
}

// tellGone records what was taken out of the file while nobody looked.
func (s *Switch) tellGone() {
	now := time.Now()
	var events []event
	s.mu.Lock()
	for r := range s.file.before {
		if s.read[r] == nil && (r.Until.IsZero() || now.Before(r.Until)) {
			events = append(events, event{Event: "rule.lift", Source: FromFile, Rule: &r, Detail: "taken out of the stop file while it was not watched"})
		}
	}
	s.mu.Unlock()
	s.file.before = nil
	s.audit(events...)
}

// lookAtFile is one look at the stop file.
func (s *Switch) lookAtFile() {
	if s.opts.File == "" {
		return
	}
	r := &s.file
	r.reading.Lock()
	defer r.reading.Unlock()
	text, err := readFile(r.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) && s.opts.AllowMissing && !r.seen {
		return // not there yet
	}
	r.seen = true
	now := time.Now()
	if text == nil {
		r.since, r.known, r.bad = time.Time{}, false, nil
		s.fileIs(now, fmt.Errorf("the stop file %s cannot be read: %w", s.opts.File, err))
		return
	}
	hash := sha256.Sum256(text)
	if r.known && hash == r.hash {
		return
	}
	if r.bad != nil && hash == r.badHash {
		s.fileIs(now, r.bad)
		return
	}
	s.take(parseRead(text, err), text, hash, now)
}

// take applies what a file says. The caller holds reading.
func (s *Switch) take(f *stopFile, text []byte, hash [sha256.Size]byte, now time.Time) {
	r := &s.file
	if s.opts.RequireTicket {
		for _, rule := range f.rules {
			if rule.Ticket == "" {
				f.problem("rule %s has no ticket", rule.ID)
			}
		}
	}
	r.mu.Lock()
	highest := r.status.Generation
	r.mu.Unlock()
	if f.valid() && f.generation < highest {
		f.problem("its generation %d is older than %d, which was read before", f.generation, highest)
	}
	if !f.valid() {
		r.since, r.known = time.Time{}, false
		r.badHash, r.bad = hash, fmt.Errorf("the stop file %s is not valid: %w", s.opts.File, f.err())
		s.addRead(f.rules, now)
		s.fileIs(now, r.bad)
		return
	}
	r.bad = nil
	gone := s.addRead(f.rules, now)
	switch {
	case len(gone) == 0:
	case r.since.IsZero() || r.pending != hash:
		r.pending, r.since, r.known = hash, now, false
	case now.Sub(r.since) >= s.opts.settle():
		s.dropRead(gone)
		gone = nil
	}
	r.mu.Lock()
	r.status.Generation, r.status.Settling = f.generation, len(gone) > 0
	r.mu.Unlock()
	s.fileIs(now, nil)
	if len(gone) == 0 {
		r.hash, r.known, r.since = hash, true, time.Time{}
		s.audit(event{Event: "reload.ok", Source: FromFile, Count: int64(len(f.rules))})
		s.saveCopy(text, hash)
	}
}

// addRead puts in force what is new in the file, and returns what is in force and no longer in it.
func (s *Switch) addRead(rules []Rule, now time.Time) (gone []*entry) {
	var fresh []*entry
	s.mu.Lock()
	s.looks++
	for _, r := range rules {
		e := s.read[r]
		if e == nil {
			e = newEntry(r, FromFile, now)
			s.read[r] = e
			fresh = append(fresh, e)
		}
		e.look = s.looks
	}
	for _, e := range s.read {
		if e.look != s.looks {
			gone = append(gone, e)
		}
	}
	s.publish(fresh...)
	s.mu.Unlock()
	if len(fresh) > 0 {
		s.strike(nil, fresh...)
	}
	fresh = slices.DeleteFunc(fresh, func(e *entry) bool { return e.expired(now) })
	s.tellStops(FromFile, fresh)
	var events []event
	for _, e := range fresh {
		if s.file.before[e.rule] { // and was told when it came
			continue
		}
		events = append(events, event{Event: "rule.add", Source: FromFile, Rule: &e.rule})
		if n := e.cancelled.Load(); n > 0 {
			events = append(events, event{Event: "inflight.cancel", Source: FromFile, Rule: &e.rule, Count: n})
		}
	}
	s.audit(events...)
	s.lookHowWide(fresh...)
	return gone
}

// dropRead lifts what the file no longer says.
func (s *Switch) dropRead(gone []*entry) {
	s.mu.Lock()
	for _, e := range gone {
		delete(s.read, e.rule)
	}
	s.retire("taken out of the stop file", gone...)
	s.mu.Unlock()
	var events []event
	if len(gone) > maxTold {
		s.log().Warn("killswitch: lift", "rules", len(gone), "source", FromFile)
	}
	for _, e := range gone {
		if len(gone) <= maxTold {
			s.log().Warn("killswitch: lift", append(describe(e.rule), "source", FromFile)...)
		}
		events = append(events, event{Event: "rule.lift", Source: FromFile, Rule: &e.rule})
	}
	s.audit(events...)
}
