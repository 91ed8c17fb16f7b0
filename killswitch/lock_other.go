//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package killswitch

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// openAtOnce: files that keep whoever opens them waiting have no name here.
const openAtOnce = 0

// staleLock is the age at which a lock file is taken for one that a dead process left. The lock is held for a few milliseconds.
const staleLock = 10 * time.Second

// tryLock takes the lock that all processes with one StateDir share, if it is free: whoever makes the file has it.
func tryLock(f *os.File) (bool, error) {
	name := f.Name() + ".held"
	held, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return true, held.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	if st, err := os.Stat(name); err == nil && time.Since(st.ModTime()) > staleLock {
		_ = os.Remove(name)
	}
	return false, nil
}

func unlock(f *os.File) { _ = os.Remove(f.Name() + ".held") }
