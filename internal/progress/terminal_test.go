package progress

import (
	"strconv"
	"strings"
	"sync"
	"testing"
)

// terminal is a small terminal: what a person would see.
type terminal struct {
	t             testing.TB
	columns, rows int

	mu       sync.Mutex
	gone     []string // scrolled away
	lines    [][]rune
	row, col int
	writes   int
}

func newTerminal(t testing.TB, columns, rows int) *terminal {
	return &terminal{t: t, columns: columns, rows: rows, lines: make([][]rune, rows)}
}

func (s *terminal) size() (Size, bool) { return Size{s.columns, s.rows}, true }

func (s *terminal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	text := []rune(string(p))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\r':
			s.col = 0
		case '\n':
			s.col = 0
			s.down()
		case '\x1b':
			i += s.control(string(text[i:]))
		default:
			if s.col == s.columns {
				s.col = 0
				s.down()
			}
			for len(s.lines[s.row]) <= s.col {
				s.lines[s.row] = append(s.lines[s.row], ' ')
			}
			s.lines[s.row][s.col] = c
			s.col++
		}
	}
	return len(p), nil
}

func (s *terminal) down() {
	if s.row++; s.row == s.rows {
		s.gone = append(s.gone, string(s.lines[0]))
		s.lines = append(s.lines[1:], nil)
		s.row--
	}
}

// control does what a sequence says, and returns how much longer than one it is.
func (s *terminal) control(text string) int {
	end := strings.IndexAny(text, "KJA")
	if !strings.HasPrefix(text, "\x1b[") || end < 0 {
		s.t.Errorf("a control sequence that this terminal does not know: %.10q", text)
		return 0
	}
	switch text[end] {
	case 'A':
		n, err := strconv.Atoi(text[2:end])
		if err != nil {
			s.t.Errorf("a control sequence without a number: %q", text[:end+1])
		}
		s.row = max(s.row-n, 0)
	case 'J':
		for i := s.row + 1; i < s.rows; i++ {
			s.lines[i] = nil
		}
		fallthrough
	case 'K':
		s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
	}
	return end
}

// text is all that can be seen, with what scrolled away, without empty lines at the end.
func (s *terminal) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := append([]string(nil), s.gone...)
	for _, line := range s.lines {
		all = append(all, string(line))
	}
	for i := range all {
		all[i] = strings.TrimRight(all[i], " ")
	}
	return strings.TrimRight(strings.Join(all, "\n"), "\n")
}
