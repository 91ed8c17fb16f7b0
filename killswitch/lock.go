package killswitch

import (
	"errors"
	"time"
)

// How long the lock may be held by somebody else. It is held for the writing of one record. The watcher has stop files to look at and comes again.
const (
	lockPatience  = 2 * time.Second
	watchPatience = 100 * time.Millisecond
)

// errBusy is the error of a directory that somebody else has locked. The watcher comes again, so it is worth an alarm only once it lasts.
type errBusy struct {
	dir  string
	time time.Duration // since when
}

func (e *errBusy) Error() string { return e.dir + " is locked by another process" } // the same each time, so that it is told once

// worthAnAlarm is how long the lock may be held before people are told.
const worthAnAlarm = 10 * time.Second

// locked runs f while no other user of the directory writes. patience is for how long it waits for that.
func (st *state) locked(patience time.Duration, f func() error) error {
	for began := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		if done, err := st.tryLocked(began, patience, f); done {
			return err
		}
	}
}

// tryLocked runs f if the lock is free. Nothing is held while somebody waits for that.
func (st *state) tryLocked(began time.Time, patience time.Duration, f func() error) (done bool, err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return true, errors.New("the switch is closed")
	}
	ok, err := tryLock(st.lock)
	if err != nil {
		return true, err
	}
	if !ok {
		now := time.Now()
		if now.Sub(began) < patience {
			return false, nil
		}
		if st.busy.IsZero() {
			st.busy = began
		}
		return true, &errBusy{st.dir, now.Sub(st.busy)}
	}
	if !st.isNamed(st.lock, lockFile) { // somebody tidied up: others lock another file
		unlock(st.lock)
		fresh, err := st.open(lockFile)
		if err != nil {
			return true, err
		}
		_ = st.lock.Close()
		st.lock = fresh
		return false, nil
	}
	defer unlock(st.lock)
	st.busy = time.Time{}
	return true, f()
}
