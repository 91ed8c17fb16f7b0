//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package killswitch

import (
	"errors"
	"os"
	"syscall"
)

// openAtOnce keeps the opening of a pipe from waiting for somebody who writes to it.
const openAtOnce = syscall.O_NONBLOCK

// tryLock takes the lock that all processes with one StateDir share, if it is free. It ends with the process at the latest.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
