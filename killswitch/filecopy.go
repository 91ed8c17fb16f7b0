package killswitch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// copyPath is where the last good copy of the stop file is kept. Processes with one StateDir may have different stop files.
func (s *Switch) copyPath() string {
	sum := sha256.Sum256([]byte(s.file.path))
	return s.state.path("file-" + hex.EncodeToString(sum[:8]) + ".json")
}

// saveCopy keeps a valid stop file for a start without one. The caller holds file.reading.
func (s *Switch) saveCopy(text []byte, hash [sha256.Size]byte) {
	if s.state == nil || hash == s.file.saved {
		return
	}
	if err := replaceFile(s.copyPath(), text); err != nil {
		s.alarm(s.copyPath(), fmt.Errorf("the copy of the stop file cannot be written: %w", err))
		return
	}
	s.file.saved = hash
}

// readCopy is the last good copy of the stop file, or nil.
func (s *Switch) readCopy() (f *stopFile, hash [sha256.Size]byte, err error) {
	if s.state == nil {
		return nil, hash, nil
	}
	text, err := readFile(s.copyPath(), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hash, nil
	}
	if err == nil {
		f = parseFile(text)
		err = f.err()
	}
	if err != nil {
		err = fmt.Errorf("the saved copy %s of the stop file is damaged: %w: remove it once the stop file is right", s.copyPath(), err)
	}
	return f, sha256.Sum256(text), err
}
