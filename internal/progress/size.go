package progress

import (
	"io"
	"os"
)

// Size is that of a terminal.
type Size struct{ Columns, Rows int }

// SizeOf is a function that tells how large the terminal is that w leads to, and whether it is one that can move its cursor.
func SizeOf(w io.Writer) func() (Size, bool) {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return func() (Size, bool) { return Size{}, false }
	}
	return func() (Size, bool) {
		info, err := f.Stat()
		if err != nil || info.Mode()&os.ModeCharDevice == 0 {
			return Size{}, false
		}
		size, ok := sizeOf(f) // /dev/null is a character device too, but has no size
		if ok && (size.Columns == 0 || size.Rows == 0) {
			size = Size{80, 24} // a serial line does not know
		}
		return size, ok
	}
}
