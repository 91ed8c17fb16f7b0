package report

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	flushEvery = time.Second
	// maxPending is how many bytes of lines wait for the file at most.
	maxPending = 1 << 20
	// patience is how long a skip waits, when so much is pending, for a write that hangs, before it and those after it are given up. Close waits for
	// closePatience.
	patience      = time.Second
	closePatience = 5 * time.Second
)

// journal brings skips into the file. They are made into lines at once, so that what waits is bounded in bytes, and written by one goroutine, which is
// started with the first and has nothing to do while nothing waits. When skips come faster than it can write, they write themselves. What a full disk does
// not take is kept and tried again each second, until there is no room for more; what comes then is counted as lost, and no crawl is stopped.
type journal struct {
	logger *slog.Logger
	room   int // maxPending, but in tests

	mu      sync.Mutex
	pending []byte // whole lines
	spare   []byte // the other buffer, while nobody writes it
	failed  error  // of the latest write; nil once one went well
	lost    int
	started bool
	closed  bool

	turn  chan struct{} // whoever writes has put one in
	file  logFile       // his
	since atomic.Int64  // when his write began, in nanoseconds since epoch; 0: nobody writes
	epoch time.Time
	told  sync.Once

	some, much, closing, done chan struct{}
}

func newJournal(file logFile, logger *slog.Logger) *journal {
	return &journal{logger: logger, room: maxPending, file: file, epoch: time.Now(), turn: make(chan struct{}, 1), some: make(chan struct{}, 1),
		much: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
}

// record takes in a skip.
func (j *journal) record(s *Skip) {
	var room [1 << 10]byte
	line := append(appendLine(room[:0], s), '\n')
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.pending) >= j.room && !j.closed && j.failed == nil {
		j.mu.Unlock()
		relieved := j.relieve()
		j.mu.Lock()
		if !relieved {
			break
		}
	}
	if j.closed || len(j.pending) >= j.room {
		j.lost++
		return
	}
	if !j.started {
		j.started = true
		go j.run()
	}
	if len(j.pending) == 0 {
		nudge(j.some)
	}
	j.pending = append(j.pending, line...)
	if len(j.pending) >= j.room/2 {
		nudge(j.much)
	}
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run writes what is pending a second after the first of it came, or sooner if there is much of it.
func (j *journal) run() {
	defer close(j.done)
	for open := true; open; {
		select {
		case <-j.some:
		case <-j.closing:
		}
		timer := time.NewTimer(flushEvery)
		select {
		case <-timer.C:
		case <-j.much:
		case <-j.closing:
		}
		timer.Stop()
		select {
		case <-j.closing: // nothing more comes
			open = false
		default:
		}
		j.turn <- struct{}{}
		j.write()
	}
}

// relieve writes what is pending in the caller's own time, once whoever writes is done. It is false if his write hangs for longer than patience.
func (j *journal) relieve() bool {
	for {
		since := j.since.Load()
		left := patience
		if since > 0 {
			left -= time.Since(j.epoch) - time.Duration(since)
		}
		timer := time.NewTimer(max(left, 0))
		select {
		case j.turn <- struct{}{}:
			timer.Stop()
			j.write()
			return true
		case <-timer.C:
			if since > 0 && j.since.Load() == since {
				return false
			}
		}
	}
}

// write brings what is pending into the file. The caller has the turn, and write ends it.
func (j *journal) write() {
	j.mu.Lock()
	lines := j.pending
	j.pending, j.spare = j.spare[:0], nil
	j.mu.Unlock()

	j.since.Store(int64(time.Since(j.epoch)) + 1)
	n, err := j.file.write(lines)
	j.since.Store(0)

	j.mu.Lock()
	j.failed = nil
	if n < len(lines) {
		j.failed = err
		rest := append(lines[:0], lines[n:]...)
		lines, j.pending = j.pending, j.join(rest, j.pending)
		nudge(j.some)
	}
	j.spare = lines[:0]
	j.mu.Unlock()
	<-j.turn
	if err != nil {
		j.told.Do(func() { j.tell(err) })
	}
}

// join appends what came meanwhile to what was not written, as far as there is room, and counts the rest as lost.
func (j *journal) join(old, fresh []byte) []byte {
	fits := wholeLines(fresh, int64(max(j.room-len(old), 0)))
	j.lost += bytes.Count(fresh[len(fits):], []byte{'\n'})
	return append(old, fits...)
}

func (j *journal) tell(err error) {
	logger := j.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.Warn("report: the file of skips cannot be written; the crawl goes on", "path", j.file.path, "err", err)
}

// close writes what is pending and closes the file. The error says what could not be written.
func (j *journal) close() error {
	j.mu.Lock()
	started := j.started
	j.closed = true
	j.mu.Unlock()
	close(j.closing)
	if !started {
		return j.file.close()
	}
	timer := time.NewTimer(closePatience)
	defer timer.Stop()
	select {
	case <-j.done:
	case <-timer.C:
		return fmt.Errorf("report: %s hangs: what was pending may be lost", j.file.path)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost += bytes.Count(j.pending, []byte{'\n'})
	j.pending = nil
	switch err := cmp.Or(j.failed, j.file.close()); {
	case err != nil:
		return fmt.Errorf("report: %d skips are not in %s: %w", j.lost, j.file.path, err)
	case j.lost > 0:
		return fmt.Errorf("report: %d skips are not in %s", j.lost, j.file.path)
	}
	return nil
}

// notWritten is how many skips will not be in the file.
func (j *journal) notWritten() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lost
}
