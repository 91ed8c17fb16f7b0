package killswitch

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile bounds a stop file, in bytes.
const maxFile = 64 << 20

// errCut is the error of a file that was not read to its end. What was read of it is given all the same.
var errCut = errors.New("not read to its end")

// readFile reads a regular file, most bytes of it. A pipe or a device in its place would keep whoever reads it waiting.
func readFile(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > most:
		return text[:most], fmt.Errorf("%w: it has more than %d bytes", errCut, most)
	case text == nil:
		text = []byte{}
	}
	return text, nil
}

// parseRead is parseFile for what readFile gave.
func parseRead(text []byte, err error) *stopFile {
	f := parseFile(text)
	if err != nil {
		f.problem("%v", err)
		f.lost = true
	}
	return f
}
