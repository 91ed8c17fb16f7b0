package progress

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// crawl is a crawl that goes on: each look finds one more request sent.
type crawl struct {
	mu   sync.Mutex
	sent int
	rows int
	took time.Duration
}

func (c *crawl) read(most int) Frame {
	time.Sleep(c.took)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	f := Frame{Now: noon, Sent: c.sent, Waiting: 3, Hosts: c.rows}
	for i := range min(c.rows, most) {
		f.Rows = append(f.Rows, Row{Host: fmt.Sprintf("host%d.test", i), Waiting: 1, Next: noon, Why: "interval 1s"})
	}
	return f
}

func (c *crawl) set(rows int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows = rows
}

// noTerminal is where lines follow each other.
func noTerminal() (Size, bool) { return Size{}, false }

// lineLog keeps lines with the time of each.
type lineLog struct {
	mu    sync.Mutex
	lines []string
	at    []time.Time
}

func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines, l.at = append(l.lines, string(p)), append(l.at, time.Now())
	return len(p), nil
}

func (l *lineLog) all() ([]string, []time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines, l.at
}

func TestATerminalIsDrawnInPlace(t *testing.T) {
	for _, first := range []int{0, 20} { // the cursor's row at first: the top, and the bottom, where drawing scrolls
		synctest.Test(t, func(t *testing.T) {
			screen := newTerminal(t, 80, 21)
			_, _ = io.WriteString(screen, strings.Repeat("before\n", first))
			c := &crawl{rows: 3}
			p := Start(t.Context(), screen, screen.size, c.read)
			time.Sleep(10*time.Second + 1)
			before := strings.Repeat("before\n", first)
			want := before + `
etiquette: 0 under way, 3 wait, 20 sent, 0 skipped
  HOST          WAIT  NEXT       DONE        WHY
  host0.test       1  now                    interval 1s
  host1.test       1  now                    interval 1s
  host2.test       1  now                    interval 1s`
			if got := screen.text(); got != want {
				t.Errorf("after 20 frames the terminal shows:\n%s\nwant:\n%s", got, want)
			}
			c.set(1)
			time.Sleep(500 * time.Millisecond)
			want = before + `
etiquette: 0 under way, 3 wait, 21 sent, 0 skipped
  HOST          WAIT  NEXT       DONE        WHY
  host0.test       1  now                    interval 1s`
			if got := screen.text(); got != want {
				t.Errorf("with fewer hosts the terminal shows:\n%s\nwant:\n%s", got, want)
			}
			if err := p.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
			_, _ = io.WriteString(screen, "after")
			want = before + "etiquette: 0 under way, 3 wait, 22 sent, 0 skipped\nafter"
			if got := screen.text(); got != want {
				t.Errorf("at the end the terminal shows:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestLogLinesAreNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen := newTerminal(t, 80, 12)
		c := &crawl{rows: 2}
		p := Start(t.Context(), screen, screen.size, c.read)
		var want []string
		for i := range 30 {
			time.Sleep(700 * time.Millisecond)
			line := fmt.Sprintf("%d through it", i)
			_, _ = io.WriteString(p, line[:4]) // in two pieces
			_, _ = io.WriteString(p, line[4:]+"\n")
			want = append(want, line)
			time.Sleep(700 * time.Millisecond)
			line = fmt.Sprintf("%d past it", i)
			_, _ = io.WriteString(screen, line+"\n")
			want = append(want, line)
		}
		_, _ = io.WriteString(p, "half a line")
		want = append(want, "half a line")
		if err := p.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		lines := strings.Split(screen.text(), "\n")
		if got, want := lines[len(lines)-1], "etiquette: 0 under way"; !strings.HasPrefix(got, want) {
			t.Errorf("the last line is %q, want %q", got, want)
		}
		if got, want := strings.Join(lines[:len(lines)-1], "\n"), strings.Join(want, "\n"); got != want {
			t.Errorf("the log on the terminal:\n%s\nwant:\n%s", got, want)
		}
	})
}

func TestEachFrameIsWrittenInOnePiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen := newTerminal(t, 80, 24)
		p := Start(t.Context(), screen, screen.size, (&crawl{rows: 5}).read)
		time.Sleep(5*time.Second + 1)
		screen.mu.Lock()
		got := screen.writes
		screen.mu.Unlock()
		if want := 10; got != want {
			t.Errorf("%d writes for 10 frames, want one for each", got)
		}
		_ = p.Close()
	})
}

func TestWithoutATerminalALineComesEveryFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lineLog
		start := time.Now()
		p := Start(t.Context(), &log, noTerminal, (&crawl{rows: 3}).read)
		time.Sleep(time.Minute + 1)
		lines, at := log.all()
		if got, want := len(lines), 12; got != want {
			t.Fatalf("%d lines in a minute, want %d: %q", got, want, lines)
		}
		for i := range at {
			if got, want := at[i].Sub(start), time.Duration(i+1)*5*time.Second; got != want {
				t.Errorf("line %d came after %s, want %s", i, got, want)
			}
		}
		if want := "etiquette: 0 under way, 3 wait, 1 sent, 0 skipped; host0.test: 1 wait, next now, interval 1s; and 2 more hosts\n"; lines[0] != want {
			t.Errorf("the first line = %q, want %q", lines[0], want)
		}
		_, _ = io.WriteString(p, "a log line\n")
		_ = p.Close()
		lines, _ = log.all()
		if got, want := lines[12:], "a log line\n"; len(got) != 2 || got[0] != want || strings.Contains(got[1], "\x1b") {
			t.Errorf("then came %q, want the log line and the end", got)
		}
	})
}

func TestALineThatSaysNothingNewIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lineLog
		p := Start(t.Context(), &log, noTerminal, func(int) Frame { return Frame{Sent: 7} })
		time.Sleep(time.Hour)
		_ = p.Close()
		if lines, _ := log.all(); len(lines) != 1 {
			t.Errorf("%d lines, want one: %q", len(lines), lines)
		}
	})
}

func TestItEndsWithItsContextAndByClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lineLog
		ctx, cancel := context.WithCancel(t.Context())
		p := Start(ctx, &log, noTerminal, (&crawl{}).read)
		cancel()
		synctest.Wait()
		lines, _ := log.all()
		if len(lines) != 1 {
			t.Errorf("lines at the end of the context = %q, want one", lines)
		}
		for range 2 {
			if err := p.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
		}
		_, _ = io.WriteString(p, "later")
		if lines, _ = log.all(); len(lines) != 2 || lines[1] != "later" {
			t.Errorf("lines = %q, want what was written later as it is", lines)
		}
	})
}

func TestALookThatTakesLongIsTakenSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen := newTerminal(t, 80, 24)
		c := &crawl{took: time.Second}
		p := Start(t.Context(), screen, screen.size, c.read)
		time.Sleep(10 * time.Minute)
		c.mu.Lock()
		got := c.sent
		c.mu.Unlock()
		if got < 10 || got > 12 {
			t.Errorf("%d looks of a second in ten minutes, want one every 51 s", got)
		}
		_ = p.Close()
	})
}

func TestOnlyATerminalIsOne(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for name, to := range map[string]io.Writer{"a buffer": &bytes.Buffer{}, "a file": file, "/dev/null": null, "a pipe": w} {
		if size, ok := SizeOf(to)(); ok {
			t.Errorf("%s is taken for a terminal of %+v", name, size)
		}
	}
}
