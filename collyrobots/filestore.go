package collyrobots

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// FileStore is a Store in a directory, one file per origin. Files are replaced whole, so several processes may share the directory; a file
// that is broken is a miss. Make it with [NewFileStore].
type FileStore struct{ dir string }

const (
	fileSuffix = ".robots"
	tempSuffix = ".tmp"
	// keepFile is how long a file lives that nobody writes: longer than the 30 days that a failure must be remembered for.
	keepFile = 60 * 24 * time.Hour
	keepTemp = time.Hour // left by a process that was killed while it wrote
	mostFile = 2 * mostBody
)

// NewFileStore makes a store of dir, and the directory if there is none. It removes what has not been written for 60 days.
func NewFileStore(dir string) (*FileStore, error) {
	if dir == "" {
		return nil, errors.New("collyrobots: NewFileStore: the directory has no name")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("collyrobots: NewFileStore: %w", err)
	}
	s := &FileStore{dir}
	if err := s.sweep(time.Now()); err != nil {
		return nil, fmt.Errorf("collyrobots: NewFileStore: %w", err)
	}
	return s, nil
}

// sweep removes old files. Another process may be doing the same.
func (s *FileStore) sweep(now time.Time) error {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		keep := keepFile
		switch filepath.Ext(f.Name()) {
		case tempSuffix:
			keep = keepTemp
		case fileSuffix:
		default:
			continue // not ours
		}
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > keep {
			_ = os.Remove(filepath.Join(s.dir, f.Name()))
		}
	}
	return nil
}

func (s *FileStore) path(origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:16])+fileSuffix)
}

// Get implements Store. A file that is broken, or of another origin, is a miss.
func (s *FileStore) Get(_ context.Context, origin string) (Entry, bool, error) {
	f, err := os.Open(s.path(origin))
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, false, nil
	}
	if err != nil {
		return Entry{}, false, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, mostFile))
	if err != nil {
		return Entry{}, false, err
	}
	e, ok := decodeEntry(text)
	return e, ok && e.Origin == origin, nil
}

// Put implements Store.
func (s *FileStore) Put(_ context.Context, e Entry) error {
	text, err := encodeEntry(e)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, "*"+tempSuffix)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path(e.Origin))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Delete implements Store.
func (s *FileStore) Delete(_ context.Context, origin string) error {
	if err := os.Remove(s.path(origin)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// A file is the checksum of what follows, a line end, and the entry as JSON: half a file, or one with a flipped bit, must not become rules.

func encodeEntry(e Entry) ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return append([]byte(checksum(text)+"\n"), text...), nil
}

func decodeEntry(file []byte) (e Entry, ok bool) {
	sum, text, found := bytes.Cut(file, []byte("\n"))
	if !found || string(sum) != checksum(text) || json.Unmarshal(text, &e) != nil {
		return Entry{}, false
	}
	return e, strings.HasPrefix(e.Origin, "http")
}

func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
