package progress

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

func TestAPseudoTerminalIsATerminalOfItsSize(t *testing.T) {
	t.Setenv("TERM", "xterm")
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal to be had: %v", err)
	}
	defer tty.Close()
	set := struct{ rows, columns, _, _ uint16 }{rows: 33, columns: 99}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&set))); errno != 0 {
		t.Skipf("its size cannot be set: %v", errno)
	}
	if got, ok := SizeOf(tty)(); !ok || got != (Size{99, 33}) {
		t.Errorf("size = %+v, %t, want 99 columns and 33 rows", got, ok)
	}
	t.Setenv("TERM", "dumb")
	if _, ok := SizeOf(tty)(); ok {
		t.Error("TERM=dumb is taken for a terminal that can move its cursor")
	}
}
