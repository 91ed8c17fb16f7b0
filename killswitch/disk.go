package killswitch

import (
	"errors"
	"os"
	"path/filepath"
)

// appendWhole leaves a file as it was if it cannot take all of text.
func appendWhole(f *os.File, text []byte, end int64) error {
	_, err := f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}

// replaceFile puts text in the place of a file, in one step.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		syncDir(filepath.Dir(path))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// syncDir writes the names in a directory through to the disk. Some systems cannot, and do it by themselves.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
