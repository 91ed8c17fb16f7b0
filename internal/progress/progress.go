// Package progress shows on a terminal how a crawl goes: one line for each busy host, drawn again in its place. Where there is no terminal it
// writes a line every few seconds.
package progress

import (
	"context"
	"io"
	"sync"
	"time"
)

const (
	// drawEvery is how often a terminal is drawn, lineEvery how often a line is written elsewhere.
	drawEvery = 500 * time.Millisecond
	lineEvery = 5 * time.Second
	// share is how many times as long as a look at the crawl took the next one has to wait: with many hosts it is drawn less often.
	share = 50
)

// Progress is what is shown until it ends. It is safe for concurrent use.
type Progress struct {
	read func(most int) Frame
	quit chan struct{}
	done chan struct{}
	stop sync.Once

	mu     sync.Mutex // guards what follows, and the order of what is written
	w      io.Writer
	screen *screen // nil: no terminal
	last   string  // the latest line that was written
	ended  bool
}

// Start shows on w what read returns, with the given number of rows at most. It ends with ctx, and by Close. size says how large the terminal is; false:
// w is none.
func Start(ctx context.Context, w io.Writer, size func() (Size, bool), read func(most int) Frame) *Progress {
	p := &Progress{read: read, w: w, quit: make(chan struct{}), done: make(chan struct{})}
	if _, ok := size(); ok {
		p.screen = &screen{w: w, size: size}
	}
	go p.run(ctx)
	return p
}

func (p *Progress) run(ctx context.Context) {
	defer close(p.done)
	every, most := lineEvery, 1
	if p.screen != nil {
		every, most = drawEvery, mostLines
	}
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			p.end()
			return
		case <-p.quit:
			p.end()
			return
		case <-timer.C:
		}
		began := time.Now()
		f := p.read(most)
		p.show(&f)
		timer.Reset(max(every, share*time.Since(began)))
	}
}

func (p *Progress) show(f *Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen != nil {
		p.screen.draw(f)
		return
	}
	p.line(f.Line())
}

// line writes a line that says something new. The caller holds mu.
func (p *Progress) line(text string) {
	if text != p.last {
		p.last = text
		_, _ = io.WriteString(p.w, text+"\n")
	}
}

// end leaves one line that says how it stood at the end.
func (p *Progress) end() {
	f := p.read(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.screen != nil {
		p.screen.end(f.head())
		return
	}
	p.line(f.head())
}

// Write writes lines that are to stand above the drawing. It is the way for a program's log. What does not end with a line break is held back until one
// comes.
func (p *Progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen == nil || p.ended {
		return p.w.Write(text)
	}
	p.screen.write(text)
	return len(text), nil
}

// Ended reports whether nothing is shown any more.
func (p *Progress) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Close ends it, and returns when the last line is written. It may be called twice.
func (p *Progress) Close() error {
	p.stop.Do(func() { close(p.quit) })
	<-p.done
	return nil
}
