package report

import (
	"bufio"
	"errors"
	"io"
)

// maxLine is the longest line that is read, in bytes; Record writes none so long.
const maxLine = 1 << 20

// lineReader reads lines of bounded length.
type lineReader struct {
	r      *bufio.Reader
	offset int64 // of the next line
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next is the next line without its end; ok is false for one that is too long or has no end. The line is good until the next call. The error is io.EOF
// at the end.
func (l *lineReader) next() (line []byte, ok bool, err error) {
	var long []byte
	for {
		part, err := l.r.ReadSlice('\n')
		l.offset += int64(len(part))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(long) <= maxLine {
				long = append(long, part...)
			}
			continue
		case err == io.EOF && len(part)+len(long) > 0:
			return nil, false, nil
		case err != nil:
			return nil, false, err
		case len(long) == 0:
			return part[:len(part)-1], true, nil
		}
		long = append(long, part...)
		return long[:len(long)-1], len(long) <= maxLine, nil
	}
}
