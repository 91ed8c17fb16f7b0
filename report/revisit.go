package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"slices"
	"time"
)

// maxRevisit is how many URLs of a report file are told apart, at some 150 bytes each.
const maxRevisit = 1_000_000

// Revisit reads the report file at path and those renamed from it, and yields what was skipped and may be asked again, oldest first: of each URL and
// method the latest skip, if the method is GET or HEAD and the refusal is over. With reasons, it yields the skips for these whose RetryAt has passed or is
// not known. Without, it leaves out those that would be refused again (robots_disallowed, identity, private_address, bypassed, opt_out, unwanted) and, where
// the end is not known, those that a person or the site must end (stopped, access_denied, crawl_delay_too_long). What was fetched since is not in the
// file, and so not left out.
//
// What cannot be used is yielded as an error, with a zero Skip, and the iteration goes on: one error for each file with lines that cannot be read, one for
// each URL that was written without its secrets or cut for its length, and one if there are more than 1,000,000 URLs, of which the rest is left out. A
// file that cannot be opened or read is an error too; fs.ErrNotExist if there is none at all.
//
// The files are read as they were when the iteration began; they may be written to meanwhile, by its user too. It needs some 150 bytes of memory for
// each URL, reads lines of up to 1 MiB, and may be iterated again.
func Revisit(path string, reasons ...Reason) iter.Seq2[Skip, error] {
	return func(yield func(Skip, error) bool) {
		files, err := openFiles(path)
		if err != nil {
			yield(Skip{}, fmt.Errorf("report: %w", err))
			return
		}
		defer closeFiles(files)
		v := revisit{reasons: reasons, latest: make(map[request]place)}
		for i, f := range files {
			if err := v.readFile(i, f); err != nil && !yield(Skip{}, err) {
				return
			}
		}
		if v.left > 0 && !yield(Skip{}, fmt.Errorf("report: %s has more than %d URLs: %d lines of further ones are left out", path, maxRevisit, v.left)) {
			return
		}
		for _, p := range v.places() {
			if s, err := p.load(files[p.file]); !yield(s, err) {
				return
			}
		}
	}
}

// request is a method and a URL, as a hash.
type request [16]byte

// place is where the latest skip of a request stands.
type place struct {
	offset int64
	time   int64 // Unix microseconds
	length int32
	file   int32
	ask    bool // it may be asked again
}

// revisit is what is known after one reading.
type revisit struct {
	reasons []Reason
	latest  map[request]place
	left    int // lines for which there was no room
}

// readFile takes in a file as long as it is now.
func (v *revisit) readFile(number int, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return v.read(number, info.Name(), io.LimitReader(f, info.Size()))
}

// read takes in a file. The error counts its bad lines.
func (v *revisit) read(number int, name string, r io.Reader) error {
	bad := badLines{name: name}
	lines := newLineReader(r)
	for n := 1; ; n++ {
		offset := lines.offset
		text, ok, err := lines.next()
		if err == io.EOF {
			return bad.err()
		}
		if err != nil {
			return errors.Join(bad.err(), fmt.Errorf("report: %w", err))
		}
		if ok && len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		l, err := parseLine(text)
		if !ok || err != nil {
			bad.add(n, err)
			continue
		}
		v.add(&l, place{offset: offset, time: l.Time.UnixMicro(), length: int32(len(text)), file: int32(number), ask: v.mayAsk(&l)})
	}
}

// add keeps the place if it is the latest of its request.
func (v *revisit) add(l *line, p place) {
	sum := sha256.Sum256([]byte(cmp.Or(l.Method, http.MethodGet) + " " + l.URL))
	key := request(sum[:16])
	old, known := v.latest[key]
	switch {
	case !known && len(v.latest) >= maxRevisit:
		v.left++
	case !known || p.time >= old.time:
		v.latest[key] = p
	}
}

// mayAsk reports whether the refusal is over.
func (v *revisit) mayAsk(l *line) bool {
	if l.Method != "" && l.Method != http.MethodGet && l.Method != http.MethodHead || time.Now().Before(l.RetryAt) {
		return false
	}
	if len(v.reasons) > 0 {
		return slices.Contains(v.reasons, l.Reason)
	}
	switch reasons[l.Reason].end {
	case byItself:
		return true
	case atRetry:
		return !l.RetryAt.IsZero()
	}
	return false
}

// places are those of what may be asked, oldest first.
func (v *revisit) places() []place {
	var out []place
	for _, p := range v.latest {
		if p.ask {
			out = append(out, p)
		}
	}
	v.latest = nil
	slices.SortFunc(out, func(a, b place) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.offset, b.offset)) })
	return out
}

// load reads the skip again. The error says why its request cannot be made as it was.
func (p place) load(f io.ReaderAt) (Skip, error) {
	text := make([]byte, p.length)
	if _, err := f.ReadAt(text, p.offset); err != nil {
		return Skip{}, fmt.Errorf("report: %w", err)
	}
	l, err := parseLine(text)
	if err == nil {
		err = l.askable()
	}
	if err != nil {
		return Skip{}, fmt.Errorf("report: %s cannot be asked again: %w", l.URL[:min(len(l.URL), 200)], err)
	}
	return l.skip(), nil
}

// badLines counts the lines of a file that cannot be read.
type badLines struct {
	name  string
	count int
	first int
	why   error
}

func (b *badLines) add(n int, err error) {
	if b.count == 0 {
		b.first, b.why = n, cmp.Or(err, errors.New("it is torn or too long"))
	}
	b.count++
}

func (b *badLines) err() error {
	if b.count == 0 {
		return nil
	}
	return fmt.Errorf("report: %d lines of %s cannot be read, the first is line %d: %w", b.count, b.name, b.first, b.why)
}
