package progress

import (
	"bytes"
	"fmt"
	"io"
)

// Between two drawings the cursor stands on an empty line above what is drawn. So a log line that somebody writes past the screen lands there, and
// the next drawing begins below it: nothing of it is lost. The cursor is never hidden and no mode is changed, so a program that is killed leaves the
// terminal as it was.
const (
	clearLine = "\x1b[K"   // from the cursor to the end of the line
	clearDown = "\r\x1b[J" // from the cursor's line to the end of the screen
)

// screen draws frames on a terminal.
type screen struct {
	w     io.Writer
	size  func() (Size, bool)
	lines []string // what is drawn
	rest  []byte   // written and not ended by a line break yet
}

// mostLines is how much is drawn however tall the terminal is.
const mostLines = 24

// draw puts a frame in the place of what is drawn.
func (s *screen) draw(f *Frame) {
	size, _ := s.size()
	s.lines = f.Lines(size.Columns, min(size.Rows-2, mostLines)) // one empty line above; one below keeps the screen from scrolling with each frame
	s.put(nil)
}

// put writes text and draws again below it, in one piece.
func (s *screen) put(text []byte) {
	var b bytes.Buffer
	if len(text) > 0 {
		b.WriteString(clearDown)
		b.Write(text)
	}
	if len(s.lines) > 0 {
		b.WriteString("\r" + clearLine)
		for _, line := range s.lines {
			b.WriteString("\r\n" + line + clearLine)
		}
		fmt.Fprintf(&b, "%s\x1b[%dA\r", "\x1b[J", len(s.lines))
	}
	_, _ = s.w.Write(b.Bytes()) // who watches has gone away: the crawl goes on
}

// write lets whole lines stand above what is drawn.
func (s *screen) write(text []byte) {
	s.rest = append(s.rest, text...)
	if end := bytes.LastIndexByte(s.rest, '\n') + 1; end > 0 {
		s.put(s.rest[:end])
		s.rest = append(s.rest[:0], s.rest[end:]...)
	}
}

// end leaves one line in the place of what is drawn, and the cursor below it.
func (s *screen) end(line string) {
	if len(s.rest) > 0 {
		s.rest = append(s.rest, '\n')
	}
	size, _ := s.size()
	fmt.Fprintf(s.w, "%s%s%s\r\n", clearDown, s.rest, cut(line, size.Columns-1))
	s.lines, s.rest = nil, nil
}
