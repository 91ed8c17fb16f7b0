package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// openFiles opens the report file and those renamed from it, oldest first. A file that is renamed meanwhile is there under one name or the other; if one could
// have slipped through, it looks again.
func openFiles(path string) (files []*os.File, err error) {
	for range 5 {
		if files, err = tryFiles(path); err != nil {
			return nil, err
		}
		if len(files) > 0 && !renamed(path, files) {
			return files, nil
		}
		if len(files) == 0 {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		closeFiles(files)
	}
	return nil, errors.New("report: " + path + " is renamed all the time")
}

// tryFiles opens them youngest first: what is renamed meanwhile is then opened twice and not missed, and the elder name of the two is let go.
func tryFiles(path string) ([]*os.File, error) {
	numbers, err := fileNumbers(path)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	var infos []os.FileInfo
	for _, n := range numbers {
		f, err := os.Open(numbered(path, n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var info os.FileInfo
		if err == nil {
			files = append(files, f)
			info, err = f.Stat()
		}
		if err != nil {
			closeFiles(files)
			return nil, err
		}
		if slices.ContainsFunc(infos, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
			_ = f.Close()
			files = files[:len(files)-1]
			continue
		}
		infos = append(infos, info)
	}
	slices.Reverse(files)
	return files, nil
}

// renamed reports whether the youngest file has lost its name since.
func renamed(path string, files []*os.File) bool {
	named, err := os.Stat(path)
	if err != nil {
		return false // there is none now
	}
	opened, err := files[len(files)-1].Stat()
	return err != nil || !os.SameFile(named, opened)
}

// fileNumbers are the numbers of the files that there are, youngest first: 0 is the file itself. A crash may have left a gap between them.
func fileNumbers(path string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	numbers := []int{0}
	for _, e := range entries {
		suffix, is := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if n, err := strconv.Atoi(suffix); is && err == nil && n > 0 && suffix == strconv.Itoa(n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
