package killswitch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// event is one line of the audit log. Each line carries the hash of the line before it, so that a change or a gap shows; see VerifyAudit.
type event struct {
	Seq    int64     `json:"seq"`
	Time   time.Time `json:"time"`
	Event  string    `json:"event"`
	Actor  string    `json:"actor,omitempty"`
	Source Source    `json:"source,omitempty"`
	Rule   *Rule     `json:"rule,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Count  int64     `json:"count,omitempty"`
	Prev   string    `json:"prev"` // SHA-256 of the line before, in hexadecimal; of nothing for the first
}

// auditTail is the end of the log as it was left.
type auditTail struct {
	size int64
	seq  int64
	prev string
}

// maxHeld bounds what is kept of events that could not be written.
const maxHeld = 1000

// audit writes events; what cannot be written now is written with the next. Without a StateDir there is no audit log.
func (s *Switch) audit(events ...event) {
	if s.state == nil {
		return
	}
	s.alarmState(s.state.path(auditFile), s.state.audit(events))
}

// alarmState tells what is wrong with the saved state, but not that somebody else was just writing.
func (s *Switch) alarmState(about string, err error) {
	var busy *errBusy
	if errors.As(err, &busy) && busy.time < worthAnAlarm {
		return
	}
	s.alarm(about, err)
}

func (st *state) audit(events []event) error {
	st.mu.Lock()
	idle := len(st.held)+len(events) == 0
	st.mu.Unlock()
	if idle {
		return nil
	}
	err := st.locked(watchPatience, func() error { return st.appendAudit(events) })
	if err == nil {
		return nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.hold(events)
	return fmt.Errorf("the audit log cannot be written: %w", err)
}

// hold keeps events for the next time. What there is no room for is counted. The caller holds mu.
func (st *state) hold(events []event) {
	now := time.Now()
	for _, e := range events {
		e.Time = now
		st.held = append(st.held, e)
	}
	if n := len(st.held) - maxHeld; n > 0 {
		lost := event{Event: "log.lost", Time: now, Count: int64(n) + 1, Detail: "events that could not be written"}
		if st.held[0].Event == lost.Event {
			lost.Count += st.held[0].Count - 1
		}
		st.held = append([]event{lost}, st.held[n+1:]...)
	}
}

// appendAudit writes events through to the disk, behind those that are held. The caller holds the lock.
func (st *state) appendAudit(events []event) error {
	if len(events)+len(st.held) == 0 {
		return nil
	}
	fresh, err := st.followAudit()
	if err != nil {
		return err
	}
	tail, torn, err := st.auditEnd()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if torn {
		b.WriteByte('\n')
	}
	now := time.Now()
	for _, e := range slices.Concat(fresh, st.held, events) {
		if e.Time.IsZero() {
			e.Time = now
		}
		tail.seq++
		e.Seq, e.Prev, e.Time = tail.seq, tail.prev, e.Time.UTC()
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		b.Write(line)
		b.WriteByte('\n')
		tail.prev = hashLine(line)
	}
	if err := appendWhole(st.audits, b.Bytes(), tail.size); err != nil {
		return err
	}
	tail.size += int64(b.Len())
	st.tail, st.held = tail, nil
	return nil
}

// followAudit begins a new log where the one that was written to is gone or has been moved away, and says so in it.
func (st *state) followAudit() ([]event, error) {
	if st.isNamed(st.audits, auditFile) {
		return nil, nil
	}
	f, err := st.open(auditFile)
	if err != nil {
		return nil, err
	}
	_ = st.audits.Close()
	st.audits, st.tail = f, auditTail{}
	if info, err := f.Stat(); err != nil || info.Size() > 0 {
		return nil, err // another process was here first
	}
	return []event{{Event: "log.begin", Detail: "the log that was written before was moved or removed"}}, nil
}

// auditEnd finds the number and the hash of the last line. Other processes write to the log too. torn: that line has no end.
func (st *state) auditEnd() (tail auditTail, torn bool, err error) {
	info, err := st.audits.Stat()
	if err != nil {
		return tail, false, err
	}
	if info.Size() == st.tail.size && st.tail.prev != "" {
		return st.tail, false, nil
	}
	tail = auditTail{size: info.Size(), prev: hashLine(nil)}
	const most = 1 << 20 // a line is far shorter
	from := max(0, tail.size-most)
	text := make([]byte, tail.size-from)
	if _, err := io.ReadFull(io.NewSectionReader(st.audits, from, int64(len(text))), text); err != nil {
		return tail, false, err
	}
	if len(text) == 0 {
		return tail, false, nil
	}
	text, whole := bytes.CutSuffix(text, []byte("\n"))
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	var last event
	_ = json.Unmarshal(line, &last) // a line that was edited shows in VerifyAudit
	tail.seq, tail.prev = last.Seq, hashLine(line)
	return tail, !whole, nil
}

func hashLine(line []byte) string {
	if line == nil {
		return ""
	}
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// VerifyAudit reads an audit log and reports the first line that was changed, taken out or put in after it was written. It cannot see that lines are
// missing at the end.
func VerifyAudit(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	prev := ""
	for seq := int64(1); lines.Scan(); seq++ {
		var e event
		line := lines.Bytes()
		switch err := json.Unmarshal(line, &e); {
		case err != nil:
			return fmt.Errorf("killswitch: audit log %s: seq %d cannot be read: %w", path, seq, err)
		case e.Seq != seq:
			return fmt.Errorf("killswitch: audit log %s: seq %d stands where %d should", path, e.Seq, seq)
		case e.Prev != prev && seq == 1:
			return fmt.Errorf("killswitch: audit log %s: seq 1 does not begin the log", path)
		case e.Prev != prev:
			return fmt.Errorf("killswitch: audit log %s: seq %d was changed after it was written, or the link in seq %d was", path, seq-1, seq)
		}
		prev = hashLine(line)
	}
	return lines.Err()
}

// flushEachMinute writes the refusals of the last minute: one line for each rule, not one for each refusal.
func (s *Switch) flushEachMinute(now time.Time) {
	s.mu.Lock()
	due := now.Sub(s.flushed) >= time.Minute
	s.mu.Unlock()
	if due {
		s.flushCounts(now)
	}
}

func (s *Switch) flushCounts(now time.Time) {
	if s.state == nil {
		return
	}
	var events []event
	s.mu.Lock()
	s.flushed = now
	for e := range s.entries() {
		if n := e.refused.Load() + e.purged.Load(); n > e.counted {
			events = append(events, event{Event: "refused", Source: e.source, Rule: &e.rule, Count: n - e.counted})
			e.counted = n
		}
	}
	s.mu.Unlock()
	s.audit(events...)
}
