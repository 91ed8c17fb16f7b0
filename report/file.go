package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// logFile is a file of lines that is appended to, by this process and perhaps by others, and renamed when it is full. It holds whole lines only, whatever
// happens: each write is one system call in append mode, and what a full disk or a dead process left torn gets an end before the next line. It is
// used by one goroutine at a time.
type logFile struct {
	path string
	max  int64
	keep int // how many renamed ones stay

	f *os.File // nil: to be opened
}

// open opens the file, unless it is open and still the one that has the path's name: another process may have renamed it.
func (l *logFile) open() error {
	if l.f != nil {
		if l.current() {
			return nil
		}
		_ = l.close()
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return errors.Join(err, fmt.Errorf("%s is no regular file", l.path))
	}
	l.f = f
	return nil
}

func (l *logFile) current() bool {
	named, err := os.Stat(l.path)
	if err != nil {
		return false
	}
	opened, err := l.f.Stat()
	return err == nil && os.SameFile(named, opened)
}

func (l *logFile) close() error {
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}

// write appends lines and returns how many bytes of them are in the file, counting whole lines only. If the file cannot be renamed, it grows past its
// size: a line too many is better than one lost. That error is returned too, when all is written.
func (l *logFile) write(lines []byte) (written int, err error) {
	var grows bool
	for written < len(lines) {
		if err := l.open(); err != nil {
			return written, err
		}
		size, torn, failed := l.end()
		if failed != nil {
			return written, failed
		}
		chunk := wholeLines(lines[written:], l.max-size)
		switch {
		case grows:
			chunk = lines[written:]
		case len(chunk) == 0 && size > 0:
			grows, err = l.rotate()
			continue
		case len(chunk) == 0:
			chunk = firstLine(lines[written:]) // longer than a file may be
		}
		n, failed := l.append(chunk, torn)
		written += n
		if failed != nil {
			return written, failed
		}
	}
	return written, err
}

// end is the size of the file, and whether its last line has no end. Another process's write that is seen halfway looks torn too: what comes of it is an empty
// line, which readers pass over.
func (l *logFile) end() (size int64, torn bool, err error) {
	info, err := l.f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, false, err
	}
	var last [1]byte
	if _, err := l.f.ReadAt(last[:], info.Size()-1); err != nil {
		return 0, false, err
	}
	return info.Size(), last[0] != '\n', nil
}

// append writes the lines at once and returns how many bytes of whole lines came to the file.
func (l *logFile) append(lines []byte, torn bool) (int, error) {
	if torn {
		if _, err := l.f.Write([]byte{'\n'}); err != nil {
			return 0, err
		}
	}
	n, err := l.f.Write(lines)
	if err != nil {
		return bytes.LastIndexByte(lines[:n], '\n') + 1, err
	}
	return n, nil
}

// rotate renames the full file and its elders. Of several processes one does it; the others find the new file. With grows the file stays in use for now:
// another process is just about it, or it cannot be done.
func (l *logFile) rotate() (grows bool, err error) {
	free, err := tryLock(l.f)
	if err != nil || !free {
		return true, err
	}
	defer l.close() // and so unlocks it
	if !l.current() {
		return false, nil // another process was faster
	}
	if renameNeedsClosed {
		_ = l.close()
	}
	if err := l.shift(); err != nil {
		return true, err
	}
	return false, nil
}

// shift gives each file the next number and removes what is beyond the last.
func (l *logFile) shift() error {
	if l.keep <= 0 {
		return os.Remove(l.path)
	}
	for i := l.keep; ; i++ {
		err := os.Remove(numbered(l.path, i))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
	}
	n := 1
	for n < l.keep && exists(numbered(l.path, n)) {
		n++
	}
	for ; n > 0; n-- {
		if err := os.Rename(numbered(l.path, n-1), numbered(l.path, n)); err != nil {
			return err
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// numbered is the name of the i-th renamed file; of the file itself for 0.
func numbered(path string, i int) string {
	if i == 0 {
		return path
	}
	return path + "." + strconv.Itoa(i)
}

// wholeLines is the beginning of b that fits into room.
func wholeLines(b []byte, room int64) []byte {
	if int64(len(b)) <= room {
		return b
	}
	return b[:bytes.LastIndexByte(b[:max(room, 0)], '\n')+1]
}

func firstLine(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] }
