//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package report

import (
	"errors"
	"os"
	"syscall"
)

// renameNeedsClosed says that a file must be closed before it is renamed.
const renameNeedsClosed = false

// tryLock takes the lock on the file, if it is free, until the file is closed.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
