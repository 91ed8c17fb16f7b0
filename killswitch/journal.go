package killswitch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// record is one line of stops.jsonl. What is in force is what the records say in their order, whoever wrote them: a stop adds, and only a lift removes.
type record struct {
	Op      string    `json:"op"` // "stop" or "lift"
	ID      string    `json:"id"`
	Time    time.Time `json:"time"` // when the rule was asked for, or lifted
	Applied time.Time `json:"applied,omitzero"`
	Source  Source    `json:"source"`
	Rule    *Rule     `json:"rule,omitempty"`   // of a stop
	Reason  string    `json:"reason,omitempty"` // of a lift
	Proof   proof     `json:"proof,omitzero"`   // of a stop: what was under way
	own     bool
}

// parseRecord reads one line.
func parseRecord(line []byte) (record, error) {
	var r record
	if err := strictLine(line, &r); err != nil {
		return record{}, err
	}
	switch {
	case r.Op == "lift" && validID(r.ID):
		return r, nil
	case r.Op != "stop" || r.Rule == nil || !validID(r.ID):
		return record{}, errors.New("it is neither a stop nor a lift")
	}
	rule, err := r.Rule.canonical()
	if err != nil {
		return record{}, err
	}
	rule.ID = r.ID
	r.Rule = &rule
	return r, nil
}

// head is the first line of a stops.jsonl that was put together anew. One that never was has none, and is of generation 0.
type head struct {
	Op         string `json:"op"` // "begin"
	Generation int64  `json:"generation"`
	Records    int    `json:"records"` // that were written with it, all at once
}

const beginOp = "begin"

func parseHead(line []byte) (head, bool) {
	var h head
	if err := strictLine(line, &h); err != nil || h.Op != beginOp || h.Generation < 1 {
		return head{}, false
	}
	return h, true
}

// readHead is the head of a file.
func readHead(f io.ReaderAt) (head, error) {
	line, err := bufio.NewReader(io.NewSectionReader(f, 0, 1<<10)).ReadBytes('\n')
	if err != nil && err != io.EOF {
		return head{}, err
	}
	h, _ := parseHead(line)
	return h, nil
}

func strictLine(line []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows the record")
	}
	return nil
}

// journal is the text of a stops.jsonl, or its end, that is being read.
type journal struct {
	head   head
	behind int // length of the head's line
	recs   []record
	lines  [][]byte // those of recs, with their ends
	errs   []error
}

func (j *journal) readHead(text []byte) {
	line, _, whole := bytes.Cut(text, []byte("\n"))
	if h, ok := parseHead(line); ok && whole {
		j.head, j.behind = h, len(line)+1
	}
}

func (j *journal) readLines(text []byte) {
	text = text[j.behind:]
	for n := 1; len(text) > 0; n++ {
		line, _, whole := bytes.Cut(text, []byte("\n"))
		if whole {
			line = text[:len(line)+1]
		}
		text = text[len(line):]
		rec, err := parseRecord(line)
		if err == nil && !whole {
			err = errors.New("it is cut short")
		}
		if err != nil && len(j.errs) < 3 {
			j.errs = append(j.errs, fmt.Errorf("line %d of what was added: %w", n, err))
		}
		if err == nil || rec.Op == "stop" {
			j.recs, j.lines = append(j.recs, rec), append(j.lines, line)
		}
	}
	if len(j.recs) < j.head.Records {
		j.errs = append(j.errs, fmt.Errorf("it has %d records and began with %d", len(j.recs), j.head.Records))
	}
}

func (j *journal) err() error { return errors.Join(j.errs...) }

// inForce are the lines of the stops that nobody lifted, in their order: all that a reader needs to know.
func (j *journal) inForce() [][]byte {
	last := make(map[string]int) // of the lifts of an id
	for i, r := range j.recs {
		if r.Op == "lift" {
			last[r.ID] = i
		}
	}
	said := make(map[Rule]bool)
	var kept [][]byte
	for i, r := range j.recs {
		lifted, ok := last[r.ID]
		if r.Op != "stop" || ok && i < lifted || said[*r.Rule] {
			continue
		}
		said[*r.Rule] = true
		kept = append(kept, j.lines[i])
	}
	return kept
}
