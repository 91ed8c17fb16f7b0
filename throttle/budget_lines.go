package throttle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// This file is what stands in the file of a day: lines, "host who requests octets".

// lines are what is to be appended. They begin with an end of line: what another process wrote before, and did not finish, spoils nothing.
func (s *spendings) lines(host string, all ...tally) []byte {
	var b bytes.Buffer
	for _, n := range all {
		if n != (tally{}) {
			fmt.Fprintf(&b, "\n%s %s %d %d", host, s.who, n.requests, n.bytes)
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// exchange appends to the file of the day, if there is anything to append, and takes in what others appended since the last look. With a host, before is what
// the file says of it ahead of our own last line. The caller holds mu.
func (s *spendings) exchange(text []byte, host string) (before tally, err error) {
	flag := os.O_RDONLY
	if text != nil {
		flag = os.O_RDWR | os.O_APPEND | os.O_CREATE
	}
	f, err := os.OpenFile(s.name(s.day), flag, 0o600)
	if err != nil {
		if text == nil && os.IsNotExist(err) {
			return tally{}, nil
		}
		return tally{}, err
	}
	if info, err := f.Stat(); err == nil && info.Size() < s.offset { // somebody removed it
		s.offset, s.filed = 0, make(map[string]tally)
	}
	if text != nil {
		_, err = f.Write(text)
	}
	others := make(map[string]tally)
	before, scanned := s.scan(f, host, others)
	for name, n := range others {
		s.throttle.spentElsewhere(name, n, s.day)
	}
	return before, errors.Join(err, scanned, f.Close())
}

// write appends to the file of a day that is not read any more.
func (s *spendings) write(day int32, text []byte) error {
	f, err := os.OpenFile(s.name(day), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// scan reads whole lines past what was read before.
func (s *spendings) scan(f io.ReaderAt, host string, others map[string]tally) (before tally, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(f, s.offset, 1<<62), longestLine)
	for whole := true; ; {
		line, err := r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			if err == io.EOF { // the rest is being written
				err = nil
			}
			return before, err
		}
		s.offset += int64(len(line))
		if whole && err == nil {
			if key, who, n, ok := parseSpent(string(line)); ok {
				sum := s.filed[key]
				if key == host && who == s.who && n.requests > 0 {
					before = sum
				}
				sum.add(n)
				s.filed[key] = sum
				if who != s.who {
					sum := others[key]
					sum.add(n)
					others[key] = sum
				}
			}
		}
		whole = err == nil
	}
}

// parseSpent reads one line.
func parseSpent(line string) (host, who string, n tally, ok bool) {
	f := strings.Fields(line)
	if len(f) != 4 {
		return "", "", tally{}, false
	}
	requests, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || requests < -mostTold || requests > mostTold {
		return "", "", tally{}, false
	}
	octets, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil || octets < 0 || octets > mostTold {
		return "", "", tally{}, false
	}
	return f[0], f[1], tally{requests, octets}, true
}

// spentElsewhere takes in what other processes asked of a host.
func (t *Throttle) spentElsewhere(name string, n tally, day int32) {
	key, err := origin.HostKeyOf(name)
	if err != nil || n == (tally{}) {
		return
	}
	now := t.now()
	s, h := t.hosts.find(key)
	defer s.mu.Unlock()
	if h == nil {
		h = s.insert(key, now) // a debt always has room
	}
	a := h.counts()
	if a.day != day {
		return
	}
	a.used.add(n)
	if h.gate != nil {
		h.gate.advance(now)
	}
}
