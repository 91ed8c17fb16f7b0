package report

import (
	"fmt"
	"sync"
)

// Report collects what was not sent, and how politely the rest was. The zero value is ready, keeps everything in memory and needs no Close; New makes one that
// writes to a file too. It is safe for concurrent use.
type Report struct {
	// Keep is how many skips are kept in memory at most; the oldest is dropped first and stays in the counts. Zero means DefaultKeep,
	// negative means none. It must not be changed once the report is in use.
	Keep int

	journal  *journal // nil: no file
	closing  sync.Once
	maxHosts int

	once  sync.Once
	hosts *table // use table()

	mu      sync.Mutex
	ring    ring
	total   int
	counts  counts
	sources []func(*Host)
}

// New makes a Report and its file. It starts no goroutine; the first skip does. The error names the option that makes no sense, or says why the file
// cannot be written.
func New(o Options) (*Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &Report{Keep: o.Keep, maxHosts: o.MaxHosts}
	r.table()
	if o.Path == "" {
		return r, nil
	}
	file := logFile{path: o.Path, max: o.MaxFileBytes, keep: o.KeepFiles}
	if file.max == 0 {
		file.max = DefaultMaxFileBytes
	}
	if file.keep == 0 {
		file.keep = DefaultKeepFiles
	}
	if err := file.open(); err != nil {
		return nil, fmt.Errorf("report: Options.Path: %w", err)
	}
	r.journal = newJournal(file, o.Logger)
	return r, nil
}

// Record adds one skip. One without a reason says nothing and is dropped. It does not wait for the file, but when skips come faster than they can be
// written: then it writes some of them itself, and of a disk that hangs it waits a second, once.
func (r *Report) Record(s Skip) {
	if s.Reason == "" {
		return
	}
	keep := r.Keep
	if keep == 0 {
		keep = DefaultKeep
	}
	r.mu.Lock()
	r.total++
	if r.counts == nil {
		r.counts = make(counts)
	}
	r.counts.add(&s)
	r.ring.add(s, keep)
	r.mu.Unlock()
	r.skipped(&s)
	if r.journal != nil {
		r.journal.record(&s)
	}
}

// skipped counts the skip for its host.
func (r *Report) skipped(s *Skip) {
	if s.Host == "" {
		return
	}
	t := r.table()
	now := t.instant(s.Time)
	sh := t.shard(s.Host)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	tl := sh.of(s.Host, now)
	tl.seen(now)
	tl.skipped++
	tl.skips.add(s)
}

// Skips returns the skips that are kept, oldest first. The slice is the caller's.
func (r *Report) Skips() []Skip {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Skip, r.ring.n)
	r.ring.copyTo(out)
	return out
}

// Total is the number of skips recorded so far, those no longer kept included.
func (r *Report) Total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// Lost is how many skips did not come into the file and will not: the disk was full, or they came after Close. Zero for a report without a file.
func (r *Report) Lost() int {
	if r.journal == nil {
		return 0
	}
	return r.journal.notWritten()
}

// Close writes what is pending to the file and closes it. The error says how many skips are not in it. The report can still be read, and goes on
// counting. A second call does nothing.
func (r *Report) Close() error {
	var err error
	if r.journal != nil {
		r.closing.Do(func() { err = r.journal.close() })
	}
	return err
}
