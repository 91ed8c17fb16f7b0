//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package progress

import (
	"os"
	"syscall"
	"unsafe"
)

// sizeOf asks the terminal's driver.
func sizeOf(f *os.File) (Size, bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return Size{}, false
	}
	var window struct{ rows, columns, _, _ uint16 }
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&window)))
	})
	return Size{int(window.columns), int(window.rows)}, err == nil && errno == 0
}
