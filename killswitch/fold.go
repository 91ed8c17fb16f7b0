package killswitch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// foldSlack is how many records more than needed are left alone. With it, stops.jsonl has at most twice the lines of what is in force, and so many more.
const foldSlack = 256

// fold puts stops.jsonl together anew without what was lifted, if that makes it much shorter. The caller holds the lock and has read the file to its end.
//
// The new file takes the place of the old one in one step, so that a crash leaves the one or the other. Other processes find that the name leads elsewhere, and that the
// generation is a later one; since all was read under the lock, what the new file lacks was lifted. It is no error if the file cannot be replaced: some
// systems do not let go of one that another process has open.
func (st *state) fold() {
	if st.records < st.foldAt {
		return
	}
	var j journal
	text := make([]byte, st.offset)
	if _, err := io.ReadFull(io.NewSectionReader(st.stops, 0, st.offset), text); err != nil {
		return
	}
	j.readHead(text)
	j.readLines(text)
	if j.err() != nil { // what is damaged stays, for people to look at
		return
	}
	kept := j.inForce()
	st.foldAt = 2*len(kept) + st.slack
	if len(j.recs) < st.foldAt {
		return
	}
	if err := st.replace(kept); err != nil {
		st.foldAt = 2 * st.records
	}
}

// replace makes the lines the whole of stops.jsonl.
func (st *state) replace(lines [][]byte) (err error) {
	next := head{Op: beginOp, Generation: st.generation + 1, Records: len(lines)}
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	for _, l := range lines {
		text = append(text, l...)
	}
	name := stopsFile + ".new"
	_ = os.Remove(st.path(name)) // left by a process that died
	f, err := st.open(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(st.path(name), st.path(stopsFile))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", name, err), f.Close(), os.Remove(st.path(name)))
	}
	syncDir(st.dir)
	_ = st.stops.Close()
	st.stops, st.generation, st.offset, st.records = f, next.Generation, int64(len(text)), len(lines)
	st.noteSize()
	return nil
}
